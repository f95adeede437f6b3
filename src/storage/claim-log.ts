import type { Claim } from '../domain/claim.ts'
import type { LogEvent } from '../domain/event.ts'
import type { JsonObject } from '../domain/json.ts'
import type { ClaimState } from '../domain/lifecycle.ts'
import { addressColumns, CLAIM_COLUMNS, type ClaimAddress, type ClaimRow, toClaim } from './claims.ts'
import type { Connection } from './database.ts'

/** A claim with items of its log, and the time it lives by (the database's, or its clock's), all of one moment. */
export interface ClaimWithLog {
  claim: Claim
  log: LogEvent[]
  now: Date
}

/** The claim and its whole log; null where the account has none at this address. */
export function readClaim(
  db: Connection,
  userId: string,
  address: ClaimAddress,
): Promise<ClaimWithLog | null> {
  return readWithLog(db, 'read_claim', userId, address, 'true', [])
}

/**
 * The claim with those items of its log that a decision about an event with this id needs: the items of the
 * types that the condition names, and the one with the same id.
 */
export function readClaimToDecide(
  db: Connection,
  userId: string,
  address: ClaimAddress,
  eventId: string,
): Promise<ClaimWithLog | null> {
  const needed = '(e.type = ANY (c.decisive_event_types) OR e.id = $4)'
  return readWithLog(db, 'read_claim_to_decide', userId, address, needed, [eventId])
}

async function readWithLog(
  db: Connection,
  name: string,
  userId: string,
  address: ClaimAddress,
  needed: string,
  values: string[],
): Promise<ClaimWithLog | null> {
  const { id, alias } = addressColumns(address)
  const [row] = await db.query<ClaimRow & { now: Date; log: StoredEvent[] | null }>({
    name,
    text: `-- ${name}
      SELECT ${CLAIM_COLUMNS},
        CASE WHEN test_clock_id IS NULL THEN date_trunc('milliseconds', clock_timestamp())
          ELSE (SELECT t.frozen_time FROM test_clocks t WHERE t.user_id = c.user_id AND t.id = c.test_clock_id)
        END AS now,
        (
          SELECT json_agg(json_build_object('id', e.id, 'type', e.type, 'payload', e.payload,
            'system', e.system, 'created_at', e.created_at) ORDER BY e.seq)
          FROM claim_events e
          WHERE e.claim_id = c.id AND ${needed}
        ) AS log
      FROM claims c
      WHERE c.id = $1 AND c.user_id = $2 AND c.candidate_alias IS NOT DISTINCT FROM $3`,
    values: [id, userId, alias, ...values],
    readOnly: true,
  })
  return row ? { claim: toClaim(row), log: (row.log ?? []).map(toLogEvent), now: row.now } : null
}

interface StoredEvent {
  id: string
  type: string
  payload: JsonObject
  system: boolean
  created_at: string
}

function toLogEvent({ created_at, ...event }: StoredEvent): LogEvent {
  return { ...event, createdAt: new Date(created_at) }
}

/** The clock still shows the event's time, and cannot be advanced until the event is in the log. */
const CLOCK_UNMOVED = `clock AS MATERIALIZED (
        SELECT 1 FROM test_clocks WHERE user_id = $12 AND id = $13 AND frozen_time = $11 FOR SHARE
      ), `

/**
 * Appends the event to the log of an OPEN claim and sets its state, in one statement, provided that nothing
 * was appended since `seen` was read. False: somebody was faster; read again and decide again (§3 rule 3).
 */
export async function appendEvent(
  db: Connection,
  seen: Claim,
  event: LogEvent,
  payloadBytes: number,
  state: ClaimState,
): Promise<boolean> {
  const appended = await db.query({
    name: seen.testClockId === null ? 'append_event' : 'append_event_on_test_clock',
    text: `-- append_event
      WITH ${seen.testClockId === null ? '' : CLOCK_UNMOVED}appended AS (
        UPDATE claims
        SET status = $3, scheduled_outcome = $4, status_since = $5, due_at = $6,
          event_count = event_count + 1, log_bytes = log_bytes + $7
        WHERE id = $1 AND status = 'OPEN' AND event_count = $2
          ${seen.testClockId === null ? '' : 'AND EXISTS (SELECT 1 FROM clock)'}
        RETURNING id, event_count
      )
      INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
      SELECT id, event_count, $8, $9, $10, false, $11 FROM appended
      RETURNING seq`,
    values: [
      seen.id,
      seen.eventCount,
      state.status,
      state.scheduledOutcome,
      state.statusSince,
      state.dueAt,
      payloadBytes,
      event.id,
      event.type,
      JSON.stringify(event.payload),
      event.createdAt,
      ...(seen.testClockId === null ? [] : [seen.userId, seen.testClockId]),
    ],
  })
  return appended.length === 1
}
