import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import { runBatch } from '../support/run-batch.ts'
import { heavyClaims } from './heavy-claims.ts'

/* The database fails while contracts of results are read again, or types of events are read for a hint. */

const { api, proxy } = await startProxiedService({ after }, { statementTimeoutMs: 20_000 })
const PATH = '/v1/events/batch'
const warnings: string[] = []
process.on('warning', ({ name }) => warnings.push(name))

test('events that are heavy themselves, to claims under large contracts, come back as they were sent, and as they were recorded', async () => {
  const claims = await heavyClaims(api, 9)
  const a = Array.from({ length: 2_000 }, () => ({}))
  const events = claims.map(({ id }, n) => ({ claim_id: id, type: 'note', id: `heavy-${n}`, n, a }))
  const first = await runBatch(api, PATH, events)
  for (const [i, { event, claim }] of first.entries()) {
    const { claim_id: _, ...sent } = events[i] as (typeof events)[number]
    const { created_at, system, ...fields } = event
    assert.deepEqual(fields, sent)
    assert.equal(system, false)
    assert.deepEqual(claim.contract, claims[i]?.contract)
  }
  const again = await runBatch(api, PATH, events)
  assert.deepEqual(
    again.map(({ status, event }) => [status, event]),
    first.map(({ event }) => [200, event]),
  )
  assert.deepEqual(warnings, [], 'an answer has no more listeners than Node lets it have')
})

test('results hold the contracts although a connection is lost while they are read again', async () => {
  const claims = await heavyClaims(api, 6)
  const events = claims.map(({ id }, n) => ({ claim_id: id, type: 'note', id: `lost-${n}` }))
  proxy.inject({ statement: 'read_contracts' }, 'cut before')
  const results = await runBatch(api, PATH, events)
  assert.ok(proxy.wasInjected())
  assert.deepEqual(
    results.map(({ status, claim }) => [status, claim.contract]),
    claims.map(({ contract }) => [201, contract]),
  )
})

test('if a contract cannot be read again, the event answers 503 and says that it is recorded', async () => {
  const claims = await heavyClaims(api, 6)
  const events = claims.map(({ id }, n) => ({ claim_id: id, type: 'note', id: `unread-${n}` }))
  proxy.onStatement((statement) => {
    if (statement === 'read_contracts') proxy.inject({ statement }, { refused: '53100' })
  })
  const results = await runBatch(api, PATH, events)
  proxy.onStatement(null)
  assert.ok(proxy.wasInjected())
  assert.deepEqual(new Set(results.map(({ status }) => status)), new Set([201, 503]))
  const [unavailable] = results.filter(({ status }) => status === 503)
  assert.match(unavailable.error.message, /was recorded, but the state of its claim is not known/)
  const again = await runBatch(api, PATH, events)
  assert.deepEqual(new Set(again.map(({ status }) => status)), new Set([200]))
})

test('a simulation has no hint to types if the database does not return them', async () => {
  for (const statement of ['find_newest_claims', 'read_event_types'])
    for (const fault of [{ refused: '53200' }, 'silence before'] as const) {
      proxy.inject({ statement }, fault)
      const contract = contractWith({ fulfillment_condition: { event: 'never-seen' } })
      const { status, body } = await api.post('/v1/simulations', { contract, events: [] })
      assert.deepEqual([status, body.hints], [200, []])
      assert.ok(proxy.wasInjected())
    }
})
