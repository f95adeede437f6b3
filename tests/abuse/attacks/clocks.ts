import { randomUUID } from 'node:crypto'
import type { Attack, Target } from '../attack.ts'
import { flood, get, onAnswer, post, request } from '../requests.ts'
import { LARGE_CONTRACT, OPEN_CONTRACT, type Stage } from '../stage.ts'
import { ended, open, runConcurrently } from '../wire.ts'

const ON_CLOCK = 60_000
const CLOCKS = 20
const A_BATCH = 1_000
const FROZEN = '2026-01-01T00:00:00.000Z'
const DUE = new Date('2026-01-02T00:00:00Z')
/** More than a server lets wait. */
const LINES = 10_500

async function clockWithClaims(stage: Stage): Promise<Record<string, string>> {
  const { id } = await stage.post('/v1/test_clocks', { frozen_time: FROZEN })
  const clock = id as string
  const claim = await stage.claims({ count: stage.many(ON_CLOCK), dueAt: DUE, testClockId: clock })
  return { clock, claim }
}

/** Advances by a year at a time, so that each has something to do. */
const advance = (target: Target) => {
  let year = 2027
  return () =>
    post(target, `/v1/test_clocks/${target.prepared.clock}/advance`, {
      frozen_time: `${Math.min(year++, 2999)}-01-01T00:00:00Z`,
    })
}

export const clockAttacks: Attack[] = [
  {
    name: 'clock-lines',
    description: 'a clock with 60,000 claims is advanced while 10,500 lines are submitted to it',
    prepare: clockWithClaims,
    run: async (target, signal) => {
      const line = `${JSON.stringify({ claim_id: target.prepared.claim, type: 'note' })}\n`
      const body = line.repeat(LINES / 21)
      const headers = { 'Content-Type': 'application/x-ndjson', 'Content-Length': String(body.length) }
      await Promise.all([
        flood(target, signal, { connections: 1 }, advance(target)),
        runConcurrently(21, signal, async () => {
          const socket = await open(target, signal)
          if (!socket) return
          onAnswer(socket, () => {})
          socket.write(request(target, 'POST', '/v1/events/batch', { headers }) + body)
          socket.on('data', (chunk: Buffer) => {
            if (chunk.includes('\r\n0\r\n\r\n')) socket.destroy()
          })
          await ended(socket, signal)
        }),
      ])
    },
  },
  {
    name: 'clock-creations',
    description: 'a clock with 60,000 claims is advanced while claims are created on it, and listed',
    prepare: clockWithClaims,
    run: async (target, signal) => {
      const { customerId: customer_id } = target.account
      const claim = { customer_id, contract: OPEN_CONTRACT, test_clock_id: target.prepared.clock }
      await Promise.all([
        flood(target, signal, { connections: 1 }, advance(target)),
        flood(target, signal, { connections: 32 }, () => post(target, '/v1/claims', claim)),
        flood(target, signal, { connections: 16 }, () => get(target, '/v1/claims?order=desc')),
      ])
    },
  },
  {
    name: 'clock-candidates',
    description:
      'a clock with 60,000 candidates is advanced while live candidates with their aliases are created',
    prepare: async (stage) => {
      const prefix = randomUUID()
      const { external_id } = await stage.post('/v1/customers', { external_id: 'of candidates' })
      const { id } = await stage.post('/v1/test_clocks', { frozen_time: FROZEN })
      for (let n = 0; n < stage.many(ON_CLOCK / A_BATCH); n++) {
        const candidates = Array.from({ length: A_BATCH }, (_, i) => ({
          candidate_alias: `${prefix}-${n * A_BATCH + i}`,
          customer_uuid: external_id,
          contract: OPEN_CONTRACT,
          test_clock_id: id,
        }))
        await stage.post('/v1/candidates/batch', { candidates })
      }
      return { clock: id as string, prefix, customer: external_id as string }
    },
    run: async (target, signal) => {
      const { prefix, customer } = target.prepared
      const candidate = { customer_uuid: customer, contract: OPEN_CONTRACT }
      await Promise.all([
        flood(target, signal, { connections: 1 }, advance(target)),
        flood(target, signal, { connections: 32 }, (number) =>
          post(target, '/v1/candidates', { ...candidate, candidate_alias: `${prefix}-${number % A_BATCH}` }),
        ),
      ])
    },
  },
  {
    name: 'clock-large-contracts',
    description: 'clocks with 10,000 claims under contracts of 62 KB are advanced again and again',
    prepare: async (stage) => {
      const { id } = await stage.post('/v1/test_clocks', { frozen_time: FROZEN })
      const clock = id as string
      const claims = { count: stage.many(10_000), contract: LARGE_CONTRACT, dueAt: DUE, testClockId: clock }
      await stage.claims(claims)
      return { clock }
    },
    run: (target, signal) => flood(target, signal, { connections: 4 }, advance(target)),
  },
  {
    name: 'clocks-at-once',
    description:
      '20 clocks with 10,000 claims each are advanced at the same time, and others of the account listed',
    prepare: async (stage) => {
      const clocks: string[] = []
      for (let i = 0; i < CLOCKS; i++) {
        const { id } = await stage.post('/v1/test_clocks', { frozen_time: FROZEN })
        await stage.claims({ count: stage.many(10_000), dueAt: DUE, testClockId: id as string })
        clocks.push(id as string)
      }
      return { clocks: clocks.join(' ') }
    },
    run: async (target, signal) => {
      const clocks = (target.prepared.clocks as string).split(' ')
      const advances = clocks.map((clock) =>
        flood(target, signal, { connections: 1 }, advance({ ...target, prepared: { clock } })),
      )
      const lists = flood(target, signal, { connections: 8 }, () => get(target, '/v1/test_clocks?limit=100'))
      await Promise.all([...advances, lists])
    },
  },
  {
    name: 'clock-deletes',
    description: '8 connections delete clocks with 60,000 claims, while others advance them',
    prepare: clockWithClaims,
    run: async (target, signal) => {
      const path = `/v1/test_clocks/${target.prepared.clock}`
      await Promise.all([
        flood(target, signal, { connections: 1 }, advance(target)),
        flood(target, signal, { connections: 8 }, () => request(target, 'DELETE', path)),
      ])
    },
  },
]
