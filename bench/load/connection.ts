import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const BUFFER_BYTES = 128 * 1024
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i

interface Listeners {
  onAnswer: (connection: Connection, status: number, body: string) => void
  onBroken: (error: Error) => void
}

/**
 * One connection that speaks just enough HTTP/1.1: one request in flight, answers with a Content-Length (or 204).
 * Node's own client would take more of the processor than the server that is measured.
 */
export class Connection {
  readonly #socket: Socket
  readonly #onAnswer: Listeners['onAnswer']
  readsBody = false
  #head = ''
  #status = 0
  /** Bytes of the body still to come; -1 while the head is not complete. */
  #missing = -1
  #body = ''

  private constructor(url: string, { onAnswer, onBroken }: Listeners) {
    const { hostname, port } = new URL(url)
    this.#onAnswer = onAnswer
    this.#socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(BUFFER_BYTES),
        callback: (size, buffer) => this.#hear(size, buffer),
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

  #hear(size: number, buffer: Uint8Array): boolean {
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
      throw new Error(`an answer without its length: ${this.#head.slice(0, end)}`)
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
    if (this.#missing < 0) throw new Error('an answer is longer than its length')
    const body = this.#body
    this.#missing = -1
    this.#body = ''
    this.#onAnswer(this, this.#status, body)
  }
}
