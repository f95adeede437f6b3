import type { Attack } from '../attack.ts'
import { flood, get, post } from '../requests.ts'
import { idsOfHash } from '../same-hash.ts'
import { OPEN_CONTRACT, type Stage } from '../stage.ts'

const LEAVES = 510
const EVENTS = 10_000
const PAYLOAD = { a: { b: { c: { d: { e: 1 } } } } }
const DEEP_FIELD = 'a.b.c.d.e'

/** Every leaf looks at every event, and none is satisfied. */
const HEAVY_CONTRACT = {
  ...OPEN_CONTRACT,
  fulfillment_condition: {
    op: 'OR' as const,
    conditions: Array.from({ length: LEAVES }, (_, i) =>
      i % 2 === 0
        ? { event: 'e', field: DEEP_FIELD, gt: 1_000 + i }
        : { event: 'e', match: { a: { b: { c: { d: { e: -i } } } } } },
    ),
  },
}

const AT = '2026-01-01T00:00:00Z'
/** Just below the limit of a body. */
const SIMULATION = JSON.stringify({
  contract: HEAVY_CONTRACT,
  events: Array.from({ length: 9_000 }, () => ({ type: 'e', at: AT, a: { b: { c: { d: { e: 1 } } } } })),
})

/** One event with a list as large as a body allows, and 500 leaves that compare all of it. */
const LARGE_LIST = Array.from({ length: 400 }, (_, i) => i)
const DEEP_SIMULATION = JSON.stringify({
  contract: {
    ...OPEN_CONTRACT,
    fulfillment_condition: {
      op: 'OR',
      conditions: Array.from({ length: 30 }, (_, i) => ({ event: 'e', match: { list: [...LARGE_LIST, i] } })),
    },
  },
  events: Array.from({ length: 500 }, () => ({ type: 'e', at: AT, list: [...LARGE_LIST, -1] })),
})

const heavyClaim = (stage: Stage) =>
  stage.claims({
    count: 1,
    contract: HEAVY_CONTRACT,
    events: { count: EVENTS - 10, type: 'e', payload: JSON.stringify(PAYLOAD) },
  })

const KEYS = 7_000
const LONG_CONTRACTS = 40
const EVENTS_AT_ONCE = 1_000

/** Of some 60 KiB, which takes long to parse and to make ready. */
const longContract = (n: number) => ({
  ...OPEN_CONTRACT,
  fulfillment_condition: {
    event: 'e',
    match: Object.fromEntries(Array.from({ length: KEYS }, (_, i) => [(n * KEYS + i).toString(36), 1])),
  },
})

const BAD_CONTRACT = {
  ...OPEN_CONTRACT,
  price: -1,
  fulfillment_condition: {
    op: 'AND' as const,
    conditions: Array.from({ length: 200 }, () => ({ event: '', field: 'x', gte: 'one', none: 1 })),
  },
}

const deepJson = (size: number) => '['.repeat(size)
const escapes = (size: number) => `"${'\\u0041'.repeat(size / 6)}"`

/** Of claims that were stored together. */
const nthAfter = (first: string, n: number): string =>
  first.slice(0, 24) + (1 + n).toString(16).padStart(12, '0')

/** Filters and orders that no claim fits, or that many must be looked at for. */
const SPARSE = [
  '/v1/claims?price_from=1000000',
  '/v1/claims?price_from=1000000&sort=due_at&order=desc',
  '/v1/claims?price_from=1000000&sort=status_since&status=OPEN',
  '/v1/claims?price_from=1000000&created_from=2000-01-01T00:00:00Z&clock=live&limit=100',
  '/v1/claims?price_from=1000000&total=true&limit=1',
  '/v1/claims/export?price_from=1000000&sort=due_at',
]

