import fc from 'fast-check'
import { namedEvents } from '../support/named-events.ts'
import {
  EventLog,
  findArchivedClaims,
  findFreeTestClocks,
  hashOfId,
  holdTotalsBefore,
  readEvents,
  readLongLog,
  satisfied,
  stateAt,
  takeBackTotals,
  writeDigest,
} from '../support/source/claims.ts'
import {
  type Append,
  appendEvents,
  appendExtendedEvents,
  type ClaimToDecide,
  DueIdMerge,
  decideGroups,
  dueBy,
  type ExtendedAppend,
  listDue,
  lockShards,
  moveGroups,
  readClaimsToDecide,
  readClocks,
  readDueGroups,
  type TimeSource,
} from '../support/source/decisions.ts'
import type { Side } from './both-stores.ts'

export type Call =
  | { call: 'read'; claims: string[]; named: string[]; most: number }
  | { call: 'append'; to: AppendTo[]; by: string | null; inTransaction: 'none' | 'COMMIT' | 'ROLLBACK' }
  | { call: 'append extended'; to: AppendTo[] }
  | { call: 'clocks'; by: string | null }
  | { call: 'find'; claim: string; id: string; bytes: number }
  | { call: 'read long'; claim: string }
  | { call: 'archived'; claims: string[] }
  | { call: 'free clocks' }
  | { call: 'hold'; table: 'claims' | 'test_clocks'; id: string }
  | { call: 'due' | 'mark'; minutes: number }
  | { call: 'move' | 'release' }

interface AppendTo {
  claim: string
  /** By what was read first of it, or last. */
  isStale: boolean
  /** The log's last time is later than the clock. */
  isAhead: boolean
  settles: boolean
  hasNoDigest: boolean
  events: { id: string; type: string; value: number }[]
}

interface Names {
  claims: readonly string[]
  clocks: readonly { userId: string; id: string }[]
  start: Date
}

export const NOT_COMPARED = 'not compared'

export function callsOn({ claims, clocks }: Names): fc.Arbitrary<Call[]> {
  const claim = fc.constantFrom(...claims)
  const id = fc.constantFrom('1', '2', '3', '4')
  const is = <const T extends string>(call: T) => ({ call: fc.constant(call) })
  const value = fc.nat({ max: 1 })
  const type = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('a', 'b', 'noise') },
    { weight: 1, arbitrary: fc.constant('bomb') },
  )
  const to = fc.record({
    claim,
    isStale: fc.nat({ max: 4 }).map((n) => n === 0),
    isAhead: fc.nat({ max: 4 }).map((n) => n === 0),
    settles: fc.nat({ max: 3 }).map((n) => n === 0),
    hasNoDigest: fc.nat({ max: 3 }).map((n) => n === 0),
    events: fc.array(fc.record({ id, type, value }), { minLength: 1, maxLength: 3 }),
  })
  const append = fc.record({
    ...is('append'),
    to: fc.uniqueArray(to, { minLength: 1, maxLength: 4, selector: ({ claim }) => claim }),
    by: fc.constantFrom(null, null, ...clocks.map(({ userId }) => userId)),
    inTransaction: fc.constantFrom('none' as const, 'none' as const, 'COMMIT' as const, 'ROLLBACK' as const),
  })
  const clocksOf = fc.record({
    ...is('clocks'),
    by: fc.constantFrom(null, ...clocks.map(({ userId }) => userId)),
  })
  const minutes = fc.constantFrom(-5, 5, 25, 45, 6_000)
  const hold = fc.oneof(
    fc.record({ ...is('hold'), table: fc.constant('claims' as const), id: claim }),
    fc.record({
      ...is('hold'),
      table: fc.constant('test_clocks' as const),
      id: fc.constantFrom(...clocks.map(({ id }) => id)),
    }),
  )
  const call: fc.Arbitrary<Call> = fc.oneof(
    fc.record({
      ...is('read'),
      claims: fc.subarray([...claims]),
      named: fc.array(id),
      // Contracts have about 200 bytes, and logs 100 an event.
      most: fc.constantFrom(30, 80, 205, 450, 1_000, 1_000_000),
    }),
    append,
    append,
    append.map(({ to }) => ({ call: 'append extended' as const, to })),
    clocksOf,
    fc.record({ ...is('find'), claim, id, bytes: fc.constantFrom(11, 11, 12) }),
    fc.record({ ...is('read long'), claim }),
    fc.record({ ...is('archived'), claims: fc.subarray([...claims]) }),
    fc.record(is('free clocks')),
    hold,
    fc.record({ call: fc.constantFrom('due' as const, 'due' as const, 'mark' as const), minutes }),
    fc.record({ call: fc.constantFrom('move' as const, 'release' as const) }),
  )
  return fc.array(call, { minLength: 1, maxLength: 30, size: 'max' })
}

