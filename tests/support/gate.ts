import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Scope } from './test-database.ts'

export interface Gate {
  url: string
  /** Cuts all connections, and new ones at once. */
  close: () => void
  /** Accepts connections, to this server from now on. */
  open: (to?: string) => void
}

/** A proxy to a server that can be closed, as if the server had gone. */
export async function startGate(t: Scope, url: string): Promise<Gate> {
  const sockets = new Set<Socket>()
  let isOpen = true
  let target = new URL(url)
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((caller) => {
    if (!isOpen) return void caller.on('error', () => {}).destroy()
    const onward = connect(Number(target.port), target.hostname)
    for (const socket of [caller, onward]) keep(socket)
    caller.pipe(onward).pipe(caller)
    caller.on('close', () => onward.destroy())
    onward.on('close', () => caller.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    cutAll()
    await once(server.close(), 'close')
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      isOpen = false
      cutAll()
    },
    open: (to) => {
      if (to !== undefined) target = new URL(to)
      isOpen = true
    },
  }
}
