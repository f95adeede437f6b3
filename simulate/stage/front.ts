import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Cleanup } from '../../bench/cleanup.ts'
import { ByteFuse } from '../../tests/support/byte-fuse.ts'

/**
 * Stands between the clients and a server: keeps the server's address over its restarts, and breaks connections.
 */
export class Front {
  readonly url: string
  /** Where the server listens now; null while it does not. */
  port: number | null = null
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  /** Breaks the connection over which a byte passes. */
  readonly fuse = new ByteFuse()
  #answersToLose = 0

  private constructor(url: string) {
    this.url = url
  }

  static async open(cleanup: Cleanup): Promise<Front> {
    const server = createServer({ noDelay: true }, (client) => front.#take(client)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const front = new Front(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    cleanup.add(() => {
      server.close()
      front.#cutAll()
    })
    return front
  }

  /** Lets a number of answers begin and discards them: the client sees a broken connection. */
  loseAnswers(count: number): void {
    this.#answersToLose = count
  }

  /** How many answers are still to be lost. */
  get answersToLose(): number {
    return this.#answersToLose
  }

  calm(): void {
    this.fuse.putOut()
    this.#answersToLose = 0
  }

  #cutAll(): void {
    for (const pair of this.#pairs) breakOff(pair)
  }

  #take(client: Socket): void {
    if (this.port === null) {
      client.destroy()
      return
    }
    const server = connect({ port: this.port, host: '127.0.0.1', noDelay: true })
    const pair = [client, server] as const
    this.#pairs.add(pair)
    for (const socket of pair) {
      socket.on('error', () => breakOff(pair))
      socket.on('close', () => this.#pairs.delete(pair))
    }
    this.#pass(client, server, pair)
    this.#pass(server, client, pair)
  }

  #pass(from: Socket, to: Socket, pair: readonly [Socket, Socket]): void {
    from.on('data', (bytes: Buffer) => {
      if (from === pair[1] && this.#answersToLose > 0) {
        this.#answersToLose--
        breakOff(pair)
        return
      }
      const passing = this.fuse.pass(bytes)
      if (!to.write(passing)) {
        from.pause()
        to.once('drain', () => from.resume())
      }
      if (passing.length < bytes.length) to.write('', () => breakOff(pair))
    })
    from.on('close', () => to.destroySoon())
  }
}

/** At once: what was written may not arrive. */
function breakOff(pair: readonly [Socket, Socket]): void {
  for (const socket of pair) socket.destroy()
}
