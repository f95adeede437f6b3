import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Answer } from '../../support/api-client.ts'
import { contractWith } from '../../support/contracts.ts'
import { HOSTILE_STRINGS } from '../../support/hostile-strings.ts'
import { payload } from '../../support/json-arbitraries.ts'
import { candidatePath, newClaim } from '../../support/new-records.ts'
import { readPage } from '../../support/read-pages.ts'
import { runBatch } from '../../support/run-batch.ts'
import { sharedService } from '../../support/shared.ts'

const { api } = await sharedService()

const contractOf = (text: string) =>
  contractWith({
    fulfillment_condition: {
      event: text,
      field: text,
      gte: 1,
      match: { [text]: [text, { [text]: text }] },
    },
  })
const eventOf = (text: string) => ({
  id: text,
  type: text,
  value: text,
  [text]: [text, { [text]: text }],
})

test('hostile strings are stored and returned as the strings they are, in every field', async () => {
  for (const text of HOSTILE_STRINGS) {
    const { status, body } = await api.post('/v1/customers', { external_id: text, name: `${text}1` })
    assert.deepEqual([status, body.external_id, body.name], [201, text, `${text}1`])
    assert.deepEqual((await readPage(api, '/v1/customers', { external_id: text })).body.data, [body])
    const { body: renamed } = await api.patch(`/v1/customers/${body.id}`, { name: text })
    assert.equal(renamed.name, text)
  }

  const match = Object.fromEntries(HOSTILE_STRINGS.map((text) => [text, text]))
  const contract = contractWith({ fulfillment_condition: { event: 'a', match } })
  const { body: schema } = await api.post('/v1/schemas', { contract })
  assert.equal(JSON.stringify(schema.contract), JSON.stringify(contract))

  const created = await runBatch(
    api,
    '/v1/candidates/batch',
    HOSTILE_STRINGS.map((text) => ({
      candidate_alias: text,
      customer_uuid: text,
      contract: contractOf(text),
    })),
  )
  const events = HOSTILE_STRINGS.map((text) => ({ candidate_alias: text, ...eventOf(text) }))
  const recorded = await runBatch(api, '/v1/events/batch', events)
  const replayed = await runBatch(api, '/v1/events/batch', events)
  for (const [i, text] of HOSTILE_STRINGS.entries()) {
    const { candidate } = created[i]
    assert.deepEqual([candidate.candidate_alias, candidate.customer_uuid], [text, text])
    assert.equal(JSON.stringify(candidate.contract), JSON.stringify(contractOf(text)))
    assert.deepEqual((await readPage(api, '/v1/candidates', { customer_uuid: text })).body.data.length, 1)
    const { created_at, system: _, ...kept } = recorded[i].event
    assert.deepEqual([recorded[i].status, kept], [201, eventOf(text)])
    assert.equal(replayed[i].status, 200, text)
    const { body } = await api.get(candidatePath(text))
    assert.deepEqual(body.events, [{ ...eventOf(text), created_at, system: false }])
    assert.deepEqual(body.contract, contractOf(text))
  }
})

test('any JSON object as a payload comes back deeply equal, from the answer and from the log', async () => {
  const { id } = await newClaim(api)
  const answered: unknown[] = []
  await fc.assert(
    fc.asyncProperty(fc.array(payload, { minLength: 30, maxLength: 30 }), async (payloads) => {
      const events = payloads.map((fields) => ({ claim_id: id, type: 'any', ...fields }))
      const results = await runBatch(api, '/v1/events/batch', events)
      for (const [i, { status, event }] of results.entries() as Iterable<[number, Answer['body']]>) {
        assert.equal(status, 201, JSON.stringify(results[i]))
        const { id: _, type, created_at, system, ...kept } = event
        assert.deepEqual(kept, payloads[i])
        answered.push(event)
      }
    }),
    { numRuns: 5 },
  )
  assert.deepEqual((await api.readClaim(id)).events, answered)
})
