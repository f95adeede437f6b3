import type { StoredClaimState, StoredItem } from '../core/claims/recompute.ts'
import type { Contract } from '../core/contracts/contract.ts'
import type { Connection } from '../platform/database/connection.ts'
import { MAX_COUNTED_CLAIMS, SAMPLE_SURPLUS_FACTOR } from './limits.ts'

/** A webhook endpoint with the end of its chain of deliveries. */
export interface AuditedEndpoint {
  id: string
  disabled: string | null
  failing: boolean
  lastNumber: number
  lastHash: string
  secret: Buffer
}

/** A delivery as a link of its endpoint's chain. */
interface Link {
  number: number
  hash: string
  previousHash: string
  /** Whether the hash matches the body. */
  isOfBody: boolean
}

export async function readAuditedEndpoints(db: Connection): Promise<AuditedEndpoint[]> {
  const rows = await db.query<Omit<AuditedEndpoint, 'lastNumber'> & { lastNumber: string }>({
    text: `-- read_endpoints_to_hold
      SELECT id, disabled, failing_since IS NOT NULL AS failing, last_number AS "lastNumber", last_hash AS "lastHash", secret
      FROM webhook_endpoints WHERE disabled IS DISTINCT FROM 'deleted' ORDER BY id`,
    readOnly: true,
  })
  return rows.map((row) => ({ ...row, lastNumber: Number(row.lastNumber) }))
}

/** The next deliveries to an endpoint. */
export async function readLinks(
  db: Connection,
  endpointId: string,
  after: number,
  count: number,
): Promise<Link[]> {
  const rows = await db.query<Omit<Link, 'number'> & { number: string }>({
    text: `-- read_links
      SELECT number, hash, previous_hash AS "previousHash",
        encode(sha256(convert_to(body, 'UTF8')), 'hex') = hash AS "isOfBody"
      FROM webhook_deliveries WHERE endpoint_id = $1 AND number > $2 ORDER BY number LIMIT $3`,
    values: [endpointId, after, count],
    readOnly: true,
  })
  return rows.map((row) => ({ ...row, number: Number(row.number) }))
}

/** A claim and the approximate size of its row and log. */
export interface ClaimSize {
  id: string
  bytes: number
}

/** The stored state, contract and log of a claim, read in one statement. */
export interface AuditRecord {
  id: string
  alias: string | null
  /** Null if the contract is missing. */
  contract: Contract | null
  /** Whether the contract matches its hash and the stored price. */
  isContractIntact: boolean
  stored: StoredClaimState
  items: StoredItem[]
}

const WEIGHT = 'id, log_bytes + 200 * event_count + 1000 AS bytes'
/** The next claims in the order of their ids. */
export const readClaimsAfter = (db: Connection, after: string, count: number): Promise<ClaimSize[]> =>
  db.query({
    text: `-- read_claims_after
      SELECT ${WEIGHT} FROM claims WHERE id > $1 ORDER BY id LIMIT $2`,
    values: [after, count],
    readOnly: true,
  })

/** A random sample of claims from random pages of the table. */
export async function sampleClaims(db: Connection, count: number, total: number): Promise<ClaimSize[]> {
  const percent = Math.min(100, (100 * SAMPLE_SURPLUS_FACTOR * count) / Math.max(1, total))
  return db.query({
    text: `-- draw_claims
      SELECT ${WEIGHT} FROM (
        SELECT id, log_bytes, event_count FROM claims TABLESAMPLE SYSTEM ($1) ORDER BY random() LIMIT $2
      ) AS drawn ORDER BY id`,
    values: [percent, count],
    readOnly: true,
  })
}

/** The number of claims; of a large table the planner's estimate. */
export async function countClaims(db: Connection): Promise<number> {
  const [row] = await db.query<{ count: string }>({
    text: `-- count_claims
      SELECT CASE WHEN reltuples > ${MAX_COUNTED_CLAIMS} THEN reltuples::bigint ELSE (SELECT count(*) FROM claims) END AS count
      FROM pg_class WHERE oid = 'claims'::regclass`,
    readOnly: true,
  })
  return Number(row?.count)
}

