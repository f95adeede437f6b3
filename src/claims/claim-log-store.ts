import type { ClaimAddress, StoredClaim } from '../core/claims/claim.ts'
import type { LogEvent } from '../core/claims/event.ts'
import { MAX_EXPLAINED_EVENTS, MAX_OTHER_EVENT_TYPES } from '../core/limits.ts'
import type { JsonObject } from '../kernel/json.ts'
import { RawJson } from '../kernel/json.ts'
import { MAX_EAGER_JSON_LENGTH } from '../kernel/limits.ts'
import type { Connection } from '../platform/database/connection.ts'
import { METADATA } from '../platform/database/metadata.ts'
import { ifShort, plainArray } from '../platform/database/sql-array.ts'
import {
  CLAIM_COLUMNS_AS_STORED,
  CLAIM_COLUMNS_IF_SHORT,
  type ListedClaimRow,
  type StoredClaimRow,
  toClaimWithMetadata,
  toWholeClaim,
} from './claim-columns.ts'
import { addressColumns } from './claim-store.ts'
import {
  LOG_PAGE_SIZE,
  MAX_DECISIVE_PAGE_BYTES,
  MAX_DECISIVE_PAGE_EVENTS,
  MAX_INLINE_PAYLOAD_BYTES,
} from './limits.ts'

/** An event as stored. */
export interface LogItem {
  seq: number
  id: string
  type: string
  system: boolean
  createdAt: Date
  /** JSON. Null if it is long and must be read separately. */
  payload: string | null
}

const LOG_ITEMS = `json_build_object('seq', e.seq, 'id', e.id, 'type', e.type, 'system', e.system,
  'createdAt', e.created_at,
  'payload', ${ifShort('e.payload', MAX_INLINE_PAYLOAD_BYTES)})`

/** A claim with the beginning of its log. */
export interface ClaimAndLog {
  claim: StoredClaim
  items: LogItem[]
}

/** A claim or candidate of an account. */
export interface ClaimKey {
  userId: string
  address: ClaimAddress
}

/** Limits of payload bytes and of events for a short log. */
const SHORT_LOG = { bytes: 8 * 1024, events: 32 }

/** For each request: the claim with its log, null if the account has no such claim, or 'long' if it must be read separately. */
export async function readShortClaims(
  db: Connection,
  keys: readonly ClaimKey[],
): Promise<(ClaimAndLog | 'long' | null)[]> {
  const columns = keys.map(({ address }) => addressColumns(address))
  type Row = ListedClaimRow & { index: number; log: LogItem[] | null }
  const andIn = (column: string) => db.distribution.andIn(column, '$3')
  const rows = await db.query<Row>({
    name: 'read_short_claims',
    text: `-- read_short_claims
      SELECT index, ${CLAIM_COLUMNS_IF_SHORT},
        CASE WHEN c.log_bytes <= ${SHORT_LOG.bytes} AND c.event_count <= ${SHORT_LOG.events} THEN (
          SELECT coalesce(json_agg(${LOG_ITEMS} ORDER BY e.seq), '[]') FROM claim_events e
          WHERE e.claim_id = c.id ${andIn('e.claim_id')}
        ) END AS log
      FROM unnest($1::integer[], $2::uuid[], $3::uuid[], $4::text[]) AS named (index, owner, claim, alias)
      JOIN claims c ON c.id = claim AND c.user_id = owner AND c.candidate_alias IS NOT DISTINCT FROM alias
      WHERE true ${andIn('c.id')}`,
    values: [
      plainArray(keys.map((_, index) => index)),
      plainArray(keys.map(({ userId }) => userId)),
      plainArray(columns.map(({ id }) => id)),
      columns.map(({ alias }) => alias),
    ],
    readOnly: true,
  })
  const found: (ClaimAndLog | 'long' | null)[] = keys.map(() => null)
  for (const { index, log, contract, metadata, ...row } of rows) {
    const isShort = log !== null && contract !== null && metadata !== null
    found[index] = isShort
      ? { claim: toClaimWithMetadata({ ...row, contract, metadata }), items: log.map(toLogItem) }
      : 'long'
  }
  return found
}

