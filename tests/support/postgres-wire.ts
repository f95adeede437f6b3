/* The part of PostgreSQL's protocol (version 3) that separates statements. */

interface Message {
  /** A letter. Empty for the first message of a connection, which has no type. */
  type: string
  bytes: Buffer
}

/** Splits one direction of a connection into messages, whatever the chunks. */
export class Messages {
  #rest: Buffer = Buffer.alloc(0)
  #typed: boolean

  /** @param from the sender: the first message of a client has no type */
  constructor(from: 'client' | 'server') {
    this.#typed = from === 'server'
  }

  *take(bytes: Buffer): Generator<Message> {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    for (;;) {
      const at = this.#typed ? 1 : 0
      if (this.#rest.length < at + 4) return
      const end = at + this.#rest.readInt32BE(at)
      if (this.#rest.length < end) return
      const type = this.#typed ? String.fromCharCode(this.#rest[0] as number) : ''
      this.#typed = true
      const message = { type, bytes: this.#rest.subarray(0, end) }
      this.#rest = this.#rest.subarray(end)
      yield message
    }
  }
}

/** Messages after which a client waits for a response. Others prepare it. */
export const expectsResponse = (type: string) => !'PBDECH'.includes(type) || type === ''
/** The server has executed a statement. */
export const isDone = (type: string) => type === 'C'
/** The server has responded and is idle. */
export const isAnswered = (type: string) => type === 'Z'

/**
 * Names the statements of one client: by the name under which it is prepared (a number may follow after a slash), else by its comment (`-- name`), else by
 * its first words.
 */
export class StatementNames {
  readonly #prepared = new Map<string, string>()

  /** The statement that these messages execute, up to one that waits for a response. Null for none. */
  of(messages: readonly Message[]): string | null {
    for (const { type, bytes } of messages) {
      const [first = '', second = ''] = bytes.subarray(5).toString('utf8').split('\0', 2)
      if (type === 'Q') return nameOf('', first)
      if (type === 'P') this.#prepared.set(first, nameOf(first, second))
      if (type === 'B') return this.#prepared.get(second) ?? null
    }
    return null
  }
}

function nameOf(name: string, text: string): string {
  const words = text.replaceAll(/\s+/g, ' ').replaceAll(/\d+/g, 'n').trim().slice(0, 60)
  return name.replace(/\/\d+$/, '') || (/^\s*-- (\w+)/.exec(text)?.[1] ?? words)
}

/** A client's message that executes this text. */
export const queryMessage = (text: string): Buffer => messageOf('Q', `${text}\0`)

function messageOf(type: string, content: string): Buffer {
  const body = Buffer.from(content)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** A server's message that a statement failed with this SQLSTATE. */
export function errorMessage(state: string, severity: 'ERROR' | 'PANIC'): Buffer {
  const fields = { S: severity, V: severity, C: state, M: 'a fault of the test' }
  const body = Object.entries(fields).map(([field, value]) => `${field}${value}\0`)
  return messageOf('E', `${body.join('')}\0`)
}
