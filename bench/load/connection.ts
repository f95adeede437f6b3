import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const BUFFER_BYTES = 128 * 1024
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i

interface Listeners {
  onResponse: (connection: Connection, status: number, body: string) => void
  onBroken: (error: Error) => void
}

/**
 * A connection with a minimal HTTP/1.1 client: one request in flight, responses with a Content-Length (or 204).
 * Node's client would use more CPU time than the measured server.
 */
export class Connection {
  readonly #socket: Socket
  readonly #onResponse: Listeners['onResponse']
  readsBody = false
  #head = ''
  #status = 0
  /** Missing bytes of the body. -1 while the head is not complete. */
  #missing = -1
  #body = ''

  private constructor(url: string, { onResponse, onBroken }: Listeners) {
    const { hostname, port } = new URL(url)
    this.#onResponse = onResponse
    this.#socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(BUFFER_BYTES),
        callback: (size, buffer) => this.#handleChunk(size, buffer),
      },
    })
    this.#socket.on('error', onBroken)
    this.#socket.on('end', () => onBroken(new Error('the server closed a connection')))
  }

  static async open(url: string, listeners: Listeners): Promise<Connection> {
    const connection = new Connection(url, listeners)
    await once(connection.#socket, 'connect')
    return connection
  }

  send(request: string): void {
    this.#socket.write(request, 'latin1')
  }

  close(): void {
    this.#socket.destroy()
  }

  #handleChunk(size: number, buffer: Uint8Array): boolean {
    const bytes = buffer as Buffer
    if (this.#missing < 0) this.#readHead(bytes.toString('latin1', 0, size))
    else this.#readBody(size, this.readsBody || this.#status >= 400 ? bytes.toString('latin1', 0, size) : '')
    return true
  }

  #readHead(text: string): void {
    this.#head += text
    const end = this.#head.indexOf('\r\n\r\n')
    if (end < 0) return
    this.#status = Number(this.#head.slice(9, 12))
    const length = CONTENT_LENGTH.exec(this.#head)?.[1]
    if (length === undefined && this.#status !== 204) {
      throw new Error(`a response without Content-Length: ${this.#head.slice(0, end)}`)
    }
    this.#missing = Number(length ?? 0)
    const body = this.#head.slice(end + 4)
    this.#head = ''
    this.#readBody(body.length, body)
  }

  #readBody(size: number, text: string): void {
    this.#missing -= size
    this.#body += text
    if (this.#missing > 0) return
    if (this.#missing < 0) throw new Error('a response is longer than its Content-Length')
    const body = this.#body
    this.#missing = -1
    this.#body = ''
    this.#onResponse(this, this.#status, body)
  }
}