/** The claim and the first page of its log. Null if the account has no such claim. */
export async function readClaimAndLog(
  db: Connection,
  userId: string,
  address: ClaimAddress,
): Promise<ClaimAndLog | null> {
  const { id, alias } = addressColumns(address)
  const [row] = await db.query<StoredClaimRow & { metadata: string; log: LogItem[] | null }>({
    name: 'read_claim_and_log',
    text: `-- read_claim_and_log
      SELECT ${CLAIM_COLUMNS_AS_STORED}, ${METADATA} AS metadata,
        (
          SELECT json_agg(${LOG_ITEMS} ORDER BY e.seq) FROM claim_events e
          WHERE e.claim_id = $1 AND e.seq <= ${LOG_PAGE_SIZE}
        ) AS log
      FROM claims c
      WHERE c.id = $1 AND c.user_id = $2 AND c.candidate_alias IS NOT DISTINCT FROM $3`,
    values: [id, userId, alias],
    readOnly: true,
  })
  if (!row) return null
  const claim = { ...toWholeClaim(row), metadata: row.metadata }
  return { claim, items: (row.log ?? []).map(toLogItem) }
}

/** The page of a claim's log after an item. */
export async function readLogPage(db: Connection, claimId: string, after: number): Promise<LogItem[]> {
  const [row] = await db.query<{ log: LogItem[] | null }>({
    name: 'read_log_page',
    text: `-- read_log_page
      SELECT json_agg(${LOG_ITEMS} ORDER BY e.seq) AS log FROM claim_events e
      WHERE e.claim_id = $1 AND e.seq > $2 AND e.seq <= $2 + ${LOG_PAGE_SIZE}`,
    values: [claimId, after],
    readOnly: true,
  })
  return (row?.log ?? []).map(toLogItem)
}

const toLogItem = (item: LogItem): LogItem => ({ ...item, createdAt: new Date(item.createdAt) })

/** The payloads of these items of a claim's log as JSON, by item number. */
export async function readPayloads(
  db: Connection,
  claimId: string,
  seqs: readonly number[],
): Promise<Map<number, { payload: string }>> {
  const rows = await db.query<{ seq: number; payload: string }>({
    name: 'read_payloads',
    text: `-- read_payloads
      SELECT seq, payload::text AS payload FROM claim_events WHERE claim_id = $1 AND seq = ANY ($2)`,
    values: [claimId, seqs],
    readOnly: true,
  })
  return new Map(rows.map(({ seq, payload }) => [seq, { payload }]))
}

/** Names an event of a claim. `payloadBytes`: the size of the payload to compare with, as JSON. */
export interface EventName {
  claimId: string
  id: string
  payloadBytes: number
}

/** A named event. Null if its payload has another size and therefore differs. */
export interface FoundEvent {
  claimId: string
  id: string
  event: LogEvent | null
}

interface StoredEvent {
  claim_id: string
  id: string
  type: string
  /** JSON. */
  payload: string | null
  system: boolean
  created_at: Date
  late_ms: string | null
}

function toEvent({ id, type, payload, system, created_at, late_ms }: StoredEvent): LogEvent | null {
  if (payload === null) return null
  const lateMs = late_ms === null ? null : Number(late_ms)
  const event = { id, type, system, createdAt: created_at, lateMs }
  const isShort = system || payload.length <= MAX_EAGER_JSON_LENGTH
  return { ...event, payload: isShort ? JSON.parse(payload) : new RawJson(payload) }
}

/** The named events that are recorded. Payloads of another size are not read. */
export async function readEvents(db: Connection, names: readonly EventName[]): Promise<FoundEvent[]> {
  const rows = await db.query<StoredEvent>({
    name: 'read_events',
    text: `-- read_events
      SELECT e.claim_id, e.id, e.type, e.system, e.created_at, e.late_ms,
        CASE WHEN octet_length(convert_to(e.payload::text, 'UTF8')) = n.payload_bytes THEN e.payload::text END AS payload
      FROM unnest($1::uuid[], $2::text[], $3::integer[]) AS n (claim_id, id, payload_bytes)
      JOIN claim_events e ON e.claim_id = n.claim_id AND e.id = n.id
      WHERE e.claim_id = ANY ($1)`,
    values: [
      names.map(({ claimId }) => claimId),
      names.map(({ id }) => id),
      names.map(({ payloadBytes }) => payloadBytes),
    ],
    readOnly: true,
  })
  return rows.map((row) => ({ claimId: row.claim_id, id: row.id, event: toEvent(row) }))
}

/** A submitted event with its place in the log. */
export interface LoggedEvidence extends LogEvent {
  seq: number
}

