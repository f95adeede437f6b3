import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Scope } from './test-database.ts'

/** When to break a connection over which a statement passes. */
type Cut =
  | 'before it reaches the database'
  | 'after it took effect, before the answer'
  /** Nothing passes over the connection any more, in either direction, and nobody is told. */
  | 'silently'

export interface CuttingProxy {
  /** The database's URL by way of the proxy. */
  url: string
  /**
   * Breaks, once, the connection of the next statement that contains the text, after so many others; then stays down if
   * told so.
   */
  cutNext: (text: string, cut: Cut, options?: { staysDown?: boolean; after?: number }) => void
  /** Called before each statement that contains the text is passed on, which waits for what it returns; null ends it. */
  onStatement: (text: string, listener: (() => unknown) | null) => void
  /** Whether what `cutNext` asked for has happened. */
  hasCut: () => boolean
  /** Takes no new connections. */
  goDown: () => void
  /** Takes connections again. */
  comeBack: () => void
}

/** Stands between the service and the database, to break their connection at the worst moments. */
export async function startCuttingProxy(t: Scope, databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let next: { text: string; cut: Cut; staysDown: boolean; after: number } | null = null
  let down = false
  const listeners = new Map<string, () => unknown>()

  const server = createServer((client) => {
    if (down) {
      client.destroy()
      return
    }
    const database = connect(Number(target.port), target.hostname)
    const breakOff = () => {
      client.destroy()
      database.destroy()
    }
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', breakOff)
      socket.on('close', () => {
        sockets.delete(socket)
        breakOff()
      })
    }
    let cutAtAnswer = false
    let silent = false
    client.on('data', async (bytes) => {
      const heard = [...listeners].find(([text]) => bytes.includes(text))
      // The driver sends nothing more before the answer.
      if (heard) await heard[1]()
      if (next && bytes.includes(next.text) && next.after-- === 0) {
        const { cut, staysDown } = next
        next = null
        down = staysDown
        if (cut === 'before it reaches the database') return breakOff()
        silent = cut === 'silently'
        cutAtAnswer = !silent
      }
      if (!silent) database.write(bytes)
    })
    database.on('data', (bytes) => {
      if (cutAtAnswer) breakOff()
      else if (!silent) client.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cutNext: (text, cut, { staysDown = false, after = 0 } = {}) => {
      next = { text, cut, staysDown, after }
    },
    onStatement: (text, listener) => {
      if (listener) listeners.set(text, listener)
      else listeners.delete(text)
    },
    hasCut: () => next === null,
    goDown: () => {
      down = true
    },
    comeBack: () => {
      down = false
    },
  }
}
