import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { newClaim, uniqueName } from '../../support/new-records.ts'
import { assertStoresNothing } from '../../support/stored-rows.ts'
import { startTestService } from '../../support/test-service.ts'

const service = await startTestService({ after })
const { api } = service

const KIB = 1024
/** `{"value":"…"}` */
const valueOfPayload = (bytes: number) => 'v'.repeat(bytes - '{"value":""}'.length)

describe('413', () => {
  test('a payload of exactly 256 KiB is recorded, one byte more answers 413 PAYLOAD_TOO_LARGE', async () => {
    const { id } = await newClaim(api)
    const value = valueOfPayload(256 * KIB)
    const taken = await api.post(`/v1/claims/${id}/events`, { id: 'e', type: 'a', value })
    assert.equal(taken.status, 201)
    assert.equal((await api.readClaim(id)).events[0].value, value)
    await assertStoresNothing(service, async () => {
      const body = { claim_id: id, type: 'a', value: `${value}v` }
      assertError(await api.post('/v1/events', body), 413, 'PAYLOAD_TOO_LARGE')
    })
  })

  test('the payload is counted in bytes, without id, type and what addresses the claim', async () => {
    const { id } = await newClaim(api)
    const submission = { claim_id: id, id: 'i'.repeat(255), type: 't'.repeat(255) }
    const euros = '€'.repeat((256 * KIB - '{"value":""}'.length) / 3)
    assert.equal((await api.post('/v1/events', { ...submission, value: euros })).status, 201)
    const more = await api.post('/v1/events', { ...submission, id: 'j', value: `${euros}€` })
    assertError(more, 413, 'PAYLOAD_TOO_LARGE')
  })

  test('a body of exactly 1 MiB is read, one byte more answers 413 PAYLOAD_TOO_LARGE', async () => {
    const whole = JSON.stringify({ external_id: uniqueName() }).padEnd(KIB * KIB)
    const json = { 'Content-Type': 'application/json' }
    await assertStoresNothing(service, async () => {
      assertError(await api.send('POST', '/v1/customers', `${whole} `, json), 413, 'PAYLOAD_TOO_LARGE')
    })
    assert.equal((await api.send('POST', '/v1/customers', whole, json)).status, 201)
  })

  test('a body of 20 MiB answers 413 PAYLOAD_TOO_LARGE', async () => {
    const { id } = await newClaim(api)
    const body = { type: 'a', value: 'v'.repeat(20 * KIB * KIB) }
    assertError(await api.post(`/v1/claims/${id}/events`, body), 413, 'PAYLOAD_TOO_LARGE')
  })
})

describe('422 EVENT_LIMIT_REACHED', () => {
  test('the 10,000th event of a claim is recorded, the next is refused; replays are answered', async () => {
    const { id } = await newClaim(api, { fulfillment_condition: { event: 'done' } })
    await service.sql(
      `INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
       SELECT $1, n, 'e' || n, 'a', '{}', false, date_trunc('milliseconds', clock_timestamp())
       FROM generate_series(1, 9999) AS n`,
      [id],
    )
    await service.sql('UPDATE claims SET event_count = 9999 WHERE id = $1', [id])

    assert.equal((await api.post(`/v1/claims/${id}/events`, { id: 'last', type: 'a' })).status, 201)
    await assertStoresNothing(service, async () => {
      const full = await api.post(`/v1/claims/${id}/events`, { id: 'late', type: 'done' })
      assertError(full, 422, 'EVENT_LIMIT_REACHED')
      assert.equal((await api.post(`/v1/claims/${id}/events`, { id: 'e77', type: 'a' })).status, 200)
      assert.equal((await api.post(`/v1/claims/${id}/events`, { id: 'last', type: 'a' })).status, 200)
    })
    const { events, status } = await api.readClaim(id)
    assert.deepEqual([events.length, status], [10_000, 'OPEN'])
  })

  test('payloads up to exactly 64 MiB are recorded, one byte more is refused', async () => {
    const { id } = await newClaim(api)
    await service.sql('UPDATE claims SET log_bytes = $2 WHERE id = $1', [id, 64 * KIB * KIB - 20])
    await assertStoresNothing(service, async () => {
      const value = valueOfPayload(21)
      assertError(await api.post(`/v1/claims/${id}/events`, { type: 'a', value }), 422, 'EVENT_LIMIT_REACHED')
    })
    const value = valueOfPayload(20)
    assert.equal((await api.post(`/v1/claims/${id}/events`, { type: 'a', value })).status, 201)
    assertError(await api.post(`/v1/claims/${id}/events`, { type: 'a' }), 422, 'EVENT_LIMIT_REACHED')
  })

  test('log_bytes counts the payloads of a log as JSON', async () => {
    const { id } = await newClaim(api)
    await api.post(`/v1/claims/${id}/events`, { type: 'a', value: '€' })
    await api.post(`/v1/claims/${id}/events`, { type: 'a', x: [1, 2] })
    const [row] = await service.sql('SELECT log_bytes, event_count FROM claims WHERE id = $1', [id])
    assert.deepEqual(row, { log_bytes: '{"value":"€€€"}'.length + '{"x":[1,2]}'.length, event_count: 2 })
  })
})