/** What it answers; an error as its SQLSTATE. */
export async function perform(side: Side, call: Call, { clocks, start }: Names): Promise<unknown> {
  const { db } = side
  const at = (minutes: number) => new Date(start.getTime() + minutes * 60_000)
  switch (call.call) {
    case 'read': {
      const { claims, oversized } = await readClaimsToDecide(
        db,
        namedEvents(call.claims, call.named),
        call.most,
      )
      return [remember(side, [...claims]), [...oversized].sort()]
    }
    case 'append':
      return append(side, call, at(10_000))
    case 'append extended':
      return appendExtended(side, call, at(10_000))
    case 'clocks': {
      const { by } = call
      const of = clocks.filter(({ userId }) => userId === by)
      const claims = of.map(({ userId, id }) => ({ userId, testClockId: id }))
      const read = await readClocks(db, claims, by === null ? LIVE : { kind: 'test clocks', userId: by })
      return [read.clocks, read.subscribers]
    }
    case 'find':
      return readEvents(db, [{ claimId: call.claim, id: call.id, payloadBytes: call.bytes }])
    case 'read long': {
      const found: unknown[] = []
      const onDecisive = async (events: unknown[]) => void found.push(events)
      await readLongLog(db, call.claim, { onClaim: (claim) => found.push(claim), onDecisive })
      return found
    }
    case 'archived':
      return findArchivedClaims(db, call.claims)
    case 'free clocks':
      return (
        await findFreeTestClocks(db, [...clocks, { userId: clocks[0]?.userId as string, id: GONE }])
      ).sort()
    case 'hold':
      return side.hold(call.table, call.id)
    case 'release':
      return side.release()
    case 'due':
      return readDue(side, at(call.minutes))
    case 'move': {
      const moves = side.moves.splice(0)
      if (moves.length === 0) return 0
      return db.distribution.isOn
        ? db.transaction((connection) => moveGroups(connection, moves, 20))
        : moveGroups(db, moves, 20)
    }
    case 'mark':
      return [await holdTotalsBefore(db, at(call.minutes)), await takeBackTotals(db, at(call.minutes))]
  }
}

const LIVE = { kind: 'live' } as const
const GONE = '00000000-0000-4000-8000-0000000000ff'

function remember({ seen }: Side, found: ClaimToDecide[]): ClaimToDecide[] {
  for (const one of found) seen.set(one.claim.id, [...(seen.get(one.claim.id) ?? []), one])
  return found.sort((a, b) => (a.claim.id < b.claim.id ? -1 : 1))
}

