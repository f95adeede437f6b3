import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Cleanup } from '../../bench/cleanup.ts'
import { ConnectionCutter } from '../../tests/support/connection-cutter.ts'

/** A proxy between the clients and a server. Keeps the server's address across restarts, and breaks connections. */
export class ServerProxy {
  readonly url: string
  /** Current port of the server. Null while it does not listen. */
  port: number | null = null
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  /** Cuts a connection after a number of bytes. */
  readonly cutter = new ConnectionCutter()
  #responsesToDrop = 0

  private constructor(url: string) {
    this.url = url
  }

  static async open(cleanup: Cleanup): Promise<ServerProxy> {
    const server = createServer({ noDelay: true }, (client) => serverProxy.#take(client)).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    const serverProxy = new ServerProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    cleanup.add(() => {
      server.close()
      serverProxy.#cutAll()
    })
    return serverProxy
  }

  /** Lets a number of responses begin and discards them: the clients see a broken connection. */
  dropResponses(count: number): void {
    this.#responsesToDrop = count
  }

  /** Number of responses that are still to be lost. */
  get responsesToDrop(): number {
    return this.#responsesToDrop
  }

  recover(): void {
    this.cutter.disarm()
    this.#responsesToDrop = 0
  }

  #cutAll(): void {
    for (const pair of this.#pairs) destroyPair(pair)
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
      socket.on('error', () => destroyPair(pair))
      socket.on('close', () => this.#pairs.delete(pair))
    }
    this.#pass(client, server, pair)
    this.#pass(server, client, pair)
  }

  #pass(from: Socket, to: Socket, pair: readonly [Socket, Socket]): void {
    from.on('data', (bytes: Buffer) => {
      if (from === pair[1] && this.#responsesToDrop > 0) {
        this.#responsesToDrop--
        destroyPair(pair)
        return
      }
      const passing = this.cutter.pass(bytes)
      if (!to.write(passing)) {
        from.pause()
        to.once('drain', () => from.resume())
      }
      if (passing.length < bytes.length) to.write('', () => destroyPair(pair))
    })
    from.on('close', () => to.destroySoon())
  }
}

/** Immediate: written data may not arrive. */
function destroyPair(pair: readonly [Socket, Socket]): void {
  for (const socket of pair) socket.destroy()
}
