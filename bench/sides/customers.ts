import type { BenchDatabase } from '../bench-database.ts'
import { customerPrefix } from '../load/creations.ts'

/** Number of customers that claims are created for. The account whose lists are read has other customers. */
export const CUSTOMERS = 10_000

export async function addCustomers({ sql, userId }: BenchDatabase): Promise<void> {
  await sql.query(
    `INSERT INTO customers (user_id, id, external_id, created_at)
     SELECT $1, ($2 || lpad(to_hex(n), 12, '0'))::uuid, 'creation-' || n, now() - interval '1 hour'
     FROM generate_series(1, $3::int) n`,
    [userId, customerPrefix, CUSTOMERS],
  )
  await sql.query('VACUUM ANALYZE customers')
}
