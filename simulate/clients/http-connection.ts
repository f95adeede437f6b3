import { Agent, type IncomingMessage, request as startRequest } from 'node:http'

/** Milliseconds since 1970 by a monotonic clock. */
export const now = (): number => performance.timeOrigin + performance.now()

export interface HttpRequest {
  method: string
  path: string
  token: string | null
  body?: string
  headers?: Record<string, string>
  /** Factor of the timeout for slow requests. */
  timeoutFactor?: number
  /** A `RequestWriter` sends the rest of the body. */
  streamsBody?: boolean
  /** Cookie of a session, in place of the token. */
  cookie?: string
}

export interface Times {
  sentAt: number
  answeredAt: number
}

export type Reply =
  | (Times & { kind: 'answer'; status: number; headers: IncomingMessage['headers']; text: string })
  /** The connection was refused. */
  | (Times & { kind: 'not sent' })
  | (Times & { kind: 'lost'; why: string })

/** Continues the body while the response arrives. */
export interface RequestWriter {
  write(text: string): void
  end(): void
  /** Aborts the connection. */
  abort(): void
}

/** Receives the body of a response in chunks. */
export type OnChunk = (part: string, writer: RequestWriter) => void

/** A connection of a client. Sends one request at a time. */
export class HttpConnection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #timeoutMs: number

  /** @param timeoutMs timeout without a byte of the response */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** Never rejects. @param onChunk receives the body, which is then missing in the reply */
  send(url: string, request: HttpRequest, onChunk?: OnChunk): Promise<Reply> {
    const sentAt = now()
    return new Promise((resolve) => {
      const times = () => ({ sentAt, answeredAt: now() })
      const lose = (why: string) => {
        clearTimeout(timer)
        outgoing.destroy()
        resolve({ kind: 'lost', why, ...times() })
      }
      const outgoing = startRequest(url + request.path, {
        method: request.method,
        agent: this.#agent,
        headers: headersOf(url, request),
      })
      const timeoutMs = this.#timeoutMs * (request.timeoutFactor ?? 1)
      const timer = setTimeout(() => lose(`no data for ${timeoutMs} ms`), timeoutMs)
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ECONNREFUSED') return lose(error.code ?? error.message)
        clearTimeout(timer)
        resolve({ kind: 'not sent', ...times() })
      })
      const writer: RequestWriter = {
        write: (text) => outgoing.write(text),
        end: () => outgoing.end(),
        abort: () => lose('aborted by the client'),
      }
      outgoing.on('response', (response) => {
        const parts: string[] = []
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          timer.refresh()
          if (onChunk) onChunk(part, writer)
          else parts.push(part)
        })
        response.on('error', (error) => lose(error.message))
        response.on('close', () => {
          if (!response.complete) return lose('the response is incomplete')
          clearTimeout(timer)
          // The rest of the body is not sent after the response.
          if (!outgoing.writableEnded) outgoing.destroy()
          const { statusCode = 0, headers } = response
          resolve({ kind: 'answer', status: statusCode, headers, text: parts.join(''), ...times() })
        })
      })
      if (request.streamsBody) outgoing.write(request.body ?? '')
      else outgoing.end(request.body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

function headersOf(
  url: string,
  { token, body, headers, cookie, streamsBody = false }: HttpRequest,
): Record<string, string> {
  return {
    ...(token === null || cookie !== undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(cookie === undefined ? {} : { cookie, origin: url }),
    ...(body === undefined
      ? {}
      : {
          'content-type': 'application/json',
          ...(streamsBody ? {} : { 'content-length': `${Buffer.byteLength(body)}` }),
        }),
    ...headers,
  }
}

/** The cookies of a response. */
export function cookieOf(reply: Reply): string {
  const set = reply.kind === 'answer' ? (reply.headers['set-cookie'] ?? []) : []
  return set.map((cookie) => cookie.split(';')[0]).join('; ')
}
