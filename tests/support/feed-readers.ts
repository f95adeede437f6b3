import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from './eventually.ts'

/** A notification that a reader received. */
interface Had {
  id: string
  type: string
  sequence: number
  /** Address of its claim or candidate. */
  address: string | null
}

export interface FeedReader {
  had: Had[]
  /** Resolves when the reader has received everything. */
  stop: () => Promise<Had[]>
}

const RETRY_MS = 50

interface Feed {
  urls: () => readonly string[]
  token: string | null
}

// biome-ignore lint/suspicious/noExplicitAny: a missing field fails the assertion of the test.
const toHad = ({ id, type, sequence, claim, candidate }: any): Had => ({
  id,
  type,
  sequence,
  address: claim?.id ?? candidate?.candidate_alias ?? null,
})

interface FeedPage {
  data: unknown[]
  next_cursor: string
  has_more: boolean
}

const readPage = (response: Response) =>
  response.json().then(
    (body) => body as FeedPage,
    () => null,
  )

/** Reads pages one after the other from any server. With `wait` it waits for the next notifications. */
export function readPages({ urls, token }: Feed, wait: number): FeedReader {
  const had: Had[] = []
  let isStopping = false
  const reading = (async () => {
    for (let after = '', turn = 0; ; turn++) {
      const isLast = isStopping
      const servers = urls()
      const query = `limit=100&wait=${isLast ? 0 : wait}${after && `&after=${after}`}`
      const response = await fetch(`${servers[turn % servers.length]}/v1/notifications?${query}`, {
        headers: { Authorization: `Bearer ${token}` },
      }).catch(() => null)
      const body = response?.status === 200 ? await readPage(response) : null
      if (response && response.status !== 200 && response.status !== 503) {
        throw new Error(`${response.status} ${await response.text()}`)
      }
      if (body === null) {
        await pause(RETRY_MS)
        continue
      }
      had.push(...body.data.map(toHad))
      after = body.next_cursor
      if (isLast && !body.has_more) return had
      if (!body.has_more && wait === 0) await pause(RETRY_MS)
    }
  })()
  reading.catch(() => {})
  return {
    had,
    stop: () => {
      isStopping = true
      return reading
    },
  }
}

/** Reads a stream. Reconnects after its last id when the stream breaks, as a browser does. `stop` waits for `untilHad()` notifications. */
export function readStream({ urls, token }: Feed, untilHad: () => number): FeedReader {
  const had: Had[] = []
  const stopping = new AbortController()
  const { signal } = stopping
  let lastId = ''
  const readOne = async (url: string) => {
    const response = await fetch(`${url}/v1/notifications`, {
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: 'text/event-stream',
        ...(lastId ? { 'Last-Event-ID': lastId } : {}),
      },
      signal,
    })
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    let text = ''
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop() as string
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)))
        if (fields.data) had.push(toHad(JSON.parse(fields.data)))
        if (fields.id) lastId = fields.id
      }
    }
  }
  const reading = (async () => {
    for (let turn = 0; !signal.aborted; turn++) {
      const servers = urls()
      await readOne(servers[turn % servers.length] as string).catch((error: Error) => {
        if (/^(4|500)/.test(error.message)) throw error
      })
      await pause(RETRY_MS)
    }
    return had
  })()
  reading.catch(() => {})
  return {
    had,
    stop: async () => {
      await eventually(async () => had.length >= untilHad())
      stopping.abort()
      return reading
    },
  }
}
