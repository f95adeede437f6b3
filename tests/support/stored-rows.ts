import assert from 'node:assert/strict'
import type { TestService } from './test-service.ts'

/** Whatever is done stores no row and changes none. */
export async function assertStoresNothing(service: TestService, work: () => Promise<void>): Promise<void> {
  const before = await fingerprint(service)
  await work()
  assert.deepEqual(await fingerprint(service), before)
}

/** Each table's row as text, but for what is written in the background. */
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
