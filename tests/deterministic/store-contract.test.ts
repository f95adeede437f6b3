import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { type Fixtures, postgres, type Side, storeWith } from './both-stores.ts'
import { ACTIVITY_SECONDS, REVIEW_SECONDS } from './records.ts'
import { type Call, callsOn, NOT_COMPARED, perform } from './statement-calls.ts'
import type { StoredClaim } from './store.ts'

/* The store is compared with PostgreSQL: the same calls give the same results, except for the time of day. */

const uuid = (n: number) => `00000000-0000-4000-8000-0000000000${n}`
const [A, B] = [uuid(10), uuid(11)]
const START = new Date(Math.floor(Date.now() / 1_000) * 1_000)
const TEN_MINUTES_MS = 600_000
const DAY_MS = 86_400_000

const clocks = [
  { id: uuid(20), userId: A, frozenTime: new Date('2040-01-01T00:00:00.123Z') },
  { id: uuid(21), userId: A, frozenTime: new Date('2050-06-01T00:00:00Z') },
  { id: uuid(22), userId: B, frozenTime: new Date('2019-01-01T00:00:00Z') },
]
const claim = (n: number, userId: string, more: Partial<StoredClaim> = {}): StoredClaim => {
  const createdAt = clocks.find(({ id }) => id === more.testClockId)?.frozenTime ?? START
  return {
    id: uuid(n),
    userId,
    alias: null,
    contract: {
      price: 1,
      activity_window: ACTIVITY_SECONDS * 20,
      review_window: REVIEW_SECONDS * 10,
      fulfillment_condition: { op: 'AND', conditions: [{ event: 'a' }, { event: 'b' }] },
      timeout_outcome: n % 2 ? 'fail' : 'confirm',
    },
    decisiveTypes: ['a', 'b'],
    status: 'OPEN',
    outcome: null,
    since: createdAt,
    dueAt: new Date(createdAt.getTime() + ACTIVITY_SECONDS * 20_000),
    eventCount: 0,
    logBytes: 0,
    testClockId: null,
    createdAt,
    log: [],
    digest: null,
    lastEventAt: null,
    reviewStart: null,
    decidedCount: null,
    ...more,
  }
}
const reversible = (n: number, userId: string, more: Partial<StoredClaim> = {}): StoredClaim => {
  const { contract, ...rest } = claim(n, userId, { decidedCount: 0, ...more })
  const review = { reversal_condition: { event: 'noise' } }
  return { ...rest, contract: { ...contract, review }, decisiveTypes: ['a', 'b', 'noise'] }
}
const fixtures: Fixtures = {
  clocks,
  mark: new Date(START.getTime() + 15 * 60_000),
  claims: [
    claim(30, A),
    claim(31, A),
    claim(32, B, { alias: 'alias' }),
    claim(33, A, { logBytes: 64 * 1024 - 150 }),
    claim(34, A, { testClockId: uuid(20) }),
    claim(35, A, { testClockId: uuid(21) }),
    claim(36, B, { testClockId: uuid(22) }),
    reversible(37, A),
    reversible(38, A, { logBytes: 64 * 1024 - 150 }),
    reversible(40, A, { testClockId: uuid(20) }),
  ],
}
const names = { claims: [...fixtures.claims.map(({ id }) => id), uuid(39)], clocks, start: START }

const ALL: Call = { call: 'read', claims: names.claims, named: [], most: 1_000_000 }

test('the same calls give the same results on the store and on PostgreSQL', async (t) => {
  const openPostgres = await postgres({ after })
  let calls = 0
  const compare = async (history: Call[]) => {
    const sides = [await openPostgres(fixtures), storeWith(fixtures)] as const
    const held = { claims: false, test_clocks: false }
    for (const call of history) {
      if (call.call === 'hold' && (held.claims || held.test_clocks)) continue
      if (call.call.startsWith('append') && held.claims) continue
      if (call.call === 'hold') held[call.table] = true
      if (call.call === 'release') Object.assign(held, { claims: false, test_clocks: false })
      const [real, ours] = [await answerOf(sides[0], call), await answerOf(sides[1], call)]
      assert.deepEqual(ours, real, `${JSON.stringify(call)}`)
      if (real !== NOT_COMPARED) calls++
    }
    await sides[0].release()
    await sides[1].release()
    assert.deepEqual(await answerOf(sides[1], ALL), await answerOf(sides[0], ALL))
  }
  // Both sides share a contract cache: fill it first.
  await perform(storeWith(fixtures), ALL, names)
  await fc.assert(fc.asyncProperty(callsOn(names), compare), {
    numRuns: Number(process.env.DETERMINISTIC_RUNS ?? 20),
    // A difference may make a call wait: limit the time of shrinking.
    ...(process.env.DETERMINISTIC_RUNS ? {} : { interruptAfterTimeLimit: 60_000 }),
    includeErrorInReport: true,
  })
  t.diagnostic(`${calls} calls compared`)
})

const answerOf = async (side: Side, call: Call): Promise<unknown> =>
  comparable(await perform(side, call, names).catch((error) => error.code ?? error))

/** Rounds times of today to ten minutes, and sorts events that were read together. */
function comparable(value: unknown): unknown {
  if (value instanceof Date) {
    const ms = value.getTime() - START.getTime()
    return Math.abs(ms) > DAY_MS ? value : `${Math.round(ms / TEN_MINUTES_MS)} × 10 min`
  }
  // The id of a system event: the database generates it.
  if (typeof value === 'string' && GENERATED_ID.test(value)) return 'generated'
  if (value instanceof Map) return [...value].map(comparable).sort(byJson)
  if (value instanceof Set) return [...value].sort()
  if (Array.isArray(value)) return value.map(comparable)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, of]) => [
      name,
      LISTS.has(name) ? [...of].map(comparable).sort(byJson) : comparable(of),
    ]),
  )
}

const GENERATED_ID = /^generated-|^\w{8}-\w{4}-4\w{3}-[89ab]\w{3}-(?!0{10})\w{12}$/
const LISTS = new Set(['eventIds', 'decisiveEvents'])
const byJson = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
