import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { ApiClient } from '../../support/api-client.ts'
import { eventually } from '../../support/eventually.ts'
import { holdClaims } from '../../support/held-rows.ts'
import { newClaim } from '../../support/new-records.ts'
import type { TestService } from '../../support/test-service.ts'

/** Asserts that 64 batches of an account can be in progress, so no permit was lost, and that further batches get a permit afterwards. */
export async function assertAllPermits(
  t: TestContext,
  service: TestService,
  account: ApiClient,
): Promise<void> {
  const { id } = await newClaim(account)
  const held = await holdClaims(t, service.databaseUrl, [id])
  const events = [{ claim_id: id, type: 'note' }]
  const sent = Array.from({ length: 70 }, () => account.post('/v1/events/batch', { events }))
  await eventually(async () => service.app.submissions.waiting === 64)
  await held.release()
  for (const { status } of await Promise.all(sent)) assert.equal(status, 200)
}