export const longWork: Attack[] = [
  {
    name: 'sparse-lists',
    description: '16 connections ask for lists and exports, of 100,000 claims, with filters that none fits',
    prepare: async (stage) => ({ first: await stage.claims({ count: stage.many(100_000) }) }),
    run: (target, signal) =>
      flood(target, signal, { connections: 16 }, (number) =>
        get(target, SPARSE[number % SPARSE.length] as string),
      ),
  },
  {
    name: 'simulations',
    description: '4 connections simulate 9,000 events against 510 leaves, 1 MiB each time',
    run: (target, signal) =>
      flood(target, signal, { connections: 4 }, () => post(target, '/v1/simulations', SIMULATION)),
  },
  {
    name: 'simulations-of-lists',
    description: '4 connections simulate 500 events whose long lists 30 leaves compare',
    run: (target, signal) =>
      flood(target, signal, { connections: 4 }, () => post(target, '/v1/simulations', DEEP_SIMULATION)),
  },
  {
    name: 'explanations',
    description: '4 connections read the explanation of a claim with 9,990 events and 510 leaves',
    prepare: async (stage) => ({ claim: await heavyClaim(stage) }),
    run: (target, signal) =>
      flood(target, signal, { connections: 4 }, () =>
        get(target, `/v1/claims/${target.prepared.claim}/explanation`),
      ),
  },
  {
    name: 'replays',
    description: '4 connections send again what such a claim has recorded',
    prepare: async (stage) => ({ claim: await heavyClaim(stage) }),
    run: (target, signal) =>
      flood(target, signal, { connections: 4 }, (number) =>
        post(target, `/v1/claims/${target.prepared.claim}/events`, {
          id: `first-${1 + (number % 5_000)}`,
          type: 'e',
          ...PAYLOAD,
        }),
      ),
  },
  {
    name: 'events-to-heavy-claims',
    description: '16 connections submit to 200 claims of 500 leaves and 1,000 events',
    prepare: async (stage) => {
      const events = { count: 1_000, type: 'e', payload: JSON.stringify(PAYLOAD) }
      return {
        claim: await stage.claims({ count: stage.many(200), contract: HEAVY_CONTRACT, events }),
        count: `${stage.many(200)}`,
      }
    },
    run: (target, signal) =>
      flood(target, signal, { connections: 16 }, (number) => {
        const claim = nthAfter(target.prepared.claim as string, number % Number(target.prepared.count))
        return post(target, `/v1/claims/${claim}/events`, {
          type: 'e',
          ...PAYLOAD,
        })
      }),
  },
  {
    name: 'events-of-one-hash',
    description:
      '16 connections submit batches of 500 events, whose ids all have the hash of one in the log, to 200 claims of 5,000 events',
    prepare: async (stage) => {
      const events = { count: stage.many(5_000), type: 'e', payload: '{}' }
      return {
        claim: await stage.claims({ count: stage.many(200), events }),
        count: `${stage.many(200)}`,
      }
    },
    run: (target, signal) => {
      const { claim = '', count } = target.prepared
      const ids = idsOfHash('first-1', 2_000)
      return flood(target, signal, { connections: 16 }, (number) => {
        const claim_id = nthAfter(claim, number % Number(count))
        const from = 500 * (Math.floor(number / Number(count)) % 4)
        const events = ids.slice(from, from + 500).map((id) => ({ claim_id, id, type: 'e' }))
        return post(target, '/v1/events/batch', { events })
      })
    },
  },
  {
    name: 'events-to-long-contracts',
    description:
      '4 connections send batches of 1,000 events, each for another of 1,000 claims under 40 contracts of 62 KB',
    prepare: async (stage) => {
      const firsts: string[] = []
      for (let n = 0; n < LONG_CONTRACTS; n++)
        firsts.push(await stage.claims({ count: stage.many(25), contract: longContract(n) }))
      return { firsts: firsts.join(), count: `${stage.many(25)}` }
    },
    run: (target, signal) => {
      const { firsts = '', count } = target.prepared
      const claims = firsts
        .split(',')
        .flatMap((first) => Array.from({ length: Number(count) }, (_, i) => nthAfter(first, i)))
      const events = Array.from({ length: EVENTS_AT_ONCE }, (_, i) => ({
        claim_id: claims[i % claims.length],
        type: 'e',
      }))
      const minimal = { headers: { Prefer: 'return=minimal' } }
      return flood(target, signal, { connections: 4 }, () =>
        post(target, '/v1/events/batch', { events }, minimal),
      )
    },
  },
  {
    name: 'bad-contracts',
    description: '4 connections send batches of 600 contracts with 800 faults each, 6 MB each time',
    run: (target, signal) => {
      const claim = { customer_id: target.account.customerId, contract: BAD_CONTRACT }
      const body = JSON.stringify({ claims: Array.from({ length: 600 }, () => claim) })
      return flood(target, signal, { connections: 4 }, () => post(target, '/v1/claims/batch', body))
    },
  },
  {
    name: 'deep-json',
    description: '4 connections send batches of 8 MB of opening brackets',
    run: (target, signal) => {
      const bytes = `{"events":[${deepJson(8_000_000)}`
      return flood(target, signal, { connections: 4 }, () => post(target, '/v1/events/batch', bytes))
    },
  },
  {
    name: 'wide-json',
    description: '4 connections send batches of 8 MB of escapes, small numbers and keys',
    run: (target, signal) => {
      const bodies = [
        `{"events":[${escapes(7_999_980)}]}`,
        `{"events":[{"a":[${'1e1,'.repeat(1_990_000)}1]}]}`,
        `{"events":[{${Array.from({ length: 500_000 }, (_, i) => `"k${i}":0`).join(',')}}]}`,
        `{"events":[${'{},'.repeat(2_600_000)}{}]}`,
      ]
      return flood(target, signal, { connections: 4 }, (number) =>
        post(target, '/v1/events/batch', bodies[number % bodies.length]),
      )
    },
  },
]
