import { Agent, request as startRequest } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { HttpResponse, Request } from './request.ts'

/** A later response is a finding. */
const TIMEOUT_MS = 60_000
const RETRYABLE_STATUSES = [429, 503]
const MAX_TRIES = 30

/** By content encoding. */
const DECODE: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
}

/** The reason why there is no response. */
export class NoResponse extends Error {
  readonly onReusedConnection: boolean
  constructor(message: string, onReusedConnection: boolean) {
    super(message)
    this.onReusedConnection = onReusedConnection
  }
}

/** An HTTP client with keep-alive connections to one server. */
export class HttpClient {
  readonly url: string
  readonly #agent: Agent

  constructor(url: string, maxConnections: number) {
    this.url = url
    this.#agent = new Agent({ keepAlive: true, maxSockets: maxConnections })
  }

  /** @throws NoResponse */
  async send(request: Request): Promise<HttpResponse> {
    try {
      return await this.#sendOnce(request)
    } catch (error) {
      // The server may close an idle connection at the moment of its reuse.
      if (error instanceof NoResponse && error.onReusedConnection) return this.#sendOnce(request)
      throw error
    }
  }

  /** Retries while the server is busy. For requests that the run depends on. */
  async sendWithRetries(request: Request): Promise<HttpResponse> {
    for (let tries = 1; ; tries++) {
      const response = await this.send(request)
      if (!RETRYABLE_STATUSES.includes(response.status) || tries === MAX_TRIES) return response
      await pause(Number(response.headers['retry-after'] ?? 1) * 1000)
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #sendOnce({ method, path, headers: given, body }: Request): Promise<HttpResponse> {
    const { hostname, port } = new URL(this.url)
    // Node omits the length for methods without a usual body. The server would parse the body as the next request.
    const headers = body === null ? given : { 'Content-Length': body.length, ...given }
    return new Promise((resolve, reject) => {
      const sent = startRequest({ agent: this.#agent, hostname, port, method, path, headers })
      const fail = (error: Error) => reject(new NoResponse(error.message, sent.reusedSocket))
      sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error(`no response in ${TIMEOUT_MS / 1000} s`)))
      sent.on('error', fail)
      sent.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', fail)
        response.on('end', () => {
          const decode = DECODE[`${response.headers['content-encoding']}`] ?? ((bytes: Buffer) => bytes)
          try {
            const text = decode(Buffer.concat(chunks)).toString('utf8')
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
