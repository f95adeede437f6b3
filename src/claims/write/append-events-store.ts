import type { Claim } from '../../core/claims/claim.ts'
import type { Submission } from '../../core/claims/event.ts'
import { type Change, stateAt } from '../../core/claims/lifecycle.ts'
import { notificationOf, notificationOfEvent } from '../../outbox/outbox-store.ts'
import { asksForEvents } from '../../outbox/webhook-endpoint-store.ts'
import { NOW } from '../../platform/database/clock.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { plainArray, textArray } from '../../platform/database/sql-array.ts'
import { guardedWrite } from './guarded-write-store.ts'
import { writeToShards } from './shard-write-store.ts'

interface NewEvent {
  submission: Pick<Submission, 'id' | 'type'>
  payloadJson: string
}

/** What is to be written to one OPEN claim. */
export interface Append {
  /** As it was when this was decided: the write is made only if nothing happened to it since. */
  seen: Claim
  /** The last time in its log then, or when it entered its status: what is appended is recorded no earlier. */
  lastAt: Date
  /** At least one, in their order. */
  events: readonly NewEvent[]
  /** Bytes of their payloads. */
  bytes: number
  /** Of the log with them (see `log-digest.ts`), hexadecimal; null for none. */
  digest: string | null
  /** What the claim becomes with the last of them; null if it stays what it is. */
  becomes: Change | null
}

/** Where the claims get their time from: the database, or the clocks of one account that they are on. */
export type TimeSource = { kind: 'live' } | { kind: 'test clocks'; userId: string }

export interface Appended {
  /** The time by each clock, by its id; null is the database's. One is missing: it is being advanced, or is gone. */
  clocks: Map<string | null, Date>
  /** Claims whose events were recorded later than that: their logs' last times were. */
  later: Map<string, Date>
  /** The ids of the claims that were not written to: they had changed, or are gone. */
  overtaken: Set<string>
}

const LIVE = `SELECT NULL::uuid AS id, ${NOW} AS now`
/** The lock keeps a clock from being advanced until the events are in the log; an advance is not waited for. */
const heldTestClocks = (first: number) => `SELECT id, frozen_time AS now FROM test_clocks
        WHERE user_id = $${first} AND id = ANY ($${first + 1}::uuid[]) FOR SHARE SKIP LOCKED`

/** The times are computed before the claims are looked at. */
const decidedBy = (clock: string, isLive: boolean) => `clock AS MATERIALIZED (
        SELECT id, now, (extract(epoch FROM now) * 1000)::bigint AS now_ms FROM (${clock}) c
      ),
      timed AS (
        SELECT d.*, decode(hex_digest, 'hex') AS digest, clock.now_ms,
          CASE WHEN d.last_ms > clock.now_ms THEN to_timestamp(0) + d.last_ms * interval '1 millisecond' ELSE now END AS at
        FROM unnest($1::uuid[], $2::integer[], $3::integer[], $4::integer[], $5::text[], $6::text[], $7::float8[],
            $8::bigint[], $14::text[]${isLive ? '' : ', $17::uuid[]'})
          AS d (id, seen, added, bytes, status, outcome, window_ms, last_ms, hex_digest${isLive ? '' : ', clock_id'}), clock
        ${isLive ? '' : 'WHERE clock.id = d.clock_id'}
      ),
      decided AS MATERIALIZED (
        SELECT *, 'OPEN' AS seen_status, at + window_ms * interval '1 millisecond' AS due FROM timed
      )`

const statement = (name: string, clock: string, isLive: boolean) => ({
  name,
  text: guardedWrite({
    name: 'append_events',
    decided: decidedBy(clock, isLive),
    items: `SELECT e.claim_id, e.seq, e.id, e.type, e.payload, false, w.at
        FROM unnest($9::uuid[], $10::integer[], $11::text[], $12::text[], $13::json[])
          AS e (claim_id, seq, id, type, payload)
        JOIN written w ON w.id = e.claim_id`,
    events: 'unnest($9::uuid[], $10::integer[]) AS e (claim_id, seq)',
    result: `SELECT id AS clock_id, now,
        (SELECT json_agg(id) FROM decided WHERE id NOT IN (SELECT id FROM written)) AS overtaken,
        (SELECT json_object_agg(id, last_ms) FROM decided WHERE last_ms > now_ms) AS later
      FROM clock`,
  }),
})

const APPEND_EVENTS = statement('append_events', LIVE, true)
const APPEND_EVENTS_ON_TEST_CLOCKS = statement('append_events_on_test_clocks', heldTestClocks(15), false)

/**
 * Appends the events to the logs and sets the claims' states, in one statement, each claim on its own: those that
 * changed since they were seen are passed over. Each claim may be in it once.
 *
 * Times in a log never run backwards, even if the database's clock does: what is appended is recorded no earlier than
 * what is in the log, which the version holds to be known.
 */
export function appendEvents(
  db: Connection,
  appends: readonly Append[],
  time: TimeSource,
): Promise<Appended> {
  if (!db.distribution.isOn) return appendAtOnce(db, appends, time)
  // The clocks are held until the events are in the logs.
  return time.kind === 'live'
    ? appendToShards(db, appends, time)
    : db.transaction((connection) => appendToShards(connection, appends, time))
}

