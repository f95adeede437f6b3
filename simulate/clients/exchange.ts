import { Agent, type IncomingMessage, request } from 'node:http'

/** Milliseconds since 1970 by a monotonic clock. */
export const now = (): number => performance.timeOrigin + performance.now()

export interface Exchange {
  method: string
  path: string
  token: string | null
  body?: string
  headers?: Record<string, string>
  /** Factor of the timeout for slow requests. */
  slowness?: number
  /** A `Speaker` sends more of the body later. */
  streamsBody?: boolean
  /** Cookie of a session, in place of the token. */
  cookie?: string
}

export interface Times {
  sentAt: number
  answeredAt: number
}

export type Reply =
  | (Times & { is: 'answer'; status: number; headers: IncomingMessage['headers']; text: string })
  /** The connection was refused. */
  | (Times & { is: 'not sent' })
  | (Times & { is: 'lost'; why: string })

/** Continues the body while the response arrives. */
export interface Speaker {
  write(text: string): void
  end(): void
  /** Aborts the connection. */
  leave(): void
}

/** Receives the body of a response in chunks. */
export type Hear = (part: string, speaker: Speaker) => void

/** A connection of a client. Sends one request at a time. */
export class Wire {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #timeoutMs: number

  /** @param patienceMs timeout without a byte of the response */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** Never rejects. @param hear receives the body, which is then missing in the reply */
  send(url: string, exchange: Exchange, hear?: Hear): Promise<Reply> {
    const sentAt = now()
    return new Promise((resolve) => {
      const times = () => ({ sentAt, answeredAt: now() })
      const lose = (why: string) => {
        clearTimeout(timer)
        outgoing.destroy()
        resolve({ is: 'lost', why, ...times() })
      }
      const outgoing = request(url + exchange.path, {
        method: exchange.method,
        agent: this.#agent,
        headers: headersOf(url, exchange),
      })
      const timeoutMs = this.#timeoutMs * (exchange.slowness ?? 1)
      const timer = setTimeout(() => lose(`nothing for ${timeoutMs} ms`), timeoutMs)
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ECONNREFUSED') return lose(error.code ?? error.message)
        clearTimeout(timer)
        resolve({ is: 'not sent', ...times() })
      })
      const speaker: Speaker = {
        write: (text) => outgoing.write(text),
        end: () => outgoing.end(),
        leave: () => lose('we left'),
      }
      outgoing.on('response', (response) => {
        const parts: string[] = []
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          timer.refresh()
          if (hear) hear(part, speaker)
          else parts.push(part)
        })
        response.on('error', (error) => lose(error.message))
        response.on('close', () => {
          if (!response.complete) return lose('the answer broke off')
          clearTimeout(timer)
          // The rest of the body is not sent after the response.
          if (!outgoing.writableEnded) outgoing.destroy()
          const { statusCode = 0, headers } = response
          resolve({ is: 'answer', status: statusCode, headers, text: parts.join(''), ...times() })
        })
      })
      if (exchange.streamsBody) outgoing.write(exchange.body ?? '')
      else outgoing.end(exchange.body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

function headersOf(
  url: string,
  { token, body, headers, cookie, streamsBody = false }: Exchange,
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
  const set = reply.is === 'answer' ? (reply.headers['set-cookie'] ?? []) : []
  return set.map((cookie) => cookie.split(';')[0]).join('; ')
}
