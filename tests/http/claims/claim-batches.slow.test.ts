import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractWith } from '../../support/contracts.ts'
import { addLargeSchemas, heavyContract } from '../../support/large-records.ts'
import { newCustomer, newSchema, uniqueName } from '../../support/new-records.ts'
import { runBatch } from '../../support/run-batch.ts'
import { sharedService } from '../../support/shared.ts'
import { startTestService } from '../../support/test-service.ts'

const service = await sharedService()
const { api } = service
const customer = await newCustomer(api)
const alias = () => uniqueName('alias')
const of = (candidate_alias: string, price: number) => ({
  customer_uuid: customer.external_id,
  candidate_alias,
  contract: contractWith({ price }),
})
const bodiesOf = (aliases: string[], customer_uuid: string) =>
  aliases.map((candidate_alias) => ({ candidate_alias, customer_uuid, contract: contractWith() }))

test('batches at once with the same aliases in opposite orders open each alias once, on two servers', async (t) => {
  const second = await startTestService(t, { databaseUrl: service.databaseUrl })
  const there = second.clientWith(api.token)
  for (let round = 0; round < 5; round++) {
    const aliases = Array.from({ length: 200 }, alias)
    const batches = await Promise.all(
      Array.from({ length: 6 }, (_, n) => {
        const order = n % 2 ? aliases.toReversed() : aliases
        const items = order.map((one) => of(one, n))
        return runBatch(n % 3 ? api : there, '/v1/candidates/batch', items)
      }),
    )
    const opened = batches.flat().filter(({ status }) => status === 201)
    assert.ok(batches.flat().every(({ status }) => status === 201 || status === 409))
    assert.deepEqual(opened.map(({ candidate }) => candidate.candidate_alias).sort(), aliases.sort())
    const stored = await service.sql(
      `SELECT candidate_alias, price::int AS price FROM claims
       WHERE candidate_alias = ANY ($1) ORDER BY 1`,
      [aliases],
    )
    const answered = opened
      .map(({ candidate }) => ({
        candidate_alias: candidate.candidate_alias,
        price: candidate.contract.price,
      }))
      .sort((a, b) => (a.candidate_alias < b.candidate_alias ? -1 : 1))
    assert.deepEqual(stored, answered)
  }
})

test('100 to 200 aliases of another account are told of in a minute, however many are asked for at once (§4.2)', async () => {
  const aliases = Array.from({ length: 260 }, alias)
  const results = await runBatch(api, '/v1/candidates/batch', bodiesOf(aliases, customer.external_id))
  assert.ok(results.every(({ status }) => status === 201))
  const curious = await service.newAccount()
  const { external_id } = await newCustomer(curious)
  const send = (body: object) => curious.post('/v1/candidates', body)
  const answers = await Promise.all(bodiesOf(aliases, external_id).map(send))
  const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length
  // A slow machine may have no time for all of them at once.
  const [told, untried] = [count(409), count(503)]
  assert.ok(told + untried >= 100 && told <= 200, `${told} were told`)
  assert.equal(count(429), 260 - told - untried)
})

/* A batch that names schemas is small, however large their contracts are as objects: those are bounded as well. */

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
