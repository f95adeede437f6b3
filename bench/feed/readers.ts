import { Agent, type IncomingMessage, request } from 'node:http'

// Three readers of one feed from its beginning, a process of its own: one asks for page after page, and again a second after
// the last; one waits for what comes next; one has a stream.

export interface ReadersOrder {
  url: string
  token: string
  /** Number of notifications. A reader that has all of them is done. */
  wanted: number
}

/** That the stream is open; then that each of the three has all; or what broke. */
export type ReadersMessage = { isReady: true } | { isThrough: true } | { error: string }

const POLL_MS = 1_000
/** Each notification of a claim has it once. */
const OF_PAGE = '"type":"claim.'
const OF_STREAM = '\nevent: '
const CURSOR = /"next_cursor":"([^"]+)"/
const END_OF_PAGE = 500

const agent = new Agent({ keepAlive: true })
const say = (message: ReadersMessage) => void process.send?.(message)

function get({ url, token }: ReadersOrder, path: string, accept: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, Accept: accept }
    const asked = request(url + path, { agent, headers }, (response) => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`a reader was answered ${response.statusCode}`))
    })
    asked.on('error', reject)
    asked.end()
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('latin1')
}

/** @param wait seconds */
async function readPages(order: ReadersOrder, wait: number): Promise<void> {
  let after = ''
  for (let seen = 0; seen < order.wanted; ) {
    const path = `/v1/notifications?limit=100&wait=${wait}${after}`
    const page = await textOf(await get(order, path, 'application/json'))
    const found = countOf(OF_PAGE, page)
    seen += found
    after = `&after=${CURSOR.exec(page.slice(-END_OF_PAGE))?.[1]}`
    if (found === 0 && wait === 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

async function readStream(order: ReadersOrder): Promise<void> {
  const response = await get(order, '/v1/notifications', 'text/event-stream')
  say({ isReady: true })
  let seen = 0
  let rest = ''
  for await (const chunk of response) {
    const text = rest + (chunk as Buffer).toString('latin1')
    seen += countOf(OF_STREAM, text)
    if (seen >= order.wanted) break
    // A mark may come in two pieces.
    rest = text.slice(1 - OF_STREAM.length)
  }
}

function countOf(part: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++
  return count
}

process.once('disconnect', () => process.exit())
process.once('message', (order: ReadersOrder) => {
  const all = Promise.all([readPages(order, 0), readPages(order, 30), readStream(order)])
  all.then(
    () => say({ isThrough: true }),
    (error: Error) => say({ error: error.message }),
  )
})
