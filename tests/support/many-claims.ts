import { eventually } from './eventually.ts'
import { pairOf } from './source/claims.ts'
import type { TestService } from './test-service.ts'

/** Ids in the rows of `addManyClaims`. `n` is below 256. */
export const customerOf = (n: number) => `00000000-0000-7000-9000-${n.toString(16).padStart(12, '0')}`
export const schemaOf = (n: number) => `00000000-0000-7000-a000-${n.toString(16).padStart(12, '0')}`
export const clockOf = (n: number) => `00000000-0000-7000-b000-${n.toString(16).padStart(12, '0')}`

/**
 * Creates claims and as many candidates, alternately, over the 50 days up to yesterday, mostly resolved. Of each ten
 * records, three have customer 0, one has schema 0, and one has the region emea. Of each thousand records, one has schema
 * 1, one is on clock 0, and one has an `order` in its metadata.
 */
export async function addManyClaims(
  service: TestService,
  userId: string,
  count: number,
  /** Without it the planner has no statistics. */
  { isAnalysed } = { isAnalysed: true },
): Promise<void> {
  if (!isAnalysed) await service.sql('ALTER TABLE claims SET (autovacuum_enabled = off)')
  await service.sql(
    `INSERT INTO claims (id, user_id, customer_id, candidate_alias, customer_external_id, contract,
      decisive_event_types, price, status, scheduled_outcome, status_since, due_at, schema_id, test_clock_id, created_at,
      metadata)
    SELECT
      (lpad(to_hex((extract(epoch FROM created) * 1000)::bigint), 12, '0') || '7' || substr(md5(n || kind), 1, 3)
        || '8' || substr(md5(n || kind), 4, 15))::uuid,
      $1, ('00000000-0000-7000-9000-' || lpad(to_hex(customer), 12, '0'))::uuid,
      CASE kind WHEN 'candidate' THEN 'order-' || to_char(created, 'YYYY-MM-DD') || '-' || n END,
      CASE kind WHEN 'candidate' THEN 'customer-' || customer END,
      json_build_object('price', n % 1000 / 8.0), '{}', n % 1000 / 8.0, status,
      CASE status WHEN 'OPEN' THEN NULL WHEN 'PENDING' THEN 'FAILED' ELSE status END,
      CASE status WHEN 'OPEN' THEN created ELSE created + n % 80000 * interval '1 second' END,
      CASE WHEN status IN ('OPEN', 'PENDING') THEN date_trunc('milliseconds', now()) + n % 5000 * interval '1 minute' END,
      ('00000000-0000-7000-a000-' || CASE WHEN n % 10 = 3 THEN '000000000000' WHEN n % 1000 = 7 THEN '000000000001' END)::uuid,
      CASE WHEN n % 1000 = 5 THEN '00000000-0000-7000-b000-000000000000'::uuid END,
      created, CASE WHEN n % 10 = 4 THEN $3::jsonb WHEN n % 1000 = 7 THEN $4::jsonb END
    FROM (
      SELECT n, kind, date_trunc('milliseconds', now() - interval '51 days' + n * (interval '50 days' / $2)) AS created,
        CASE n % 20 WHEN 0 THEN 'OPEN' WHEN 1 THEN 'PENDING' WHEN 2 THEN 'FAILED' ELSE 'CONFIRMED' END AS status,
        CASE WHEN n % 10 < 3 THEN 0 ELSE n % 200 END AS customer
      FROM generate_series(1, $2::int) AS n, unnest(ARRAY['claim', 'candidate']) AS kind
      ORDER BY n
    ) AS made`,
    [userId, count, ...METADATA.map((one) => JSON.stringify(one))],
  )
  for (const metadata of METADATA) await addPairs(service, userId, metadata)
  if (isAnalysed) await eventually(() => vacuum(service))
}

/** One of ten claims, and one of a thousand. */
const METADATA: Record<string, string>[] = [{ region: 'emea' }, { order: 'A-7' }]

async function addPairs(
  { sql }: TestService,
  userId: string,
  metadata: Record<string, string>,
): Promise<void> {
  for (const [key, value] of Object.entries(metadata)) {
    await sql(
      `INSERT INTO claim_metadata (user_id, pair, position, claim_id)
      SELECT user_id, CASE WHEN candidate_alias IS NULL THEN $2::bigint ELSE $3::bigint END, position, id
      FROM claims WHERE user_id = $1 AND metadata @> $4::jsonb`,
      [
        userId,
        pairOf(userId, 'claim', key, value),
        pairOf(userId, 'candidate', key, value),
        JSON.stringify(metadata),
      ],
    )
  }
}

/**
 * Vacuums until all rows are visible to all transactions, so that index-only scans are possible. Returns whether it
 * succeeded: a transaction of another database may prevent it (seen on PostgreSQL 15).
 */
async function vacuum(service: Pick<TestService, 'sql'>): Promise<boolean> {
  await service.sql('VACUUM ANALYZE claims, claim_metadata')
  const [row] = await service.sql(
    "SELECT bool_and(relallvisible = relpages) AS is_visible FROM pg_class WHERE relname IN ('claims', 'claim_metadata')",
  )
  return row?.is_visible === true
}
