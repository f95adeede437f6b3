import { Agent, type IncomingMessage, request } from 'node:http'

// Three readers of one feed from its beginning, in a separate process: one polls for pages every second, one uses long
// polling, one reads a stream.

export interface ReadersOrder {
  url: string
  token: string
  /** Number of notifications. A reader that has all of them is done. */
  wanted: number
}

/** `isReady`: the stream is open. `isDone`: each reader has received all notifications. */
export type ReadersMessage = { isReady: true } | { isDone: true } | { error: string }

const POLL_MS = 1_000
/** Each notification contains its marker once. */
const PAGE_MARKER = '"type":"claim.'
const STREAM_MARKER = '\nevent: '
const CURSOR = /"next_cursor":"([^"]+)"/
/** The cursor is within the last characters of a page. */
const CURSOR_CHARACTERS = 500

const agent = new Agent({ keepAlive: true })
const send = (message: ReadersMessage) => void process.send?.(message)

function get({ url, token }: ReadersOrder, path: string, accept: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, Accept: accept }
    const clientRequest = request(url + path, { agent, headers }, (response) => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`a reader got status ${response.statusCode}`))
    })
    clientRequest.on('error', reject)
    clientRequest.end()
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
    const found = countOf(PAGE_MARKER, page)
    seen += found
    after = `&after=${CURSOR.exec(page.slice(-CURSOR_CHARACTERS))?.[1]}`
    if (found === 0 && wait === 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

async function readStream(order: ReadersOrder): Promise<void> {
  const response = await get(order, '/v1/notifications', 'text/event-stream')
  send({ isReady: true })
  let seen = 0
  let rest = ''
  for await (const chunk of response) {
    const text = rest + (chunk as Buffer).toString('latin1')
    seen += countOf(STREAM_MARKER, text)
    if (seen >= order.wanted) break
    // A marker may be split between two chunks.
    rest = text.slice(1 - STREAM_MARKER.length)
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
    () => send({ isDone: true }),
    (error: Error) => send({ error: error.message }),
  )
})
