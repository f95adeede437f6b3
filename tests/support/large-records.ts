import type { ClientBase, Pool } from 'pg'
import { contractWith } from './contracts.ts'

/* Records of the maximum size, inserted directly into the database. */

type Sql = (text: string, values?: unknown[]) => Promise<unknown>

/** A contract of nearly 64 KiB. */
export const largeContract = (n = 0) =>
  contractWith({ fulfillment_condition: { event: 'done', match: `${n} ${'x'.repeat(65_000)}` } })

/** A contract whose values take far more memory as objects than as text. */
export const heavyContract = (values: number) =>
  contractWith({
    fulfillment_condition: { event: 'done', match: { x: Array.from({ length: values }, () => []) } },
  })

/** Inserts copies of a schema with this contract. Default: nearly 64 KiB. */
export const addLargeSchemas = (sql: Sql, schemaId: string, count: number, contract = largeContract()) =>
  sql(
    `INSERT INTO claim_schemas (user_id, id, contract, created_at, updated_at)
      SELECT user_id, gen_random_uuid(), $2::json, created_at, updated_at
      FROM claim_schemas, generate_series(1, $3::integer) WHERE id = $1`,
    [schemaId, JSON.stringify(contract), count],
  )

/** Inserts this number of events into the log of a claim without events, with payloads of this size. */
export async function fillLog(sql: Sql, claimId: string, events: number, bytes: number): Promise<void> {
  const value = 'v'.repeat(bytes - '{"value":""}'.length)
  await sql(
    `INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
      SELECT $1, n, 'event-' || n, 'filler', $2::json, false, date_trunc('milliseconds', clock_timestamp())
      FROM generate_series(1, $3::integer) AS n`,
    [claimId, JSON.stringify({ value }), events],
  )
  await sql('UPDATE claims SET event_count = $2, log_bytes = $3 WHERE id = $1', [
    claimId,
    events,
    events * bytes,
  ])
}

/** A function that runs SQL on this pool or client. */
export const sqlOf =
  (database: ClientBase | Pool): Sql =>
  (text, values) =>
    database.query(text, values)
