import { Agent as HttpAgent, type IncomingMessage, STATUS_CODES } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { json } from 'node:stream/consumers'
import { OperatorError } from '../../kernel/operator-error.ts'
import { sendRequest } from '../../webhooks/send-request.ts'
import { FEED_SILENCE_TIMEOUT_MS, MAX_RESPONSE_BYTES, MAX_STREAM_EVENT_LENGTH } from '../limits.ts'

/** Statuses after which a retry may succeed. */
const TRANSIENT_STATUSES: readonly number[] = [408, 425, 429]

export interface FeedOptions {
  /** The service's URL. */
  url: string
  token: string
  types: string | null
  customerId: string | null
}

/** The service does not accept the cursor. The next request must have none. */
export class CursorRefused extends Error {
  override readonly name = 'CursorRefused'
}

interface Refusal {
  code?: string
  message?: string
  details?: { path: string }[]
}

/** The notifications of a running service (§4.13), as one token sees them. */
export class ServiceFeed {
  readonly #options: FeedOptions
  readonly #stop: AbortSignal
  // An agent of its own ignores the proxy settings of the environment.
  readonly #agent: HttpAgent

  constructor(options: FeedOptions, stop: AbortSignal) {
    this.#options = options
    this.#stop = stop
    this.#agent = options.url.startsWith('https:') ? new HttpsAgent() : new HttpAgent()
  }

  /** The cursor of the current end, regardless of the filters. An empty feed has one too. */
  async findEnd(): Promise<string> {
    const body = await this.#get({ order: 'desc', limit: '1' }, 'application/json')
    const { next_cursor: cursor } = (await json(body)) as { next_cursor?: unknown }
    if (typeof cursor !== 'string') throw new Error('the response is not from Claimkeeper')
    return cursor
  }

  /**
   * The stream of notifications after the cursor, until the connection breaks. Each notification is the exact text of the service.
   * @param after null for the oldest stored notification
   * @throws OperatorError if a retry is useless, CursorRefused
   */
  async open(after: string | null): Promise<AsyncGenerator<StreamEvent>> {
    const { types, customerId } = this.#options
    const query = {
      ...(after === null ? {} : { after }),
      ...(types === null ? {} : { types }),
      ...(customerId === null ? {} : { customer_id: customerId }),
    }
    return readEvents(await this.#get(query, 'text/event-stream'))
  }

  async #get(query: Record<string, string>, type: string): Promise<IncomingMessage> {
    const { url, token } = this.#options
    const response = await sendRequest(`${url}/v1/notifications?${new URLSearchParams(query)}`, {
      agent: this.#agent,
      headers: { Authorization: `Bearer ${token}`, Accept: type },
      timeout: FEED_SILENCE_TIMEOUT_MS,
      signal: this.#stop,
    })
    const { statusCode = 0, headers } = response
    const isOfType = `${headers['content-type'] ?? ''}`.startsWith(type)
    if (statusCode === 200 && isOfType) return response
    const refusal = await readRefusal(response)
    if (statusCode === 200) throw new Error('the response is not from Claimkeeper')
    throw this.#refused(statusCode, refusal)
  }

  #refused(status: number, { code, message, details = [] }: Refusal): Error {
    const isAboutCursor = status === 400 && details.some(({ path }) => path === 'after')
    const words = `${status} ${code ?? STATUS_CODES[status] ?? ''}`.trim()
    if (status === 410 || isAboutCursor) return new CursorRefused(words)
    if (status < 400 || status >= 500 || TRANSIENT_STATUSES.includes(status)) return new Error(words)
    if (status === 401) {
      const help = 'It may be mistyped, expired or revoked. claimkeeper token create creates another.'
      return new OperatorError(`${this.#options.url} refuses the token (${words}). ${help}`)
    }
    if (code === undefined) {
      return new OperatorError(
        `${this.#options.url} is not Claimkeeper: GET /v1/notifications answers ${words}.`,
      )
    }
    return new OperatorError(`${this.#options.url} refuses (${words}): ${message ?? ''}`)
  }
}

/** The error of the response; empty if the response is not from Claimkeeper. */
async function readRefusal(body: AsyncIterable<Buffer>): Promise<Refusal> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_RESPONSE_BYTES) break
  }
  try {
    const { error } = JSON.parse(Buffer.concat(chunks).toString()) as { error?: Refusal }
    return error ?? {}
  } catch {
    return {}
  }
}

/** An event of the stream. It has a cursor, a notification, or both. */
interface StreamEvent {
  /** The position after the event. */
  cursor: string | null
  /** The exact text of a notification. */
  json: string | null
}

/** Parses server-sent events (§4.13). */
async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() as string
    if (text.length > MAX_STREAM_EVENT_LENGTH) throw new Error('an event of the stream is too long')
    for (const block of blocks) {
      const event = readBlock(block)
      if (event.cursor !== null || event.json !== null) yield event
    }
  }
}

function readBlock(block: string): StreamEvent {
  const lines = block.split('\n')
  const fieldOf = (field: string) => {
    const line = lines.find((line) => line.startsWith(`${field}: `))
    return line === undefined ? null : line.slice(field.length + 2)
  }
  return { cursor: fieldOf('id'), json: fieldOf('data') }
}

/** A notification of the feed. */
export interface Notification {
  id: string
  type: string
  /** The alias of the candidate, or the id of the other record. */
  subject: string
  /** The JSON text from the service, on one line. */
  json: string
}

interface Subject {
  id?: unknown
  candidate_alias?: unknown
}

/** @throws Error if the text is not a notification */
export function parseNotification(json: string): Notification {
  const { id, type, ...rest } = JSON.parse(json) as Record<string, unknown>
  const { candidate_alias: alias, id: subjectId } = (rest.claim ??
    rest.candidate ??
    rest.test_clock ??
    rest.webhook_endpoint ??
    {}) as Subject
  if (typeof id !== 'string' || typeof type !== 'string') throw new Error('not a notification')
  return { id, type, subject: `${alias ?? subjectId ?? ''}`, json }
}
