import assert from 'node:assert/strict'
import type { TestService } from './test-service.ts'

/** The work inserts no row and changes none. */
export async function assertStoresNothing(service: TestService, work: () => Promise<void>): Promise<void> {
  const before = await fingerprint(service)
  await work()
  assert.deepEqual(await fingerprint(service), before)
}

/** The rows of each table as text, without columns that background work writes. */
const TABLES = {
  customers: 't::text',
  claim_schemas: 't::text',
  calendars: 't::text',
  calendar_versions: 't::text',
  claims: 't::text',
  claim_events: 't::text',
  users: 't::text',
  credentials: 't::text',
  invitations: 't::text',
  api_tokens: "(to_jsonb(t) - 'last_used_at')::text",
}

async function fingerprint(service: TestService): Promise<Record<string, unknown>[]> {
  return service.sql(
    Object.entries(TABLES)
      .map(
        ([table, row]) =>
          `SELECT '${table}' AS name, count(*), sum(hashtextextended(${row}, 0)) FROM ${table} t`,
      )
      .join(' UNION ALL '),
  )
}
