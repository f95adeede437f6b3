import { Agent as HttpAgent, type IncomingMessage, STATUS_CODES } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { json } from 'node:stream/consumers'
import { OperatorError } from '../../kernel/operator-error.ts'
import { sendRequest } from '../../webhooks/request/send-request.ts'

/** Something is sent every 15 s. */
const SILENCE_MS = 45_000
/** Of an error response. */
const MAX_ERROR_BYTES = 65_536
/** These may be over the next time. */
const PASSING: readonly number[] = [408, 425, 429]

export interface FeedOptions {
  /** Of the service. */
  url: string
  token: string
  types: string | null
  customerId: string | null
}

/** The service does not go on from the cursor: the next request does without. */
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

  /** Where it ends now. Also what the filters leave out counts, and a feed that is empty has an end. */
  async findEnd(): Promise<string> {
    const body = await this.#get({ order: 'desc', limit: '1' }, 'application/json')
    const { next_cursor: cursor } = (await json(body)) as { next_cursor?: unknown }
    if (typeof cursor !== 'string') throw new Error('an answer that is not Claimkeeper’s')
    return cursor
  }

  /**
   * What comes after the cursor, until the connection breaks. A stream has each notification on a line of its own: it is
   * delivered byte for byte as the service wrote it.
   * @param after null for the oldest that is kept
   * @throws OperatorError if trying again would not help, CursorRefused
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
    const answer = await sendRequest(`${url}/v1/notifications?${new URLSearchParams(query)}`, {
      agent: this.#agent,
      headers: { Authorization: `Bearer ${token}`, Accept: type },
      timeout: SILENCE_MS,
      signal: this.#stop,
    })
    const { statusCode = 0, headers } = answer
    const isOfType = `${headers['content-type'] ?? ''}`.startsWith(type)
    if (statusCode === 200 && isOfType) return answer
    const refusal = await readRefusal(answer)
    if (statusCode === 200) throw new Error('an answer that is not Claimkeeper’s')
    throw this.#refused(statusCode, refusal)
  }

  #refused(status: number, { code, message, details = [] }: Refusal): Error {
    const isAboutCursor = status === 400 && details.some(({ path }) => path === 'after')
    const words = `${status} ${code ?? STATUS_CODES[status] ?? ''}`.trim()
    if (status === 410 || isAboutCursor) return new CursorRefused(words)
    if (status < 400 || status >= 500 || PASSING.includes(status)) return new Error(words)
    if (status === 401) {
      const help = 'It may be mistyped, expired or revoked; claimkeeper token create makes another.'
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

/** What the service says of it; nothing if it is another's answer. */
async function readRefusal(body: AsyncIterable<Buffer>): Promise<Refusal> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_ERROR_BYTES) break
  }
  try {
    const { error } = JSON.parse(Buffer.concat(chunks).toString()) as { error?: Refusal }
    return error ?? {}
  } catch {
    return {}
  }
}

/** A block of the stream. Each has one of the two at least. */
export interface StreamEvent {
  /** Where the stream goes on after it. */
  cursor: string | null
  /** A notification, as the service has written it. */
  json: string | null
}

/** Far more than a notification may have. */
const MAX_EVENT_LENGTH = 16 * 1_048_576

/** What the service sends as server-sent events (§4.13). */
async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() as string
    if (text.length > MAX_EVENT_LENGTH) throw new Error('an event without end')
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
