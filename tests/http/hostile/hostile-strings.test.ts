import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { contractWith } from '../../support/contracts.ts'
import { HOSTILE_STRINGS } from '../../support/hostile-strings.ts'
import { payload } from '../../support/json-arbitraries.ts'
import { candidatePath, newClaim } from '../../support/new-records.ts'
import { readPage } from '../../support/read-pages.ts'
import { runBatch } from '../../support/run-batch.ts'
import { sharedService } from '../../support/shared.ts'

const { api } = await sharedService()

for (const text of HOSTILE_STRINGS) {
  test(`${JSON.stringify(text)} is stored and returned as the string it is, in every field`, async () => {
    const customer = await api.post('/v1/customers', { external_id: text, name: text })
    assert.deepEqual([customer.status, customer.body.external_id, customer.body.name], [201, text, text])
    const { id } = customer.body
    assert.deepEqual((await readPage(api, '/v1/customers', { external_id: text })).body.data, [customer.body])
    assert.equal((await api.patch(`/v1/customers/${id}`, { name: `${text}2` })).body.name, `${text}2`)

    const contract = contractWith({
      fulfillment_condition: {
        event: text,
        field: text,
        gte: 1,
        match: { [text]: [text, { [text]: text }] },
      },
    })
    const schema = await api.post('/v1/schemas', { contract })
    assert.equal(JSON.stringify(schema.body.contract), JSON.stringify(contract))

    const terms = { customer_uuid: text, schema_id: schema.body.id }
    const candidate = await api.post('/v1/candidates', { candidate_alias: text, ...terms })
    assert.deepEqual([candidate.status, candidate.body.customer_uuid], [201, text])
    // Only the answer of a creation has hints.
    delete candidate.body.hints
    assert.deepEqual((await api.get(candidatePath(text))).body, candidate.body)
    assert.deepEqual((await readPage(api, '/v1/candidates', { customer_uuid: text })).body.data.length, 1)

    const event = { id: text, type: text, value: text, [text]: [text, { [text]: text }] }
    const submitted = await api.post(`${candidatePath(text)}/events`, event)
    const { created_at, system: _, ...stored } = submitted.body.event
    assert.deepEqual([submitted.status, stored], [201, event])
    const replay = await api.post('/v1/events', { candidate_alias: text, ...event })
    assert.equal(replay.status, 200)
    const [logged] = (await api.get(candidatePath(text))).body.events
    assert.deepEqual(logged, { ...event, created_at, system: false })
  })
}

test('any JSON object as a payload is returned deeply equal, in the response and in the log', async () => {
  const { id } = await newClaim(api)
  const answered: unknown[] = []
  await fc.assert(
    fc.asyncProperty(fc.array(payload, { minLength: 30, maxLength: 30 }), async (payloads) => {
      const events = payloads.map((fields) => ({ claim_id: id, type: 'any', ...fields }))
      const results = await runBatch(api, '/v1/events/batch', events)
      for (const [i, { status, event }] of results.entries()) {
        assert.equal(status, 201, JSON.stringify(results[i]))
        const { id: _, type, created_at, system, ...stored } = event
        assert.deepEqual(stored, payloads[i])
        answered.push(event)
      }
    }),
    { numRuns: 5 },
  )
  assert.deepEqual((await api.readClaim(id)).events, answered)
})
