import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addLargeSchemas, largeContract } from '../support/large-records.ts'
import { newCustomer, newSchema } from '../support/new-records.ts'
import { runBatch } from '../support/run-batch.ts'
import { sharedService } from '../support/shared.ts'

/* A batch that names schemas is small, however large their contracts are: those are bounded as well. */

const service = await sharedService()
const { api } = service
const MOST = Math.floor((2 * 1024 * 1024) / JSON.stringify(largeContract()).length)

test('beyond 2 MiB of contracts of its schemas the items of a batch are answered 413 (§8)', async () => {
  const customer = await newCustomer(api)
  const small = await newSchema(api)
  await addLargeSchemas(service.sql, small.id, MOST + 10)
  const large = await service.sql('SELECT id FROM claim_schemas WHERE id <> $1 AND user_id = $2', [
    small.id,
    small.user_id,
  ])
  const items = [...large, ...large.slice(0, 2)].map(({ id }) => ({
    customer_id: customer.id,
    schema_id: id,
  }))
  const results = await runBatch(api, '/v1/claims/batch', items)
  const refused = (i: number) => i >= MOST && i < large.length
  assert.deepEqual(
    results.map(({ status }) => status),
    items.map((_, i) => (refused(i) ? 413 : 201)),
  )
  assert.equal(results[MOST].error.code, 'PAYLOAD_TOO_LARGE')
  assert.match(results[MOST].error.message, /2 MiB/)

  const rest = await runBatch(api, '/v1/claims/batch', items.slice(MOST, large.length))
  assert.ok(rest.every(({ status }) => status === 201))
})