async function append({ db, seen }: Side, { to, by, inTransaction }: Call & { call: 'append' }, ahead: Date) {
  const appends = to.flatMap(({ claim, isStale, isAhead, settles, hasNoDigest, events }): Append[] => {
    const read = seen.get(claim)?.at(isStale ? 0 : -1)
    const isThere =
      by === null ? read?.claim.testClockId === null : read?.claim.userId === by && read?.claim.testClockId
    if (!read || !isThere || read.claim.contract.review) return []
    const written = events.map(({ value, ...submission }) => ({
      submission,
      payloadJson: `{"value":${value}}`,
    }))
    const lastAt = isAhead ? ahead : read.lastAt
    const becomes = settles ? satisfied(read.claim.contract) : null
    const digest = settles || hasNoDigest ? null : digestWith(read, events)
    return [{ seen: read.claim, lastAt, events: written, bytes: 11 * events.length, digest, becomes }]
  })
  if (appends.length === 0) return NOT_COMPARED
  const time: TimeSource = by === null ? LIVE : { kind: 'test clocks', userId: by }
  if (inTransaction === 'none') return appendEvents(db, appends, time)
  await db.query({ text: 'BEGIN' })
  const result = await appendEvents(db, appends, time).catch((error) => error.code)
  await db.query({ text: inTransaction })
  return result
}

/** Of claims on any clock: the times are given. */
async function appendExtended({ db, seen }: Side, { to }: Call & { call: 'append extended' }, ahead: Date) {
  const appends = to.flatMap(({ claim, isStale, isAhead, settles, events }): ExtendedAppend[] => {
    const read = seen.get(claim)?.at(isStale ? 0 : -1)
    if (read?.claim.contract.review === undefined) return []
    const at = isAhead ? ahead : read.lastAt
    const eventCount = read.claim.eventCount + events.length
    return [
      {
        seen: read.claim,
        becomes: {
          ...read.claim,
          ...(settles ? { ...stateAt(satisfied(read.claim.contract), at), reviewStart: eventCount } : {}),
          eventCount,
          logBytes: read.claim.logBytes + 11 * events.length,
        },
        reminderTimes: null,
        at,
        events: events.map(({ value, ...submission }) => ({
          submission,
          payloadJson: `{"value":${value}}`,
          lateMs: isAhead ? 5 : null,
        })),
        notifications: [],
      },
    ]
  })
  return appends.length === 0 ? NOT_COMPARED : appendExtendedEvents(db, appends, new Set())
}

/** Of the log that was read and these, all of which count as satisfying nothing. */
function digestWith({ claim, digest, eventIds }: ClaimToDecide, events: readonly { id: string }[]) {
  const { fulfillment_condition: condition } = claim.contract
  const hashes = digest?.idHashes ?? eventIds.map(hashOfId)
  return writeDigest(
    condition,
    new EventLog(condition),
    hashes,
    events.map(({ id }) => id),
  )
}

/** Returns the groups claim by claim: their boundaries depend on milliseconds. */
async function readDue(side: Side, checkTime: Date): Promise<unknown> {
  await side.db.query({ text: 'BEGIN' })
  const turns = await lockShards(side.db, [0], 1)
  const within = dueBy(checkTime)
  const first = await listDue(side.db, checkTime, within, 3)
  const second = await listDue(side.db, checkTime, { after: first.range.upTo, upTo: within.upTo }, 3)
  const again = await listDue(side.db, checkTime, first.range, 3)
  // Some twice, as claims that came to be due later while a walk was under way.
  const ids = [first, second, again].flatMap(({ ids }) => idsIn(ids))
  const kinds = await readDueGroups(side.db, checkTime, ids)
  await side.db.query({ text: 'COMMIT' })
  side.moves = decideGroups(kinds, checkTime)
  const claims = kinds.flatMap(
    ({ ids, eventCounts, count: _, state: { status, scheduledOutcome }, ...rest }) =>
      ids
        .slice(1, -1)
        .split(',')
        .map((id, i) => [id, eventCounts.slice(1, -1).split(',')[i], status, scheduledOutcome, rest]),
  )
  return [turns, first, second, again, claims.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))]
}

function idsIn(packed: Buffer): string[] {
  const ids = new DueIdMerge()
  ids.add(packed)
  return ids.take(packed.length)
}
