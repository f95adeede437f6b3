import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { eventually } from './eventually.ts'
import type { Scope } from './test-database.ts'

export interface RawConnection {
  socket: Socket
  write: (bytes: string | Buffer) => void
  /** All received data. */
  read: () => string
  /** Resolves when the received data matches. */
  receives: (pattern: RegExp) => Promise<unknown>
  /** Resolves when the server has closed the connection. This side keeps it open. */
  isClosed: () => Promise<unknown>
}

/** A connection whose bytes the test writes itself. This side does not end it before the scope ends. */
export async function connectRaw(
  t: Scope,
  serviceUrl: string,
  options: { localAddress?: string; reads?: boolean } = {},
): Promise<RawConnection> {
  const { hostname, port } = new URL(serviceUrl)
  const { reads = true, ...local } = options
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true, ...local })
  socket.on('error', () => {})
  t.after(async () => void socket.destroy())
  await once(socket, 'connect')
  let text = ''
  let closed = false
  if (reads) {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
  } else socket.pause()
  for (const event of ['end', 'close']) socket.on(event, () => (closed = true))
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    read: () => text,
    receives: (pattern) => eventually(async () => pattern.test(text)),
    isClosed: () => eventually(async () => closed),
  }
}
