import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { LAST_WRITE, LAST_WRITE_OF_CHANGE } from '../support/event-writes.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import { sharedService } from '../support/shared.ts'

/* The connection to the database breaks in the middle of a write. */

const { databaseUrl } = await sharedService()
const { api, proxy } = await startProxiedService({ after }, { databaseUrl })
const customer = await api.customer('acme')
const openClaim = async (): Promise<string> => (await api.claim(customer, contractWith())).id

const WRITE = { statement: LAST_WRITE }
const WRITE_OF_CHANGE = { statement: LAST_WRITE_OF_CHANGE }

test('a write that took effect while its answer was lost is found by the event’s id and answered 201', async () => {
  const id = await openClaim()
  proxy.inject(WRITE_OF_CHANGE, 'cut during')
  const answer = await api.post('/v1/events', { claim_id: id, id: 'lost', type: 'done' })
  assert.equal(answer.status, 201)
  assert.equal(answer.headers.get('Idempotent-Replayed'), null)
  assert.equal(answer.body.claim.status, 'PENDING')
  assert.deepEqual(await api.eventIds(id), ['lost'])
})

test('a write that never reached the database is retried', async () => {
  const id = await openClaim()
  proxy.inject(WRITE, 'cut before')
  const answer = await api.post('/v1/events', { claim_id: id, type: 'other' })
  assert.equal(answer.status, 201)
  assert.deepEqual(await api.eventIds(id), [answer.body.event.id])
})

for (const state of ['40003', '08007']) {
  test(`a write of which the database says that it does not know (${state}) is looked for, and made if it is missing`, async () => {
    const id = await openClaim()
    for (const [eventId, fault] of [
      ['done', { doneAndSaid: state }],
      ['missing', { refused: state }],
    ] as const) {
      proxy.inject(WRITE, fault)
      const answer = await api.post('/v1/events', { claim_id: id, id: eventId, type: 'other' })
      assert.equal(answer.status, 201, JSON.stringify(answer.body))
      assert.ok(proxy.wasInjected())
    }
    assert.deepEqual(await api.eventIds(id), ['done', 'missing'])
  })

  test(`other writes that end with ${state} answer 503, and say that the outcome is unknown`, async () => {
    proxy.inject({ statement: 'insert_claim_schema' }, { doneAndSaid: state })
    const answer = await api.post('/v1/schemas', { contract: contractWith() })
    assertError(answer, 503, 'UNAVAILABLE')
    assert.match(answer.body.error.message, /whether the request took effect is not known/)
  })
}

test('a write during a database panic is looked up, because recovery may have committed it', async () => {
  const id = await openClaim()
  // The log of changes could not be synced, or not written; or PostgreSQL found a fault of its own.
  for (const state of ['58030', '53100', 'XX000']) {
    proxy.inject(WRITE, { doneAndSaid: state, severity: 'PANIC' })
    const answer = await api.post('/v1/events', { claim_id: id, id: `panic-${state}`, type: 'other' })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    assert.ok(proxy.wasInjected())
  }
  assert.deepEqual(await api.eventIds(id), ['panic-58030', 'panic-53100', 'panic-XX000'])
})

test('an advance whose COMMIT has an unknown outcome is not retried', async () => {
  const { body: clock } = await api.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })
  const path = `/v1/test_clocks/${clock.id}`
  proxy.inject({ statement: 'COMMIT' }, { doneAndSaid: '40003' })
  const answer = await api.post(`${path}/advance`, { frozen_time: '2026-01-02T00:00:00Z' })
  assertError(answer, 503, 'UNAVAILABLE')
  assert.match(answer.body.error.message, /whether the request took effect is not known/)
  assert.equal((await api.get(path)).body.frozen_time, '2026-01-02T00:00:00.000Z')
})

test('of a batch, each claim’s events are recorded once where the write’s answer was lost', async () => {
  const ids = await Promise.all([openClaim(), openClaim(), openClaim()])
  const events = Array.from({ length: 30 }, (_, i) => ({ claim_id: ids[i % 3], id: `${i}`, type: 'other' }))
  for (const [suffix, cut] of [
    ['a', 'cut during'],
    ['b', 'cut before'],
  ] as const) {
    proxy.inject(WRITE, cut)
    const named = events.map((event) => ({ ...event, id: event.id + suffix }))
    const { body } = await api.post('/v1/events/batch', { events: named })
    assert.deepEqual(
      body.results.map(({ status }: { status: number }) => status),
      Array(30).fill(201),
    )
  }
  for (const [n, id] of ids.entries()) {
    const own = events.filter((_, i) => i % 3 === n).map((event) => event.id)
    assert.deepEqual(await api.eventIds(id as string), [
      ...own.map((name) => `${name}a`),
      ...own.map((name) => `${name}b`),
    ])
  }
})