interface Row {
  id: string
  alias: string | null
  contract: string | null
  is_contract_intact: boolean | null
  status: StoredClaimState['status']
  scheduled_outcome: StoredClaimState['scheduledOutcome']
  status_since: Date
  due_at: Date | null
  created_at: Date
  event_count: number
  log_bytes: number
  review_start: number | null
  remaining_ms: string | null
  clock_since: Date | null
  log_digest: Buffer | null
  log: StoredItem[] | null
}

/** Claims with their logs, without payloads that no condition reads. Claims that were deleted meanwhile are omitted. */
export async function readAuditRecords(db: Connection, ids: readonly string[]): Promise<AuditRecord[]> {
  const document = 'coalesce(k.document, c.contract)'
  const types = 'coalesce(k.event_types, c.decisive_event_types)'
  const rows = await db.query<Row>({
    text: `-- read_lives
      SELECT c.id, candidate_alias AS alias, ${document}::text AS contract,
        coalesce(sha256(convert_to(k.document::text, 'UTF8')) = k.hash, true) AND (${document}->>'price')::numeric = price
          AS is_contract_intact,
        status, scheduled_outcome, status_since, due_at, created_at, event_count, log_bytes, review_start, remaining_ms, clock_since, log_digest,
        log.items AS log
      FROM claims c
      LEFT JOIN contracts k ON k.hash = c.contract_hash
      LEFT JOIN LATERAL (
        SELECT json_agg(json_build_object('seq', e.seq, 'id', e.id, 'type', e.type, 'system', e.system,
            'createdAt', e.created_at, 'payloadBytes', octet_length(e.payload::text), 'lateMs', e.late_ms,
            'payload', CASE WHEN e.type = ANY (${types}) THEN e.payload END) ORDER BY e.seq) AS items
        FROM claim_events e WHERE e.claim_id = c.id ${db.distribution.andIn('e.claim_id', '$1')}
      ) log ON true
      WHERE c.id = ANY ($1)`,
    values: [ids],
    readOnly: true,
  })
  return rows.map((row) => ({
    id: row.id,
    alias: row.alias,
    contract: row.contract === null ? null : JSON.parse(row.contract),
    isContractIntact: row.is_contract_intact === true,
    stored: {
      createdAt: row.created_at,
      status: row.status,
      scheduledOutcome: row.scheduled_outcome,
      statusSince: row.status_since,
      dueAt: row.due_at,
      eventCount: row.event_count,
      logBytes: row.log_bytes,
      reviewStart: row.review_start,
      ...(row.clock_since && { clock: { remainingMs: Number(row.remaining_ms), since: row.clock_since } }),
      digest: row.log_digest,
    },
    items: (row.log ?? []).map((item) => ({
      ...item,
      createdAt: new Date(item.createdAt),
      payload: item.payload ?? {},
    })),
  }))
}

export interface ServerFacts {
  version: string
  /** Such as 180004. */
  versionNumber: number
  encoding: string
}

export async function readServerFacts(db: Connection): Promise<ServerFacts> {
  const [facts] = await db.query<ServerFacts>({
    text: `-- read_server_facts
      SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS "versionNumber",
        current_setting('server_encoding') AS encoding`,
    readOnly: true,
  })
  return facts as ServerFacts
}

/** Whether the server is a standby, which accepts no writes. */
export async function isStandby(db: Connection): Promise<boolean> {
  const [row] = await db.query<{ is: boolean }>({ text: 'SELECT pg_is_in_recovery() AS is', readOnly: true })
  return row?.is === true
}

/** A limit of PostgreSQL on connections, and its use. */
export interface ConnectionLimit {
  /** Such as "CONNECTION LIMIT of the role claims". */
  name: string
  limit: number
  /** Sessions that count towards the limit, without the current one: of Claimkeeper in this database, and of others. */
  usedByClaimkeeper: number
  usedByOthers: number
}

