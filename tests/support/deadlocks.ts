import type { TestService } from './test-service.ts'

/** Deadlocks that PostgreSQL has ended in the service's database. */
export async function countDeadlocks({ sql }: Pick<TestService, 'sql'>): Promise<number> {
  const [row] = await sql('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')
  return Number(row?.deadlocks)
}
