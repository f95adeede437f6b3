import { EventLog } from '../src/core/claims/event-log.ts'
import { writeDigest } from '../src/core/claims/log-digest.ts'
import type { Contract } from '../src/core/contracts/contract.ts'
import { storeContract } from '../tests/support/store-contract.ts'
import type { BenchDatabase } from './bench-database.ts'
import { idPrefix } from './load/submissions.ts'

/** The contract of every claim. Satisfaction below 4 leaves it OPEN. */
export const CONTRACT = {
  price: 49.5,
  activity_window: 31_536_000,
  review_window: 86_400,
  timeout_outcome: 'fail' as const,
  fulfillment_condition: {
    op: 'AND' as const,
    conditions: [{ event: 'ticket_resolved' }, { event: 'satisfaction', gte: 4 }],
  },
}

/** Like CONTRACT, but one event settles the claim, which creates a notification. */
export const SINGLE_EVENT_CONTRACT = {
  ...CONTRACT,
  fulfillment_condition: { event: 'satisfaction', gte: 4 },
}

/** CONTRACT as a JSON field of a creation. */
export const CONTRACT_FIELD = `"contract":${JSON.stringify(CONTRACT)}`

/** Events in each claim's log before a run. */
const FIRST_EVENTS = 3
const PAYLOAD = '{"value":2,"agent":"a-17"}'
const CHUNK = 50_000

export interface ClaimSet {
  set: number
  claims: number
  /** Numbers of the loaded claims. By default all. */
  numbers?: readonly number[]
  contract?: Contract
  /** Null for OPEN claims. Otherwise claims are PENDING and due within the minute that ends at this time. */
  dueBy: Date | null
}

/** Inserts a set of claims with short logs by SQL. */
export async function loadClaims(
  database: BenchDatabase,
  { set, claims, numbers, contract = CONTRACT, dueBy }: ClaimSet,
  onProgress: (fraction: number) => void = () => {},
): Promise<void> {
  const contractHash = await storeContract(database.sql, contract)
  const digest = digestOf(contract)
  const all = numbers ?? Array.from({ length: claims }, (_, i) => i + 1)
  for (let from = 0; from < all.length; from += CHUNK) {
    const chunk = all.slice(from, from + CHUNK)
    await database.sql.query(INSERT_CLAIMS, [
      idPrefix(set),
      chunk,
      database.userId,
      database.customerId,
      contractHash,
      contract.price,
      FIRST_EVENTS,
      FIRST_EVENTS * PAYLOAD.length,
      dueBy,
      digest,
    ])
    await database.sql.query(INSERT_EVENTS, [idPrefix(set), chunk, FIRST_EVENTS, PAYLOAD])
    onProgress((from + chunk.length) / all.length)
  }
}

/** The digest that the service would store: none of the events satisfies a leaf. */
const digestOf = ({ fulfillment_condition: condition }: Contract) =>
  writeDigest(
    condition,
    new EventLog(condition),
    [],
    Array.from({ length: FIRST_EVENTS }, (_, i) => `first-${i + 1}`),
  )

/** Due times differ and are not in the order of the rows, as in real data. */
const INSERT_CLAIMS = `
  INSERT INTO claims (id, user_id, customer_id, contract_hash, price, status, scheduled_outcome,
    status_since, due_at, event_count, log_bytes, log_digest, last_event_at, created_at)
  SELECT ($1 || lpad(to_hex(n), 12, '0'))::uuid, $3, $4, $5, $6,
    CASE WHEN $9::timestamptz IS NULL THEN 'OPEN' ELSE 'PENDING' END,
    CASE WHEN $9::timestamptz IS NULL THEN NULL WHEN n % 2 = 0 THEN 'CONFIRMED' ELSE 'FAILED' END,
    created, coalesce($9::timestamptz - n::bigint * 7919 % 59000 * interval '1 millisecond', created + interval '1 year'),
    $7, $8, CASE WHEN $9::timestamptz IS NULL THEN decode($10, 'hex') END,
    CASE WHEN $9::timestamptz IS NULL THEN created + interval '1 day' END, created
  FROM unnest($2::int[]) n,
    (SELECT date_trunc('milliseconds', now()) - interval '2 days' AS created) time`

const INSERT_EVENTS = `
  INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
  SELECT ($1 || lpad(to_hex(n), 12, '0'))::uuid, seq, 'first-' || seq,
    CASE WHEN seq = 1 THEN 'ticket_opened' ELSE 'agent_replied' END, $4, false,
    date_trunc('milliseconds', now()) - interval '1 day'
  FROM unnest($2::int[]) n, generate_series(1, $3::int) seq`

/** Must run before each measurement: a generic plan that PostgreSQL chose for an empty table keeps scanning the table. */
export async function analyze({ sql }: BenchDatabase): Promise<void> {
  await sql.query('VACUUM ANALYZE claims')
  await sql.query('VACUUM ANALYZE claim_events')
}

/** Removes the data of earlier measurements. */
export async function clearClaims({ sql }: BenchDatabase): Promise<void> {
  await sql.query('TRUNCATE claims, claim_events')
}
