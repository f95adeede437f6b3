import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addLargeSchemas, heavyContract, largeContract } from '../../support/large-records.ts'
import { newCustomer, newSchema } from '../../support/new-records.ts'
import { runBatch } from '../../support/run-batch.ts'
import { startTestService } from '../../support/test-service.ts'

/* A batch that names schemas is small, however large their contracts are: those are bounded as well. */

const service = await startTestService({ after })
const { api } = service
const MOST = Math.floor((2 * 1024 * 1024) / JSON.stringify(largeContract()).length)

test('beyond 2 MiB of contracts of its schemas the items of a batch are answered 413 (§8)', async () => {
  const customer = await newCustomer(api)
  const small = await newSchema(api)
  await addLargeSchemas(service.sql, small.id, MOST + 10)
  const large = await service.sql('SELECT id FROM claim_schemas WHERE id <> $1', [small.id])
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

for (const [values, most] of [
  [21_700, 23],
  [12_000, 16],
] as const) {
  test(`contracts that could never be in memory together are answered 413 as well: ${values} values in each (§8)`, async () => {
    const other = await service.newAccount()
    const customer = await newCustomer(other)
    const schema = await newSchema(other)
    await addLargeSchemas(service.sql, schema.id, most + 3, heavyContract(values))
    const { data } = (await other.get('/v1/schemas')).body
    const items = data
      .filter(({ id }: { id: string }) => id !== schema.id)
      .map(({ id }: { id: string }) => ({ customer_id: customer.id, schema_id: id }))
    const results = await runBatch(other, '/v1/claims/batch', items)
    assert.deepEqual(
      results.map(({ status }) => status),
      [...Array(most).fill(201), 413, 413, 413],
    )
    assert.match(results[most].error.message, /another batch/)

    const rest = await runBatch(other, '/v1/claims/batch', items.slice(most))
    assert.ok(rest.every(({ status }) => status === 201))
  })
}

test('so are those that could never be beside the batch itself, however short it is (§8)', async () => {
  const other = await service.newAccount()
  const customer = await newCustomer(other)
  const schema = await newSchema(other)
  await addLargeSchemas(service.sql, schema.id, 24, heavyContract(21_700))
  const { data } = (await other.get('/v1/schemas')).body
  const claims = data.slice(1).map(({ id }: { id: string }) => ({ customer_id: customer.id, schema_id: id }))
  const body = JSON.stringify({ claims }) + ' '.repeat(100_000)
  const { results } = (
    await other.send('POST', '/v1/claims/batch', body, { 'Content-Type': 'application/json' })
  ).body
  const statuses = results.map(({ status }: { status: number }) => status)
  assert.ok(statuses.indexOf(413) > 15, `${statuses}`)
  assert.deepEqual(new Set(statuses), new Set([201, 413]))
})