/**
 * The submitted events of these types among the first `eventCount` items of the log, page by page, in order. A log
 * only grows, so this is the log of that version, however long the read takes.
 */
export async function* readDecisiveEvents(
  db: Connection,
  claim: { id: string; eventCount: number; logBytes: number },
  types: readonly string[],
): AsyncGenerator<LoggedEvidence[]> {
  // Events that do not fit are discarded, so fewer large events are read at once.
  let maxEvents = Math.ceil((MAX_DECISIVE_PAGE_BYTES * claim.eventCount) / Math.max(claim.logBytes, 1))
  for (let after = 0; after < claim.eventCount; ) {
    const limit = Math.min(maxEvents, MAX_DECISIVE_PAGE_EVENTS)
    const page = await readPage(db, claim, types, after, limit)
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.seq
    maxEvents = 2 * page.length
  }
}

function readPage(
  db: Connection,
  { id, eventCount }: { id: string; eventCount: number },
  types: readonly string[],
  after: number,
  limit: number,
): Promise<LoggedEvidence[]> {
  type Row = Omit<LoggedEvidence, 'payload'> & { payload: JsonObject }
  return db.query<Row>({
    name: 'read_decisive_events',
    // One row per event instead of a JSON array: the driver parses rows as they arrive, over many event loop ticks.
    text: `-- read_decisive_events
      SELECT seq, id, type, payload, system, created_at AS "createdAt", late_ms::float8 AS "lateMs"
      FROM (
        SELECT *, sum(octet_length(payload::text)) OVER (ORDER BY seq) - octet_length(payload::text) AS bytes_before
        FROM (
          SELECT seq, id, type, payload, system, created_at, late_ms FROM claim_events
          WHERE claim_id = $1 AND seq > $2 AND seq <= $3 AND type = ANY ($4) AND NOT system
          ORDER BY seq LIMIT $5
        ) AS next
      ) AS measured
      WHERE bytes_before < ${MAX_DECISIVE_PAGE_BYTES}
      ORDER BY seq`,
    values: [id, after, eventCount, types, limit],
    readOnly: true,
  })
}

/**
 * The types of submitted events other than these, in the log at this version. With the ids of the first 10 events of
 * each type.
 */
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
      GROUP BY type ORDER BY min(seq) LIMIT ${MAX_OTHER_EVENT_TYPES}`,
    values: [id, eventCount, types],
    readOnly: true,
  })
}

/** The last two items of the log at its current version, or fewer if it has fewer. */
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

type LogPlace = Omit<LogEvent, 'payload'> & { seq: number }

/** The items of the log at this version that changed the status of a claim with an extended contract: two at most. */
export function readTurns(
  db: Connection,
  { id, eventCount, reviewStart }: { id: string; eventCount: number; reviewStart: number | null },
): Promise<LogPlace[]> {
  return db.query<LogPlace>({
    name: 'read_turns',
    text: `-- read_turns
      SELECT seq, id, type, system, created_at AS "createdAt" FROM claim_events
      WHERE claim_id = $1 AND seq <= $2 AND (system OR seq = $3) ORDER BY seq`,
    values: [id, eventCount, reviewStart],
    readOnly: true,
  })
}

/** The first late events, and their total number. */
export interface LateEvents {
  events: { id: string; lateMs: number }[]
  count: number
}

/**
 * The late events in the log at this version.
 * @param dueAt the time from which events without a stored lateness are late. Null if lateness is stored.
 */
export async function readLateEvents(
  db: Connection,
  { id, eventCount }: { id: string; eventCount: number },
  dueAt: Date | null,
): Promise<LateEvents> {
  const rows = await db.query<{ id: string; lateMs: number; count: number }>({
    name: 'read_late_events',
    text: `-- read_late_events
      SELECT id, coalesce(late_ms, extract(epoch FROM created_at - $3::timestamptz) * 1000)::float8 AS "lateMs",
        count(*) OVER ()::integer AS count
      FROM claim_events
      WHERE claim_id = $1 AND seq <= $2 AND NOT system AND (late_ms IS NOT NULL OR created_at >= $3)
      ORDER BY seq LIMIT ${MAX_EXPLAINED_EVENTS}`,
    values: [id, eventCount, dueAt],
    readOnly: true,
  })
  return { events: rows.map(({ id, lateMs }) => ({ id, lateMs })), count: rows[0]?.count ?? 0 }
}
