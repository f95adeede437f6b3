import { Agent as HttpAgent, type IncomingMessage, STATUS_CODES } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { json } from 'node:stream/consumers'
import { OperatorError } from '../../kernel/operator-error.ts'
import { sendRequest } from '../../webhooks/request/send-request.ts'
import { readEvents, type StreamEvent } from './read-events.ts'

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
