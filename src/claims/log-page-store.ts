import type { LogEvent } from '../core/claims/event.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { Connection } from '../platform/database/connection.ts'

/** Events of a page at most, and bytes of their payloads (the first event is in it whatever its size). */
const PAGE_EVENTS = 500
const PAGE_BYTES = 512 * 1024

/** What a condition sees of a submitted event, with its id and its place in the log. */
export interface LoggedEvidence extends Pick<LogEvent, 'id' | 'type' | 'payload' | 'system'> {
  seq: number
}

/**
 * The submitted events of these types, page by page in their order, of the first `eventCount` items of the log: a
 * log only grows, so this is the log at that version, however long the reading takes.
 */
export async function* readDecisiveEvents(
  db: Connection,
  claim: { id: string; eventCount: number; logBytes: number },
  types: readonly string[],
): AsyncGenerator<LoggedEvidence[]> {
  // What does not fit is read in vain: of large events fewer are asked for.
  let most = Math.ceil((PAGE_BYTES * claim.eventCount) / Math.max(claim.logBytes, 1))
  for (let after = 0; after < claim.eventCount; ) {
    const limit = Math.min(most, PAGE_EVENTS)
    const page = await readPage(db, claim, types, after, limit)
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.seq
    most = 2 * page.length
  }
}

function readPage(
  db: Connection,
  { id, eventCount }: { id: string; eventCount: number },
  types: readonly string[],
  after: number,
  limit: number,
): Promise<LoggedEvidence[]> {
  return db.query<{ seq: number; id: string; type: string; payload: JsonObject; system: boolean }>({
    name: 'read_decisive_events',
    // A row each, and not one JSON array of them: the driver parses rows as they come, in many turns of the loop.
    text: `-- read_decisive_events
      SELECT seq, id, type, payload, system
      FROM (
        SELECT *, sum(octet_length(payload::text)) OVER (ORDER BY seq) - octet_length(payload::text) AS bytes_before
        FROM (
          SELECT seq, id, type, payload, system FROM claim_events
          WHERE claim_id = $1 AND seq > $2 AND seq <= $3 AND type = ANY ($4) AND NOT system
          ORDER BY seq LIMIT $5
        ) AS next
      ) AS measured
      WHERE bytes_before < ${PAGE_BYTES}
      ORDER BY seq`,
    values: [id, after, eventCount, types, limit],
    readOnly: true,
  })
}

/** Of more types, those that occurred first are read. */
const MAX_OTHER_TYPES = 1_000

/** The types of submitted events other than these, with the ids of the first 10 events of each, in the log at this version. */
export function readOtherTypes(
  db: Connection,
  { id, eventCount }: { id: string; eventCount: number },
  types: readonly string[],
): Promise<{ type: string; ids: string[] }[]> {
  return db.query<{ type: string; ids: string[] }>({
    name: 'read_other_types',
    text: `-- read_other_types
      SELECT type, (array_agg(id ORDER BY seq))[1:10] AS ids FROM claim_events
      WHERE claim_id = $1 AND seq <= $2 AND type <> ALL ($3) AND NOT system
      GROUP BY type ORDER BY min(seq) LIMIT ${MAX_OTHER_TYPES}`,
    values: [id, eventCount, types],
    readOnly: true,
  })
}

/** The last items of the log at its present version, two if it has as many. */
export function readLogEnd(
  db: Connection,
  { id, eventCount }: { id: string; eventCount: number },
): Promise<Omit<LogEvent, 'payload'>[]> {
  return db
    .query<{ id: string; type: string; system: boolean; created_at: Date }>({
      name: 'read_log_end',
      text: `-- read_log_end
        SELECT id, type, system, created_at FROM claim_events
        WHERE claim_id = $1 AND seq > $2::integer - 2 AND seq <= $2 ORDER BY seq`,
      values: [id, eventCount],
      readOnly: true,
    })
    .then((rows) => rows.map(({ created_at, ...event }) => ({ ...event, createdAt: created_at })))
}
