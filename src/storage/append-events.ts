import type { Claim } from '../domain/claim.ts'
import { windowMs } from '../domain/contract.ts'
import type { Connection } from './database.ts'
import { plainArray, textArray } from './sql-array.ts'

interface NewEvent {
  id: string
  type: string
  /** As JSON. */
  payload: string
}

/** What is to be written to one OPEN claim. */
export interface Append {
  /** As it was when this was decided: the write is made only where nothing happened to it since. */
  seen: Claim
  /** The last time in its log then, or when it entered its status: what is appended is recorded no earlier. */
  lastAt: Date
  /** At least one, in their order. */
  events: readonly NewEvent[]
  /** Bytes of their payloads. */
  bytes: number
  /** With the last of them the condition holds, and the claim becomes PENDING (§3, first row). */
  settles: boolean
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

const LIVE = "SELECT NULL::uuid AS id, date_trunc('milliseconds', clock_timestamp()) AS now"
/** The lock keeps a clock from being advanced until the events are in the log; an advance is not waited for. */
const ON_TEST_CLOCKS = `SELECT id, frozen_time AS now FROM test_clocks
        WHERE user_id = $12 AND id = ANY ($13::uuid[]) FOR SHARE SKIP LOCKED`

/**
 * Appends the events to the logs and sets the claims' states, in one statement, each claim on its own: those that
 * changed since they were seen are passed over. Each claim may be in it once.
 *
 * Times in a log never run backwards, also where the database's clock does: what is appended is recorded no earlier than
 * what is in the log, which the version holds to be known.
 */
export async function appendEvents(
  db: Connection,
  unordered: readonly Append[],
  time: TimeSource,
): Promise<Appended> {
  const isLive = time.kind === 'live'
  // All who change several claims at once lock them in the order of their ids, so that none waits for another.
  const appends = unordered.toSorted((a, b) => (a.seen.id < b.seen.id ? -1 : 1))
  const events = appends.flatMap(({ seen, events }) =>
    events.map((event, i) => ({ ...event, claimId: seen.id, seq: seen.eventCount + i + 1 })),
  )
  const clockIds = appends.flatMap(({ seen }) => seen.testClockId ?? [])
  const rows = await db.query<AppendedRow>({
    name: isLive ? 'append_events' : 'append_events_on_test_clocks',
    // The new times are computed outside the UPDATE, and id = ANY stands beside the join, for the sake of
    // distributed tables and of the plan: with the join alone, or with the status as a constant, the planner may take
    // a whole index.
    text: `-- append_events
      WITH clock AS MATERIALIZED (
        SELECT id, now, (extract(epoch FROM now) * 1000)::bigint AS now_ms FROM (${isLive ? LIVE : ON_TEST_CLOCKS}) c
      ),
      timed AS (
        SELECT d.*, clock.now_ms,
          CASE WHEN d.last_ms > clock.now_ms THEN to_timestamp(0) + d.last_ms * interval '1 millisecond' ELSE now END AS at
        FROM unnest($1::uuid[], $2::integer[], $3::integer[], $4::integer[], $5::float8[], $6::bigint[]${isLive ? '' : ', $14::uuid[]'})
          AS d (id, seen, added, bytes, review_ms, last_ms${isLive ? '' : ', clock_id'}), clock
        ${isLive ? '' : 'WHERE clock.id = d.clock_id'}
      ),
      decided AS MATERIALIZED (
        SELECT id, 'OPEN' AS status, seen, added, bytes, last_ms, now_ms, at,
          at + review_ms * interval '1 millisecond' AS review_ends
        FROM timed
      ),
      appended AS (
        UPDATE claims c
        SET event_count = d.seen + d.added, log_bytes = c.log_bytes + d.bytes,
          status = CASE WHEN d.review_ends IS NULL THEN c.status ELSE 'PENDING' END,
          scheduled_outcome = CASE WHEN d.review_ends IS NULL THEN c.scheduled_outcome ELSE 'CONFIRMED' END,
          status_since = CASE WHEN d.review_ends IS NULL THEN c.status_since ELSE d.at END,
          due_at = CASE WHEN d.review_ends IS NULL THEN c.due_at ELSE d.review_ends END
        FROM decided d
        WHERE c.id = ANY ($1::uuid[]) AND c.id = d.id AND c.status = d.status AND c.event_count = d.seen
        RETURNING c.id, d.at
      ),
      logged AS (
        INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
        SELECT e.claim_id, e.seq, e.id, e.type, e.payload, false, a.at
        FROM unnest($7::uuid[], $8::integer[], $9::text[], $10::text[], $11::json[]) AS e (claim_id, seq, id, type, payload)
        JOIN appended a ON a.id = e.claim_id
      )
      SELECT id AS clock_id, now,
        (SELECT json_agg(id) FROM decided WHERE id NOT IN (SELECT id FROM appended)) AS overtaken,
        (SELECT json_object_agg(id, last_ms) FROM decided WHERE last_ms > now_ms) AS later
      FROM clock`,
    values: [
      plainArray(appends.map(({ seen }) => seen.id)),
      plainArray(appends.map(({ seen }) => seen.eventCount)),
      plainArray(appends.map(({ events }) => events.length)),
      plainArray(appends.map(({ bytes }) => bytes)),
      plainArray(
        appends.map(({ seen, settles }) => (settles ? windowMs(seen.contract.review_window) : null)),
      ),
      plainArray(appends.map(({ lastAt }) => lastAt.getTime())),
      plainArray(events.map(({ claimId }) => claimId)),
      plainArray(events.map(({ seq }) => seq)),
      textArray(events.map(({ id }) => id)),
      textArray(events.map(({ type }) => type)),
      textArray(events.map(({ payload }) => payload)),
      ...(isLive ? [] : [time.userId, plainArray([...new Set(clockIds)]), plainArray(clockIds)]),
    ],
  })
  return toAppended(rows)
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
