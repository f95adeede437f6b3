import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addLargeSchemas, heavyContract } from '../support/large-records.ts'
import { candidateBody, newCustomer, newSchema, uniqueName } from '../support/new-records.ts'
import { runBatch } from '../support/run-batch.ts'
import { sharedSecondService, sharedService } from '../support/shared.ts'

const service = await sharedService()
const { api } = service
const customer = await newCustomer(api)
const alias = () => uniqueName('alias')

test('batches at once with the same aliases in opposite orders open each alias once, on two servers', async () => {
  const there = (await sharedSecondService()).clientWith(api.token)
  for (let round = 0; round < 5; round++) {
    const aliases = Array.from({ length: 200 }, alias)
    const batches = await Promise.all(
      Array.from({ length: 6 }, (_, n) => {
        const order = n % 2 ? aliases.toReversed() : aliases
        const items = order.map((one) => candidateBody(one, customer, { price: n }))
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

test('an account learns of 100 to 200 foreign aliases in a minute, however many it asks for at once (§4.2)', async () => {
  const aliases = Array.from({ length: 260 }, alias)
  const results = await runBatch(
    api,
    '/v1/candidates/batch',
    aliases.map((one) => candidateBody(one, customer)),
  )
  assert.ok(results.every(({ status }) => status === 201))
  const curious = await service.newAccount()
  const own = await newCustomer(curious)
  const send = (one: string) => curious.post('/v1/candidates', candidateBody(one, own))
  const answers = await Promise.all(aliases.map(send))
  const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length
  // A slow machine may have no time for all of them at once.
  const [disclosed, untried] = [count(409), count(503)]
  assert.ok(disclosed + untried >= 100 && disclosed <= 200, `${disclosed} were disclosed`)
  assert.equal(count(429), 260 - disclosed - untried)
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
