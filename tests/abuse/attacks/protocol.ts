import type { Attack, Target } from '../attack.ts'
import { flood, onAnswer, post, request } from '../requests.ts'
import { ended, keepWriting, open, runConcurrently } from '../wire.ts'

const HEADER_BYTES = 15_000
const STREAMED_BYTES = 64 * 1024 * 1024

/** Writes this head and then these bytes again and again, on each of a number of connections. */
const pour = (connections: number, head: (target: Target) => string, bytes: string) =>
  ((target, signal) =>
    runConcurrently(connections, signal, async () => {
      const socket = await open(target, signal)
      if (!socket) return
      onAnswer(socket)
      socket.write(head(target))
      await keepWriting(socket, bytes, STREAMED_BYTES, signal)
      socket.destroy()
    })) satisfies Attack['run']

const chunkedTo = (path: string) => (target: Target) =>
  request(target, 'POST', path, {
    headers: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
  })

const METHODS = ['HEAD', 'OPTIONS', 'TRACE', 'DELETE', 'CONNECT', 'PROPFIND', 'M-SEARCH', 'NONE']
const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version': '13',
}

export const protocolAttacks: Attack[] = [
  {
    name: 'methods',
    description: '32 connections try methods that are not there, CONNECT and an upgrade to WebSocket',
    run: (target, signal) =>
      flood(target, signal, { connections: 32 }, (number) => {
        const method = METHODS[number % METHODS.length] as string
        return number % 9 === 8
          ? request(target, 'GET', '/v1/claims', { headers: UPGRADE })
          : request(target, method, method === 'CONNECT' ? 'example.com:443' : '/v1/claims')
      }),
  },
  {
    name: 'tunnels',
    description: '400 connections ask for an upgrade or a tunnel, and stay',
    run: (target, signal) =>
      runConcurrently(400, signal, async (worker) => {
        const socket = await open(target, signal)
        if (!socket) return
        const upgrade = request(target, 'GET', '/', { headers: UPGRADE })
        socket.write(worker % 2 === 0 ? upgrade : request(target, 'CONNECT', 'example.com:443'))
        socket.write('x'.repeat(10_000))
        await ended(socket, signal)
      }),
  },
  {
    name: 'large-headers',
    description: '32 connections send headers of 15 KB, of thousands of lines, and addresses of 15 KB',
    run: (target, signal) =>
      flood(target, signal, { connections: 32 }, (number) => {
        const headers: Record<string, string> =
          number % 3 === 0
            ? { 'X-Large': 'x'.repeat(HEADER_BYTES) }
            : Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`x${i}`, '']))
        const path = `/v1/claims?search=${'%41'.repeat(HEADER_BYTES / 3)}`
        return number % 3 === 2 ? request(target, 'GET', path) : request(target, 'GET', '/v1/me', { headers })
      }),
  },
  {
    name: 'chunk-extensions',
    description: '16 connections send a chunk whose extensions do not end',
    run: pour(16, (target) => `${chunkedTo('/v1/events')(target)}1;`, 'x'.repeat(4_096)),
  },
  {
    name: 'chunks-of-one-byte',
    description: '16 connections send a body in chunks of one byte',
    run: pour(16, chunkedTo('/v1/events'), '1\r\n \r\n'.repeat(1_000)),
  },
  {
    name: 'trailers',
    description: '16 connections send trailers that do not end',
    run: pour(16, (target) => `${chunkedTo('/v1/events')(target)}2\r\n{}\r\n0\r\n`, 'x: y\r\n'.repeat(500)),
  },
  {
    name: 'expectations',
    description: '400 connections announce a body and wait to be asked for it',
    run: (target, signal) =>
      runConcurrently(400, signal, async () => {
        const socket = await open(target, signal)
        if (!socket) return
        const headers = {
          'Content-Type': 'application/json',
          'Content-Length': '1000000',
          Expect: '100-continue',
        }
        socket.write(request(target, 'POST', '/v1/events', { headers }))
        onAnswer(socket)
        await ended(socket, signal)
      }),
  },
  {
    name: 'ranges',
    description: '32 connections ask for hundreds of ranges of the largest files',
    run: (target, signal) => {
      const Range = `bytes=${Array.from({ length: 500 }, (_, i) => `${i}-`).join(',')}`
      return flood(target, signal, { connections: 32 }, (number) =>
        request(target, 'GET', number % 2 === 0 ? '/docs/js/scalar.js' : '/', {
          token: null,
          headers: { Range },
        }),
      )
    },
  },
  {
    name: 'compressed',
    description: '32 connections send bodies of 1 MB that say they are compressed',
    run: (target, signal) => {
      const headers = { 'Content-Encoding': 'gzip' }
      const body = 'x'.repeat(1_000_000)
      return flood(target, signal, { connections: 32 }, () => post(target, '/v1/events', body, { headers }))
    },
  },
  {
    name: 'health',
    description: '64 connections ask for `/readyz` and `/healthz` without a token',
    run: (target, signal) =>
      flood(target, signal, { connections: 64, depth: 4 }, (number) =>
        request(target, 'GET', number % 4 === 0 ? '/healthz' : '/readyz', { token: null }),
      ),
  },
  {
    name: 'not-found',
    description: '64 connections ask for pages that are not there',
    run: (target, signal) =>
      flood(target, signal, { connections: 64, depth: 4 }, (number) =>
        request(target, 'GET', `/${number}/%2e%2e/etc/passwd`, { token: null }),
      ),
  },
]
