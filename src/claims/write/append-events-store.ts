import type { Claim } from '../../core/claims/claim.ts'
import type { Submission } from '../../core/claims/event.ts'
import { type Change, stateAt } from '../../core/claims/lifecycle.ts'
import { notificationOf, notificationOfEvent } from '../../outbox/outbox-store.ts'
import { type ColumnList, Columns } from '../../platform/database/columns.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { plainArray } from '../../platform/database/sql-array.ts'
import { APPEND_IN_SHARDS, DECIDED, guardedWrite, LOG_EVENT, writeToShards } from './guarded-write-store.ts'
import { heldTestClocks, LIVE, readClocks, type TimeSource } from './recording-time-store.ts'

export interface NewEvent {
  submission: Pick<Submission, 'id' | 'type'>
  payloadJson: string
}

/** New events of one OPEN claim, and the state that they lead to. */
export interface Append {
  /** The claim that the decision is based on. The write has no effect if the claim has changed since. */
  seen: Claim
  /** The last time in the log of `seen`, or when `seen` entered its status. The events get no earlier time. */
  lastAt: Date
  /** At least one, in their order. */
  events: readonly NewEvent[]
  /** Bytes of the payloads. */
  bytes: number
  /** The digest of the log with the new events (see `log-digest.ts`), hexadecimal; null for none. */
  digest: string | null
  /** The change that the last event makes; null if the state stays the same. */
  becomes: Change | null
}

export interface Appended {
  /** The time of each clock by its id; null stands for the database. Clocks that are being advanced or gone are missing. */
  clocks: Map<string | null, Date>
  /** Claims whose events got a later time than the clock's, because the last time of their logs is later. */
  later: Map<string, Date>
  /** Ids of claims that were not written: they had changed, or no longer exist. */
  stale: Set<string>
}

/** The write to the claim's row, without its time. */
const writeOf = ({ seen, events, bytes, digest, becomes }: Append) => ({
  id: seen.id,
  seen: seen.eventCount,
  added: events.length,
  bytes,
  digest,
  becomes,
})

/** The new items of the claim's log, without their time. */
const itemsOf = ({ seen, events }: Append) =>
  events.map(({ submission: { id, type }, payloadJson }, i) => ({
    claimId: seen.id,
    seq: seen.eventCount + i + 1,
    id,
    type,
    payload: payloadJson,
  }))

/** A write whose time the statement computes. */
type TimelessWrite = ReturnType<typeof writeOf> &
  Pick<Append, 'lastAt' | 'becomes'> & { clockId: string | null }
const TIMELESS = {
  ...DECIDED,
  window_ms: ['float8', ({ becomes }) => becomes?.windowMs ?? null],
  last_ms: ['bigint', ({ lastAt }) => lastAt.getTime()],
} satisfies ColumnList<TimelessWrite>

/** CTEs that end with `decided` (see `Parts`). They compute the times before the statement reads the claims. */
const decidedBy = (clock: string, claims: Columns<TimelessWrite>, isLive: boolean) => `clock AS MATERIALIZED (
        SELECT id, now, (extract(epoch FROM now) * 1000)::bigint AS now_ms FROM (${clock}) c
      ),
      timed AS (
        SELECT d.*, decode(hex_digest, 'hex') AS digest, clock.now_ms,
          CASE WHEN d.last_ms > clock.now_ms THEN to_timestamp(0) + d.last_ms * interval '1 millisecond' ELSE now END AS at
        FROM ${claims.as('d')}, clock
        ${isLive ? '' : 'WHERE clock.id = d.clock_id'}
      ),
      decided AS MATERIALIZED (
        SELECT *, 'OPEN' AS seen_status, at + window_ms * interval '1 millisecond' AS due FROM timed
      )`

function appending(name: string, isLive: boolean) {
  const claims = new Columns<TimelessWrite>(
    isLive ? TIMELESS : { ...TIMELESS, clock_id: ['uuid', ({ clockId }) => clockId] },
  )
  const items = new Columns<ReturnType<typeof itemsOf>[number]>(LOG_EVENT, claims.next)
  const clock = isLive ? LIVE : heldTestClocks(items.next)
  const text = guardedWrite({
    name: 'append_events',
    decided: decidedBy(clock, claims, isLive),
    items: `SELECT e.claim_id, e.seq, e.id, e.type, e.payload, false, w.at
        FROM ${items.as('e')} JOIN written w ON w.id = e.claim_id`,
    events: `unnest(${items.array('claim_id')}, ${items.array('seq')}) AS e (claim_id, seq)`,
    result: `SELECT id AS clock_id, now,
        (SELECT json_agg(id) FROM decided WHERE id NOT IN (SELECT id FROM written)) AS stale,
        (SELECT json_object_agg(id, last_ms) FROM decided WHERE last_ms > now_ms) AS later
      FROM clock`,
  })
  const valuesOf = (appends: readonly Append[]) => [
    ...claims.values(
      appends.map((append) => ({
        ...writeOf(append),
        lastAt: append.lastAt,
        clockId: append.seen.testClockId,
      })),
    ),
    ...items.values(appends.flatMap(itemsOf)),
  ]
  return { statement: { name, text }, valuesOf }
}

