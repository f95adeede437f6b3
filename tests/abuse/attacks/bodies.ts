import type { Attack } from '../attack.ts'
import { flood, onAnswer, post, request } from '../requests.ts'
import { ended, keepWriting, open, runConcurrently } from '../wire.ts'

const MEGABYTE = 1024 * 1024

/** Sends a body all but its last byte, on each of a number of connections, and waits. */
const heldBodies = (connections: number, path: string, size: number, token?: null) =>
  ((target, signal) =>
    runConcurrently(connections, signal, async () => {
      const socket = await open(target, signal)
      if (!socket) return
      const headers = { 'Content-Type': 'application/json', 'Content-Length': String(size) }
      socket.write(request(target, 'POST', path, { headers, ...(token === null ? { token } : {}) }))
      socket.write(Buffer.alloc(size - 1, ' '))
      onAnswer(socket)
      await ended(socket, signal)
      socket.destroy()
    })) satisfies Attack['run']

export const bodyAttacks: Attack[] = [
  {
    name: 'held-batches',
    description: '60 connections send 8 MiB of a batch but for its last byte, and wait',
    run: heldBodies(60, '/v1/events/batch', 8 * MEGABYTE),
  },
  {
    name: 'held-bodies-without-token',
    description: '400 connections send 1 MiB of a sign-in but for its last byte, without a token, and wait',
    run: heldBodies(400, '/api/auth/sign-in/email', MEGABYTE, null),
  },
  {
    name: 'bodies-and-leave',
    description: '30 connections send most of a batch of 8 MiB and reset, again and again',
    run: (target, signal) =>
      runConcurrently(30, signal, async () => {
        const socket = await open(target, signal)
        if (!socket) return
        const headers = { 'Content-Type': 'application/json', 'Content-Length': String(8 * MEGABYTE) }
        socket.write(request(target, 'POST', '/v1/events/batch', { headers }))
        await keepWriting(socket, Buffer.alloc(64 * 1024, ' '), 7 * MEGABYTE, signal)
        socket.resetAndDestroy()
      }),
  },
  {
    name: 'long-strings',
    description: '16 connections send strings of 1 MB where names, times and emails belong',
    run: (target, signal) => {
      const long = 'x@'.repeat(500_000)
      const bodies: [string, object][] = [
        ['/v1/candidates', { candidate_alias: long, customer_uuid: long, contract: {} }],
        ['/v1/test_clocks', { frozen_time: `2026-01-01T00:00:00.${'0'.repeat(1_000_000)}Z` }],
        ['/v1/events', { claim_id: long, type: 'note' }],
        ['/api/auth/sign-in/email', { email: long, password: 'x' }],
        ['/v1/simulations', { schema_id: long, events: [], opened_at: long }],
        ['/v1/invitations', { email: long }],
      ]
      return flood(target, signal, { connections: 16 }, (number) => {
        const [path, body] = bodies[number % bodies.length] as [string, object]
        return post(target, path, body)
      })
    },
  },
  {
    name: 'full-batches',
    description: '16 connections send batches of 30 payloads of 255 KiB again and again',
    prepare: async (stage) => ({ first: await stage.claims({ count: 1_000 }) }),
    run: (target, signal) => {
      const prefix = (target.prepared.first as string).slice(0, 24)
      const events = Array.from({ length: 30 }, (_, i) => ({
        claim_id: `${prefix}${(1 + i).toString(16).padStart(12, '0')}`,
        type: 'note',
        text: 'x'.repeat(255 * 1024),
      }))
      const body = JSON.stringify({ events })
      return flood(target, signal, { connections: 16 }, () => post(target, '/v1/events/batch', body))
    },
  },
]
