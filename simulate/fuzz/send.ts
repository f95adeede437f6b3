import { Agent, request as startRequest } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Answer, Request } from './request.ts'

/** A request that is not answered in this time is a finding. */
const TIMEOUT_MS = 60_000
/** Answers that ask to come again later. */
const LATER = [429, 503]
const MOST_TRIES = 30

/** For answers that were asked for like this. */
const DECODE: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
}

/** Says why no answer came. */
export class NoAnswer extends Error {
  readonly onReused: boolean
  constructor(message: string, onReused: boolean) {
    super(message)
    this.onReused = onReused
  }
}

/** Connections to one server, which are kept. */
export class Wire {
  readonly url: string
  readonly #agent: Agent

  constructor(url: string, most: number) {
    this.url = url
    this.#agent = new Agent({ keepAlive: true, maxSockets: most })
  }

  /** @throws NoAnswer */
  async send(request: Request): Promise<Answer> {
    try {
      return await this.#sendOnce(request)
    } catch (error) {
      // The server may close a connection at the moment that it is used again; on a new one it has no such excuse.
      if (error instanceof NoAnswer && error.onReused) return this.#sendOnce(request)
      throw error
    }
  }

  /**
   * The same, again and again while the server asks to come later: what the run itself needs must not fail because the
   * server is busy.
   */
  async sendPatiently(request: Request): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const answer = await this.send(request)
      if (!LATER.includes(answer.status) || tries === MOST_TRIES) return answer
      await pause(Number(answer.headers['retry-after'] ?? 1) * 1000)
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #sendOnce({ method, path, headers: given, body }: Request): Promise<Answer> {
    const { hostname, port } = new URL(this.url)
    // Node leaves it away where a method has no body as a rule, and what follows would be taken for a request.
    const headers = body === null ? given : { 'Content-Length': body.length, ...given }
    return new Promise((resolve, reject) => {
      const sent = startRequest({ agent: this.#agent, hostname, port, method, path, headers })
      const fail = (error: Error) => reject(new NoAnswer(error.message, sent.reusedSocket))
      sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error(`no answer in ${TIMEOUT_MS / 1000} s`)))
      sent.on('error', fail)
      sent.on('response', (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('error', fail)
        response.on('end', () => {
          const decode = DECODE[`${response.headers['content-encoding']}`] ?? ((bytes: Buffer) => bytes)
          try {
            const text = decode(Buffer.concat(pieces)).toString('utf8')
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
          } catch (error) {
            fail(error as Error)
          }
        })
      })
      if (body === null) sent.end()
      else sent.end(body)
    })
  }
}
