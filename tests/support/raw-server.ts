import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Scope } from './test-database.ts'

export interface RawServer {
  url: string
  /** Open connections. */
  sockets: Set<Socket>
  /** Number of accepted connections. */
  created: number
}

/** Responds with arbitrary bytes. A socket that the client closes is no error. */
export async function startRawServer(
  t: Scope,
  answer: (socket: Socket, request: string) => unknown,
): Promise<RawServer> {
  const server = createServer({ noDelay: true }, (socket) => {
    raw.created++
    raw.sockets.add(socket)
    socket.on('close', () => raw.sockets.delete(socket))
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (end === -1 || text.length < end + 4 + length) return
      const request = text
      text = ''
      answer(socket, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const raw: RawServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    sockets: new Set(),
    created: 0,
  }
  t.after(async () => {
    for (const socket of raw.sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return raw
}
