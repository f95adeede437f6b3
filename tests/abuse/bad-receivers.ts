import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { count, keepWriting, pause } from './wire.ts'

/** What a receiver of webhooks does with a connection once something has come on it. */
export type Behaviour = (socket: Socket, signal: AbortSignal) => void | Promise<void>

const CHUNK = Buffer.alloc(64 * 1_024, 'x')
const MUCH = 1_000_000_000
const HEADERS = Buffer.from('x-of-many: and of no meaning\r\n'.repeat(500))
const BEGINNING = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

export const hangs: Behaviour = () => {}

export const answersWithoutEnd: Behaviour = (socket, signal) => {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n')
  return keepWriting(socket, CHUNK, MUCH, signal)
}

export const floodsHeaders: Behaviour = (socket, signal) => {
  socket.write('HTTP/1.1 200 OK\r\n')
  return keepWriting(socket, HEADERS, MUCH, signal)
}

/** Interim answers, of which there may be any number. */
export const answersInterim: Behaviour = (socket, signal) =>
  keepWriting(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500)), MUCH, signal)

export const drips: Behaviour = async (socket, signal) => {
  socket.write(BEGINNING)
  while (!socket.destroyed && !signal.aborted) {
    socket.write('1\r\nx\r\n')
    await pause(50, signal)
  }
}

export const refuses: Behaviour = (socket) => {
  socket.end('HTTP/1.1 500 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
}

/** Listens on this machine until the signal comes. Returns its address. */
export function receive(behaviour: Behaviour, signal: AbortSignal): Promise<string> {
  const server = createServer((socket) => {
    count('webhook connections')
    socket.on('error', () => {})
    socket.once('data', () => void behaviour(socket, signal))
  })
  return listen(server, signal)
}

/** As it should be. */
export const receiveWell = (signal: AbortSignal): Promise<string> =>
  listen(
    createHttpServer((request, response) => {
      count('webhooks')
      request.resume()
      response.writeHead(204).end()
    }),
    signal,
  )

async function listen(server: Server, signal: AbortSignal): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  signal.addEventListener('abort', () => server.close(), { once: true })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
