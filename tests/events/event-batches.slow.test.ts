import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newClaim } from '../support/new-records.ts'
import { runBatch } from '../support/run-batch.ts'
import { sharedService } from '../support/shared.ts'

const { api } = await sharedService()
const KIB = 1024

test('a batch of events just under 256 KiB each, 8 MiB in all, is recorded', async () => {
  const { id } = await newClaim(api)
  const items = Array.from({ length: 31 }, (_, i) => ({
    claim_id: id,
    id: `${i}`,
    type: 'a',
    value: 'v'.repeat(256 * KIB - 20),
  }))
  const results = await runBatch(api, '/v1/events/batch', items)
  assert.ok(results.every(({ status }) => status === 201))
  const { events } = await api.readClaim(id)
  assert.deepEqual(
    events.map((event: { id: string }) => event.id),
    items.map((item) => item.id),
  )
})