async function appendAtOnce(
  db: Connection,
  unordered: readonly Append[],
  time: TimeSource,
): Promise<Appended> {
  // In the order of their ids: see guarded-write-store.ts.
  const appends = unordered.toSorted((a, b) => (a.seen.id < b.seen.id ? -1 : 1))
  const claimIds: string[] = []
  const seqs: number[] = []
  const events: NewEvent[] = []
  for (const { seen, events: added } of appends) {
    let seq = seen.eventCount
    for (const event of added) {
      claimIds.push(seen.id)
      seqs.push(++seq)
      events.push(event)
    }
  }
  const values = [
    plainArray(appends.map(({ seen }) => seen.id)),
    plainArray(appends.map(({ seen }) => seen.eventCount)),
    plainArray(appends.map(({ events }) => events.length)),
    plainArray(appends.map(({ bytes }) => bytes)),
    plainArray(appends.map(({ becomes }) => becomes?.status ?? null)),
    plainArray(appends.map(({ becomes }) => becomes?.scheduledOutcome ?? null)),
    plainArray(appends.map(({ becomes }) => becomes?.windowMs ?? null)),
    plainArray(appends.map(({ lastAt }) => lastAt.getTime())),
    plainArray(claimIds),
    plainArray(seqs),
    textArray(events.map(({ submission }) => submission.id)),
    textArray(events.map(({ submission }) => submission.type)),
    textArray(events.map(({ payloadJson }) => payloadJson)),
    plainArray(appends.map(({ digest }) => digest)),
  ]
  if (time.kind === 'live') return toAppended(await db.query({ ...APPEND_EVENTS, values }))
  const clockIds = appends.flatMap(({ seen }) => seen.testClockId ?? [])
  values.push(time.userId, plainArray([...new Set(clockIds)]), plainArray(clockIds))
  return toAppended(await db.query({ ...APPEND_EVENTS_ON_TEST_CLOCKS, values }))
}

/** One for each clock; the lists are the same in all. Times in milliseconds since 1970. */
interface AppendedRow {
  clock_id: string | null
  now: Date
  overtaken: string[] | null
  later: Record<string, number> | null
}

function toAppended(rows: readonly AppendedRow[]): Appended {
  const { overtaken, later } = rows[0] ?? { overtaken: null, later: null }
  return {
    clocks: new Map(rows.map(({ clock_id, now }) => [clock_id, now])),
    later: new Map(Object.entries(later ?? {}).map(([id, ms]) => [id, new Date(ms)])),
    overtaken: new Set(overtaken),
  }
}

/** Those of these accounts that ask to be told of each event ($1). As in `askedRows` by a subselect. */
const ASKING = `ARRAY(SELECT account FROM unnest((SELECT $1::uuid[])) AS a (account) WHERE ${asksForEvents('account')}) AS asking`
const READ_LIVE_CLOCK = `-- read_live_clock
      SELECT *, ${ASKING} FROM (${LIVE}) AS clock`
const HOLD_TEST_CLOCKS = `-- hold_test_clocks
      SELECT *, ${ASKING} FROM (${heldTestClocks(2)}) AS clocks`

/** The same on distributed tables: the times are those of the machine that has the clocks. */
async function appendToShards(
  db: Connection,
  appends: readonly Append[],
  time: TimeSource,
): Promise<Appended> {
  const { clocks, asking } = await readClocks(db, appends, time)
  const timed = appends.flatMap((append) => {
    const now = clocks.get(append.seen.testClockId)
    if (!now) return []
    return { append, at: append.lastAt > now ? append.lastAt : now, isLater: append.lastAt > now }
  })
  const written = await writeToShards(
    db,
    timed.map(({ append: { seen, events, bytes, digest, becomes }, at }) => ({
      id: seen.id,
      seenStatus: 'OPEN',
      seen: seen.eventCount,
      added: events.length,
      bytes,
      digest,
      at,
      becomes: becomes && stateAt(becomes, at),
    })),
    timed.flatMap(({ append: { seen, events }, at }) =>
      events.map(({ submission: { id, type }, payloadJson }, i) => ({
        claimId: seen.id,
        seq: seen.eventCount + i + 1,
        id,
        type,
        payload: payloadJson,
        system: false,
        at,
      })),
    ),
    timed.flatMap(({ append: { seen, events, becomes }, at }) => [
      ...(asking.has(seen.userId)
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
    overtaken: new Set(idsOf(timed).filter((id) => !written.has(id))),
  }
}

/** The times, and the accounts that ask to be told of each event. */
async function readClocks(
  db: Connection,
  appends: readonly Append[],
  time: TimeSource,
): Promise<{ clocks: Map<string | null, Date>; asking: Set<string> }> {
  type Row = { id: string | null; now: Date; asking: string[] }
  const accounts = plainArray([...new Set(appends.map(({ seen }) => seen.userId))])
  const ids = new Set(appends.flatMap(({ seen }) => seen.testClockId ?? []))
  const rows =
    time.kind === 'live'
      ? await db.query<Row>({ name: 'read_live_clock', text: READ_LIVE_CLOCK, values: [accounts] })
      : await db.query<Row>({
          name: 'hold_test_clocks',
          text: HOLD_TEST_CLOCKS,
          values: [accounts, time.userId, plainArray([...ids])],
        })
  return { clocks: new Map(rows.map(({ id, now }) => [id, now])), asking: new Set(rows[0]?.asking) }
}
