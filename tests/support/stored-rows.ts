import assert from 'node:assert/strict'
import type { TestService } from './test-service.ts'

/** Whatever is done stores no row and changes none. */
export async function assertStoresNothing(service: TestService, work: () => Promise<void>): Promise<void> {
  const before = await fingerprint(service)
  await work()
  assert.deepEqual(await fingerprint(service), before)
}

async function fingerprint(service: TestService): Promise<Record<string, unknown>[]> {
  return service.sql(
    ['customers', 'claim_schemas', 'claims', 'claim_events']
      .map(
        (table) =>
          `SELECT '${table}' AS name, count(*), md5(string_agg(t::text, '' ORDER BY t::text)) FROM ${table} t`,
      )
      .join(' UNION ALL '),
  )
}