const APPEND_EVENTS = appending('append_events', true)
const APPEND_EVENTS_ON_TEST_CLOCKS = appending('append_events_on_test_clocks', false)

/**
 * Appends the events to the logs and sets the claims' states, in one statement. Skips claims that have changed since they
 * were read. `appends` has at most one entry for a claim.
 *
 * Times in a log never decrease, even if the database's clock goes back: an event gets at least the last time of the log.
 * The guard ensures that this time is still the last one.
 */
export function appendEvents(
  db: Connection,
  appends: readonly Append[],
  time: TimeSource,
): Promise<Appended> {
  if (!db.distribution.isOn) return appendAtOnce(db, appends, time)
  // The clocks stay locked until the events are committed.
  return time.kind === 'live'
    ? appendToShards(db, appends, time)
    : db.transaction((connection) => appendToShards(connection, appends, time))
}

async function appendAtOnce(
  db: Connection,
  unordered: readonly Append[],
  time: TimeSource,
): Promise<Appended> {
  // In the order of ids: see `Parts.decided`.
  const appends = unordered.toSorted((a, b) => (a.seen.id < b.seen.id ? -1 : 1))
  const { statement, valuesOf } = time.kind === 'live' ? APPEND_EVENTS : APPEND_EVENTS_ON_TEST_CLOCKS
  const values = valuesOf(appends)
  if (time.kind === 'test clocks') {
    const clockIds = new Set(appends.flatMap(({ seen }) => seen.testClockId ?? []))
    values.push(time.userId, plainArray([...clockIds]))
  }
  return toAppended(await db.query({ ...statement, values }))
}

/** One row for each clock. All rows have the same lists. The times in `later` are milliseconds since 1970. */
interface AppendedRow {
  clock_id: string | null
  now: Date
  stale: string[] | null
  later: Record<string, number> | null
}

function toAppended(rows: readonly AppendedRow[]): Appended {
  const { stale, later } = rows[0] ?? { stale: null, later: null }
  return {
    clocks: new Map(rows.map(({ clock_id, now }) => [clock_id, now])),
    later: new Map(Object.entries(later ?? {}).map(([id, ms]) => [id, new Date(ms)])),
    stale: new Set(stale),
  }
}

/** `appendEvents` on distributed tables. The times are read first, from the node that has the clocks. */
async function appendToShards(
  db: Connection,
  appends: readonly Append[],
  time: TimeSource,
): Promise<Appended> {
  const { clocks, subscribers } = await readClocks(
    db,
    appends.map(({ seen }) => seen),
    time,
  )
  const timed = appends.flatMap((append) => {
    const now = clocks.get(append.seen.testClockId)
    if (!now) return []
    return { append, at: append.lastAt > now ? append.lastAt : now, isLater: append.lastAt > now }
  })
  const written = await writeToShards(
    db,
    APPEND_IN_SHARDS,
    timed.map(({ append, at }) => ({
      ...writeOf(append),
      seenStatus: 'OPEN',
      at,
      becomes: append.becomes && stateAt(append.becomes, at),
    })),
    timed.flatMap(({ append, at }) => itemsOf(append).map((item) => ({ ...item, system: false, at }))),
    timed.flatMap(({ append: { seen, events, becomes }, at }) => [
      ...(subscribers.has(seen.userId)
        ? events.map((_, i) => notificationOfEvent(seen, seen.eventCount + i + 1))
        : []),
      ...(becomes ? [notificationOf(seen.id, seen.eventCount + events.length, stateAt(becomes, at))] : []),
    ]),
    null,
  )
  const idsOf = (some: typeof timed) => some.map(({ append }) => append.seen.id)
  return {
    clocks,
    later: new Map(timed.filter(({ isLater }) => isLater).map(({ append, at }) => [append.seen.id, at])),
    stale: new Set(idsOf(timed).filter((id) => !written.has(id))),
  }
}
