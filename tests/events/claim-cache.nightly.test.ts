import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { collectGarbage } from '../support/collect-garbage.ts'
import { all, contractWith } from '../support/contracts.ts'
import { openState } from '../support/source/claims.ts'
import type { Condition } from '../support/source/contracts.ts'
import { addIds, ClaimCache, newSnapshot, toClaimToDecide } from '../support/source/decisions.ts'

/* The claim cache stays within its memory for any claims within the limits of §8. */

const MIB = 1024 * 1024
/** The cache estimates its size, up to 14 MiB. The estimate may be off, but not by a factor of two. */
const MAX_GROWTH_MIB = 28

/** The cache counts a snapshot without names as this, and 12 for each hash. */
const SNAPSHOT_BYTES = 1_200

function heapMib(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / MIB
}

interface Kind {
  condition: () => Condition
  events: number
  idLength: number
  /** Numbers of events that the condition looks at. */
  decisive?: readonly number[]
  /** With names that callers chose, of the most characters. */
  isNamed?: boolean
}

const MAX_NAME_LENGTH = 255

/** A claim as it is read from the database, of which nothing is shared with another but the contract's text. */
function claimOf({
  condition,
  events,
  idLength,
  decisive = [],
  isNamed = false,
}: Kind): Parameters<typeof newSnapshot>[0] {
  const contract = contractWith({ fulfillment_condition: condition() })
  const now = new Date()
  const { status, scheduledOutcome, statusSince, dueAt } = openState(contract, now)
  const name = () => (isNamed ? randomUUID().padEnd(MAX_NAME_LENGTH, '€') : null)
  return toClaimToDecide({
    id: randomUUID(),
    user_id: randomUUID(),
    customer_id: randomUUID(),
    customer_external_id: name(),
    reference: null,
    candidate_alias: name(),
    contract: JSON.stringify(contract),
    status,
    scheduled_outcome: scheduledOutcome,
    status_since: statusSince,
    due_at: dueAt,
    event_count: events,
    log_bytes: 0,
    review_start: null,
    remaining_ms: null,
    clock_since: null,
    schema_id: null,
    schema_version: null,
    test_clock_id: null,
    created_at: now,
    reminders: null,
    is_read: true,
    digest: null,
    last_at: now,
    ids: Array.from({ length: events }, () => randomUUID().padEnd(idLength, '€')),
    decisive: decisive.map((a) => ({ type: 'a', system: false, payload: { a } })),
  })
}

const leaf = () => ({ event: randomUUID() })
const leaves = (count: number) => () => all(...Array.from({ length: count }, leaf))
const shared = { event: 'a', gte: 1 }
/** A number satisfies as many leaves. */
const rising = all(...Array.from({ length: 505 }, (_, i) => ({ event: 'a', field: 'a', gt: i })))
const manyObjects = () => ({ ...leaf(), match: { a: Array.from({ length: 600 }, () => ({})) } })
const manyKeys = () => ({
  ...leaf(),
  match: Object.fromEntries(Array.from({ length: 150 }, () => [randomUUID().slice(0, 6), 1])),
})

for (const [what, kind, count] of [
  ['with the largest contracts', { condition: leaves(500), events: 0, idLength: 36 }, 1_000],
  ['with the longest ids of events', { condition: leaves(1), events: 1_000, idLength: 255 }, 400],
  ['of the common kind', { condition: () => shared, events: 10, idLength: 36 }, 16_000],
  ['with short contracts of their own', { condition: leaves(2), events: 10, idLength: 36 }, 16_000],
  ['with contracts of 2,000 characters', { condition: leaves(36), events: 1, idLength: 36 }, 16_000],
  ['with contracts of many small objects', { condition: manyObjects, events: 1, idLength: 36 }, 4_000],
  [
    'with many satisfied leaves',
    { condition: () => rising, events: 1, idLength: 36, decisive: [500] },
    16_000,
  ],
  [
    'with some satisfied leaves',
    { condition: () => rising, events: 1, idLength: 36, decisive: [260] },
    16_000,
  ],
  ['with contracts of many keys', { condition: manyKeys, events: 1, idLength: 36 }, 4_000],
] as const) {
  test(`snapshots of claims ${what} stay within their memory`, () => {
    const before = heapMib()
    const cache = new ClaimCache()
    for (let i = 0; i < count; i++) cache.set(newSnapshot(claimOf(kind)))
    const grown = heapMib() - before
    assert.ok(grown < MAX_GROWTH_MIB, `${count} claims grew the heap by ${Math.round(grown)} MiB`)
    assert.equal(cache.get('none'), undefined)
  })
}

test('the names of candidates are counted', () => {
  const before = heapMib()
  const cache = new ClaimCache()
  const kind = { condition: () => shared, events: 1, idLength: 36, isNamed: true }
  for (let i = 0; i < 16_000; i++) cache.set(newSnapshot(claimOf(kind)))
  const grown = heapMib() - before
  assert.ok(grown < MAX_GROWTH_MIB, `the heap grew by ${grown.toFixed(1)} MiB`)
  assert.equal(cache.get('none'), undefined)
})

test('snapshots of claims of one account hold once what is the same, and no more hashes than they have events', () => {
  const [userId, customerId] = [randomUUID(), randomUUID()]
  const anew = (text: string) => Buffer.from(text).toString()
  const before = heapMib()
  const cache = new ClaimCache()
  for (let i = 0; i < 8_000; i++) {
    const { claim, ...rest } = claimOf({ condition: () => shared, events: 0, idLength: 36 })
    const { createdAt } = claim
    const times = { statusSince: new Date(createdAt), lastAt: new Date(createdAt) }
    const ids = { userId: anew(userId), customerId: anew(customerId), status: anew('OPEN') as 'OPEN' }
    const snapshot = newSnapshot({
      ...rest,
      claim: { ...claim, ...ids, statusSince: times.statusSince },
      lastAt: times.lastAt,
    })
    cache.set(snapshot)
    for (let event = 0; event < 8; event++) addIds(snapshot, [randomUUID()])
  }
  const each = ((heapMib() - before) * MIB) / 8_000
  assert.ok(each < SNAPSHOT_BYTES, `each takes ${Math.round(each)} bytes`)
  assert.equal(cache.get('none'), undefined)
})

const kept = (cache: ClaimCache, kind: Kind, count: number): number => {
  const created = Array.from({ length: count }, () => newSnapshot(claimOf(kind)))
  for (const snapshot of created) cache.set(snapshot)
  return created.filter(({ claim }) => cache.get(claim.id)).length
}

test('a long contract is counted once for all claims under it', () => {
  const condition = leaves(300)()
  assert.equal(kept(new ClaimCache(), { condition: () => condition, events: 1, idLength: 36 }, 5_000), 5_000)
})

test('a contract is counted no more when the last snapshot under it has gone', () => {
  const cache = new ClaimCache()
  for (let i = 0; i < 500; i++) {
    const snapshot = newSnapshot(claimOf({ condition: leaves(300), events: 0, idLength: 36 }))
    cache.set(snapshot)
    if (i % 2 === 0) cache.delete(snapshot.claim.id)
  }
  assert.equal(kept(cache, { condition: () => shared, events: 1, idLength: 36 }, 5_000), 5_000)
})