/** All limits for this role. For a superuser only max_connections counts, including reserved connections. */
export function readConnectionLimits(db: Connection): Promise<ConnectionLimit[]> {
  return db.query<ConnectionLimit>({
    // PostgreSQL hides the backend_type of other roles' sessions from roles without pg_read_all_stats.
    text: `-- read_connection_limits
      WITH role AS (
        SELECT oid, rolname, rolsuper, rolconnlimit,
          (SELECT pg_has_role(r.oid, p.oid, 'USAGE') FROM pg_roles p WHERE p.rolname = 'pg_use_reserved_connections')
            AS has_reserved
        FROM pg_roles r WHERE rolname = session_user
      ),
      place AS (SELECT oid, datname, datconnlimit FROM pg_database WHERE datname = current_database()),
      session AS (
        SELECT usesysid, datid,
          datid = (SELECT oid FROM place) AND coalesce(application_name, '') LIKE 'claimkeeper%' AS is_ours
        FROM pg_stat_activity
        WHERE usesysid IS NOT NULL AND pid <> pg_backend_pid()
          AND coalesce(backend_type, 'client backend') = 'client backend'
      ),
      bound AS (
        SELECT format('CONNECTION LIMIT of the role %s', rolname) AS name, rolconnlimit AS most, oid AS role, NULL::oid AS place
        FROM role WHERE rolconnlimit >= 0 AND NOT rolsuper
        UNION ALL
        SELECT format('CONNECTION LIMIT of the database %s', datname), datconnlimit, NULL, place.oid
        FROM place, role WHERE datconnlimit >= 0 AND NOT rolsuper
        UNION ALL
        SELECT CASE WHEN rolsuper THEN 'max_connections' ELSE 'max_connections without reserved connections' END,
          current_setting('max_connections')::integer - CASE WHEN rolsuper THEN 0 ELSE
            current_setting('superuser_reserved_connections')::integer
              + CASE WHEN has_reserved THEN 0 ELSE coalesce(current_setting('reserved_connections', true)::integer, 0) END
          END, NULL, NULL
        FROM role
      )
      SELECT name, most AS limit, count(*) FILTER (WHERE is_ours)::integer AS "usedByClaimkeeper",
        count(*) FILTER (WHERE NOT is_ours)::integer AS "usedByOthers"
      FROM bound LEFT JOIN session
        ON (role IS NULL OR role = usesysid) AND (bound.place IS NULL OR bound.place = datid)
      GROUP BY name, most`,
    readOnly: true,
  })
}

/** Calendars that are not deleted. */
export async function countCalendars(db: Connection): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    text: `-- count_calendars
      SELECT count(*)::integer AS count FROM calendars WHERE deleted_at IS NULL`,
    readOnly: true,
  })
  return row?.count ?? 0
}

/** Of all versions, because claims may use each. */
export async function readCalendarTimeZones(db: Connection): Promise<string[]> {
  const rows = await db.query<{ time_zone: string }>({
    text: `-- read_calendar_time_zones
      SELECT time_zone FROM calendars UNION SELECT time_zone FROM calendar_versions ORDER BY time_zone`,
    readOnly: true,
  })
  return rows.map(({ time_zone }) => time_zone)
}

/** Calendars with holidays, of which the last is within that many days, or past; the earliest first. Dates are sorted. */
export async function readEndingCalendars(
  db: Connection,
  days: number,
  limit: number,
): Promise<{ id: string; last: string }[]> {
  return db.query<{ id: string; last: string }>({
    text: `-- read_ending_calendars
      SELECT id, holidays->>-1 AS last FROM calendars
      WHERE deleted_at IS NULL AND holidays->>-1 <= to_char(now() AT TIME ZONE 'UTC' + $1::integer * interval '1 day', 'YYYY-MM-DD')
      ORDER BY last, id LIMIT $2`,
    values: [days, limit],
    readOnly: true,
  })
}
