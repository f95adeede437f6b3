import type { TestService } from './test-service.ts'

/** Number of deadlocks that PostgreSQL has detected in the service's database. */
export async function countDeadlocks({ sqlOnEach }: Pick<TestService, 'sqlOnEach'>): Promise<number> {
  const rows = await sqlOnEach('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')
  return rows.reduce((sum, { deadlocks }) => sum + Number(deadlocks), 0)
}
