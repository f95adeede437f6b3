import type { Claim } from '../domain/claim.ts'
import { windowMs } from '../domain/contract.ts'
import type { Connection } from './database.ts'
import { plainArray } from './sql-array.ts'

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
  /** At least one, in their order. */
  events: readonly NewEvent[]
  /** Bytes of their payloads. */
  bytes: number
  /** With the last of them the condition holds, and the claim becomes PENDING (§3, first row). */
  settles: boolean
}

/** Where the claims get their time from: the database, or the clock that they are all on. */
export type TimeSource = { kind: 'live' } | { kind: 'test clock'; userId: string; id: string }

export interface Appended {
  /** When the events were recorded, all of them. Null: the test clock is being advanced, or is gone. */
  at: Date | null
  /** The ids of the claims that were not written to: they had changed, or are gone. */
  overtaken: Set<string>
}

const LIVE = "SELECT date_trunc('milliseconds', clock_timestamp()) AS now"
/** The lock keeps the clock from being advanced until the events are in the log; an advance is not waited for. */
const ON_TEST_CLOCK =
  'SELECT frozen_time AS now FROM test_clocks WHERE user_id = $11 AND id = $12 FOR SHARE SKIP LOCKED'

/**
 * Appends the events to the logs and sets the claims' states, in one statement, each claim on its own: those that
 * changed since they were seen are passed over. Each claim may be in it once.
 */
export async function appendEvents(
  db: Connection,
  unordered: readonly Append[],
  time: TimeSource,
): Promise<Appended> {
  // All who change several claims at once lock them in the order of their ids, so that none waits for another.
  const appends = unordered.toSorted((a, b) => (a.seen.id < b.seen.id ? -1 : 1))
  const events = appends.flatMap(({ seen, events }) =>
    events.map((event, i) => ({ ...event, claimId: seen.id, seq: seen.eventCount + i + 1 })),
  )
  const [row] = await db.query<{ now: Date; overtaken: string[] | null }>({
    name: time.kind === 'live' ? 'append_events' : 'append_events_on_test_clock',
    // The new times are computed outside the UPDATE, and id = ANY stands beside the join, for the sake of
    // distributed tables and of the plan: with the join alone, or with the status as a constant, the planner may take
    // a whole index.
    text: `-- append_events
      WITH clock AS MATERIALIZED (${time.kind === 'live' ? LIVE : ON_TEST_CLOCK}),
      decided AS MATERIALIZED (
        SELECT d.id, 'OPEN' AS status, d.seen, d.added, d.bytes, now,
          now + d.review_ms * interval '1 millisecond' AS review_ends
        FROM unnest($1::uuid[], $2::integer[], $3::integer[], $4::integer[], $5::float8[])
          AS d (id, seen, added, bytes, review_ms), clock
      ),
      appended AS (
        UPDATE claims c
        SET event_count = d.seen + d.added, log_bytes = c.log_bytes + d.bytes,
          status = CASE WHEN d.review_ends IS NULL THEN c.status ELSE 'PENDING' END,
          scheduled_outcome = CASE WHEN d.review_ends IS NULL THEN c.scheduled_outcome ELSE 'CONFIRMED' END,
          status_since = CASE WHEN d.review_ends IS NULL THEN c.status_since ELSE d.now END,
          due_at = CASE WHEN d.review_ends IS NULL THEN c.due_at ELSE d.review_ends END
        FROM decided d
        WHERE c.id = ANY ($1::uuid[]) AND c.id = d.id AND c.status = d.status AND c.event_count = d.seen
        RETURNING c.id
      ),
      logged AS (
        INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
        SELECT e.claim_id, e.seq, e.id, e.type, e.payload, false, clock.now
        FROM unnest($6::uuid[], $7::integer[], $8::text[], $9::text[], $10::json[]) AS e (claim_id, seq, id, type, payload)
        JOIN appended a ON a.id = e.claim_id, clock
      )
      SELECT now, (SELECT json_agg(id) FROM decided WHERE id NOT IN (SELECT id FROM appended)) AS overtaken
      FROM clock`,
    values: [
      plainArray(appends.map(({ seen }) => seen.id)),
      plainArray(appends.map(({ seen }) => seen.eventCount)),
      plainArray(appends.map(({ events }) => events.length)),
      plainArray(appends.map(({ bytes }) => bytes)),
      plainArray(
        appends.map(({ seen, settles }) => (settles ? windowMs(seen.contract.review_window) : null)),
      ),
      plainArray(events.map(({ claimId }) => claimId)),
      plainArray(events.map(({ seq }) => seq)),
      events.map(({ id }) => id),
      events.map(({ type }) => type),
      events.map(({ payload }) => payload),
      ...(time.kind === 'live' ? [] : [time.userId, time.id]),
    ],
  })
  return { at: row?.now ?? null, overtaken: new Set(row?.overtaken) }
}
