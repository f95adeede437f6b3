import type { StoredItem, StoredLife } from '../core/claims/recompute.ts'
import type { Contract } from '../core/contracts/contract.ts'
import type { Connection } from '../platform/database/connection.ts'

/** A claim, and about how many bytes it and its log take. */
export interface ClaimWeight {
  id: string
  bytes: number
}

/** All that is stored of a claim's life, as of one moment. */
export interface ReadLife {
  id: string
  alias: string | null
  /** Null if it is missing. */
  contract: Contract | null
  /** Whether the contract is the document that its hash is of, and has the price that is stored. */
  isContractRight: boolean
  stored: StoredLife
  items: StoredItem[]
}

const WEIGHT = 'id, log_bytes + 200 * event_count + 1000 AS bytes'
/** Claims of a table that is not counted. */
const LARGE = 1_000_000
/** So many times what is wanted is drawn, whole pages of the table: it need not be read to its end. */
const SURPLUS = 3

/** The next claims in the order of their ids. */
export const readClaimsAfter = (db: Connection, after: string, count: number): Promise<ClaimWeight[]> =>
  db.query({
    text: `-- read_claims_after
      SELECT ${WEIGHT} FROM claims WHERE id > $1 ORDER BY id LIMIT $2`,
    values: [after, count],
    readOnly: true,
  })

/** So many claims, drawn by lot as pages of the table. */
export async function drawClaims(db: Connection, count: number, ofAll: number): Promise<ClaimWeight[]> {
  const percent = Math.min(100, (100 * SURPLUS * count) / Math.max(1, ofAll))
  return db.query({
    text: `-- draw_claims
      SELECT ${WEIGHT} FROM (
        SELECT id, log_bytes, event_count FROM claims TABLESAMPLE SYSTEM ($1) ORDER BY random() LIMIT $2
      ) AS drawn ORDER BY id`,
    values: [percent, count],
    readOnly: true,
  })
}

/** Of a large table about how many there are: to count them all would take too long. */
export async function countClaims(db: Connection): Promise<number> {
  const [row] = await db.query<{ count: string }>({
    text: `-- count_claims
      SELECT CASE WHEN reltuples > ${LARGE} THEN reltuples::bigint ELSE (SELECT count(*) FROM claims) END AS count
      FROM pg_class WHERE oid = 'claims'::regclass`,
    readOnly: true,
  })
  return Number(row?.count)
}

interface Row {
  id: string
  alias: string | null
  contract: string | null
  is_contract_right: boolean | null
  status: StoredLife['status']
  scheduled_outcome: StoredLife['scheduledOutcome']
  status_since: Date
  due_at: Date | null
  created_at: Date
  event_count: number
  log_bytes: number
  log_digest: Buffer | null
  log: StoredItem[] | null
}

/** Claim and log by one statement. Payloads of events that no condition looks at are left out; those that are gone since, too. */
export async function readLives(db: Connection, ids: readonly string[]): Promise<ReadLife[]> {
  const document = 'coalesce(k.document, c.contract)'
  const types = 'coalesce(k.event_types, c.decisive_event_types)'
  const rows = await db.query<Row>({
    text: `-- read_lives
      SELECT c.id, candidate_alias AS alias, ${document}::text AS contract,
        coalesce(sha256(convert_to(k.document::text, 'UTF8')) = k.hash, true) AND (${document}->>'price')::numeric = price
          AS is_contract_right,
        status, scheduled_outcome, status_since, due_at, created_at, event_count, log_bytes, log_digest, log.items AS log
      FROM claims c
      LEFT JOIN contracts k ON k.hash = c.contract_hash
      LEFT JOIN LATERAL (
        SELECT json_agg(json_build_object('seq', e.seq, 'id', e.id, 'type', e.type, 'system', e.system,
            'createdAt', e.created_at, 'payloadBytes', octet_length(e.payload::text),
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
    isContractRight: row.is_contract_right === true,
    stored: {
      createdAt: row.created_at,
      status: row.status,
      scheduledOutcome: row.scheduled_outcome,
      statusSince: row.status_since,
      dueAt: row.due_at,
      eventCount: row.event_count,
      logBytes: row.log_bytes,
      digest: row.log_digest,
    },
    items: (row.log ?? []).map((item) => ({
      ...item,
      createdAt: new Date(item.createdAt),
      payload: item.payload ?? {},
    })),
  }))
}
