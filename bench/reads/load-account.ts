import { pairOf } from '../../src/platform/database/metadata.ts'
import { storeContract } from '../../tests/support/store-contract.ts'
import type { BenchDatabase } from '../bench-database.ts'
import { CONTRACT } from '../claims.ts'
import { idPrefix } from '../load/submissions.ts'
import {
  AVERAGE_CUSTOMERS,
  CUSTOMER,
  candidateStatus,
  claimStatus,
  customerId,
  customerOf,
  METADATA,
} from './account.ts'

const CHUNK = 100_000
/** Share of the loading time. Rebuilding the indexes takes the rest. */
const LOADING_SHARE = 0.6

/** Claims are numbered from 1 in the order of the list. */
export const CLAIM_SET = 1

/** Fills an account with claims and a tenth as many candidates. A tenth of the claims have events. */
export async function loadAccount(
  database: BenchDatabase,
  claims: number,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const { sql } = database
  await sql.query(`SET synchronous_commit = off; SET maintenance_work_mem = '512MB'`)
  await loadCustomers(database)
  const indexes = await dropSecondaryIndexes(database)
  for (let from = 1; from <= claims; from += CHUNK) {
    await loadChunk(database, claims, from, Math.min(from + CHUNK - 1, claims))
    onProgress((LOADING_SHARE * from) / claims)
  }
  await addPairs(database)
  for (const [done, definition] of indexes.entries()) {
    await sql.query(definition)
    onProgress(LOADING_SHARE + ((1 - LOADING_SHARE) * done) / indexes.length)
  }
  await sql.query('VACUUM ANALYZE')
}

async function loadCustomers({ sql, userId }: BenchDatabase): Promise<void> {
  await sql.query(
    `INSERT INTO customers (user_id, id, external_id, created_at)
     SELECT $1, ($2 || lpad(to_hex(n), 12, '0'))::uuid, 'customer-' || n, now() - interval '3 days'
     FROM generate_series(1, $3::int) n`,
    [userId, customerId(1).slice(0, 24), CUSTOMER.firstAverage + AVERAGE_CUSTOMERS - 1],
  )
}

/** Adds the metadata pairs by which lists find claims. */
async function addPairs({ sql, userId }: BenchDatabase): Promise<void> {
  for (const metadata of Object.values(METADATA)) {
    const [pair] = Object.entries(metadata) as [[string, string]]
    await sql.query(
      `INSERT INTO claim_metadata (user_id, pair, position, claim_id)
       SELECT user_id, $2, position, id FROM claims
       WHERE user_id = $1 AND candidate_alias IS NULL AND metadata @> $3::jsonb`,
      [userId, pairOf(userId, 'claim', ...pair), JSON.stringify(metadata)],
    )
  }
}

/** Returns the statements that create the indexes again. */
async function dropSecondaryIndexes({ sql }: BenchDatabase): Promise<string[]> {
  const { rows } = await sql.query<{ name: string; definition: string }>(
    `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = 'claims'::regclass AND NOT i.indisunique`,
  )
  for (const { name } of rows) await sql.query(`DROP INDEX ${name}`)
  return rows.map(({ definition }) => definition)
}

async function loadChunk(database: BenchDatabase, claims: number, from: number, to: number): Promise<void> {
  const contract = [database.userId, await storeContract(database.sql, CONTRACT), CONTRACT.price]
  const customers = customerId(1).slice(0, 24)
  await database.sql.query(insertRecords('claim', claims), [
    from,
    to,
    ...contract,
    idPrefix(CLAIM_SET),
    customers,
  ])
  await database.sql.query(INSERT_EVENTS, [from, to, idPrefix(CLAIM_SET)])
  await database.sql.query(insertRecords('candidate', claims / 10), [
    Math.floor((from - 1) / 10) + 1,
    Math.floor(to / 10),
    ...contract,
    CANDIDATE_NAMESPACE,
    customers,
  ])
}

const CANDIDATE_NAMESPACE = 'claimkeeper/candidate_alias:'

/** The same id as in src/claims/claim-ids.ts. */
const VERSION_SET = 'set_byte(substring(hash FROM 1 FOR 16), 6, get_byte(hash, 6) & 15 | 128)'
const CANDIDATE_ID = `encode(set_byte(${VERSION_SET}, 8, get_byte(hash, 8) & 63 | 128), 'hex')::uuid`

function insertRecords(kind: 'claim' | 'candidate', count: number): string {
  const isClaim = kind === 'claim'
  const hash = isClaim ? "''::bytea" : "sha256(convert_to($6 || 'candidate-' || n, 'UTF8'))"
  return `
    INSERT INTO claims (id, user_id, customer_id, candidate_alias, customer_external_id, contract_hash,
      price, status, scheduled_outcome, status_since, due_at, event_count, created_at, metadata)
    SELECT ${isClaim ? "($6 || lpad(to_hex(n), 12, '0'))::uuid" : CANDIDATE_ID}, $3,
      ($7 || lpad(to_hex(customer), 12, '0'))::uuid,
      ${isClaim ? 'NULL, NULL' : "'candidate-' || n, 'customer-' || customer"}, $4, $5,
      status, CASE WHEN status = 'OPEN' THEN NULL WHEN status = 'PENDING' THEN 'CONFIRMED' ELSE status END,
      created, CASE WHEN status IN ('OPEN', 'PENDING') THEN created + interval '90 days' END,
      ${isClaim ? 'CASE WHEN n % 10 = 3 THEN 3 ELSE 0 END' : '0'}, created,
      CASE WHEN n % 10 = 4 THEN '${JSON.stringify(METADATA.many)}'::jsonb WHEN n % 1000 = 7 THEN '${JSON.stringify(METADATA.few)}'::jsonb END
    FROM (
      SELECT n, ${customerOf(count)} AS customer, ${isClaim ? claimStatus(count) : candidateStatus(count)} AS status,
        ${hash} AS hash, date_trunc('milliseconds', now()) - interval '2 days' + n * interval '1 millisecond' AS created
      FROM generate_series($1::int, $2::int) n
    ) record`
}

const INSERT_EVENTS = `
  INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
  SELECT ($3 || lpad(to_hex(n), 12, '0'))::uuid, seq, 'first-' || seq, 'agent_replied', '{"value":2,"agent":"a-17"}',
    false, now() - interval '1 day'
  FROM generate_series($1::int, $2::int) n, generate_series(1, 3) seq
  WHERE n % 10 = 3`
