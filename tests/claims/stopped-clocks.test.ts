import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asAnswered } from '../support/as-answered.ts'
import { assertError } from '../support/assert-error.ts'
import { firstCheckFrom, secondsAfter } from '../support/check-time.ts'
import { contractWith } from '../support/contracts.ts'
import { contradictionsOf } from '../support/contradictions.ts'
import { newClaim, newClock, newCustomer, newSchema } from '../support/new-records.ts'
import { sharedSecondService, sharedService } from '../support/shared.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'

/* Claims whose clock events stop and continue (§2.1a), over HTTP. */

const service = await sharedService()
const second = await sharedSecondService()
const { api } = service
const there = second.clientWith(api.token)

const WAITING = {
  activity_window: 3_600,
  fulfillment_condition: { event: 'resolved' },
  clock: { pause_on: { event: 'asked' }, resume_on: { event: 'answered' } },
} as const

let ids = 0
const open = async (fields: object, customer?: string) =>
  (
    await api.post('/v1/claims', {
      customer_id: customer ?? (await newCustomer(api)).id,
      contract: contractWith(WAITING),
      ...fields,
    })
  ).body
const submit = (claim_id: string, type: string, client = api) =>
  client.post('/v1/events', { claim_id, id: `event ${++ids}`, type })
const check = (time: string | Date) => runScheduledCheck(service.app, firstCheckFrom(time))
const DECADES = '2090-01-01T00:00:00.000Z'

describe('a claim whose clock is stopped (§2.1a)', () => {
  test('has no due time, and continues with the remaining time, on each server (§2.1a rules 16 to 18)', async () => {
    const claim = await newClaim(api, WAITING)
    assert.deepEqual([claim.paused_since, claim.remaining], [null, null])
    const asked = await submit(claim.id, 'asked')
    const paused = asked.body.claim
    assert.deepEqual([paused.status, paused.due_at], ['OPEN', null])
    assert.equal(paused.paused_since, asked.body.event.created_at)
    const consumed = (Date.parse(paused.paused_since) - Date.parse(claim.created_at)) / 1_000
    assert.ok(Math.abs(paused.remaining - (3_600 - consumed)) < 1e-6)
    assert.deepEqual(asAnswered(await api.readClaim(claim.id)), paused)

    await check(DECADES)
    assert.equal((await api.readClaim(claim.id)).status, 'OPEN')

    const again = (await submit(claim.id, 'asked', there)).body.claim
    assert.deepEqual(again, paused)
    const resumed = await submit(claim.id, 'answered', there)
    assert.equal(resumed.body.claim.due_at, secondsAfter(resumed.body.event.created_at, paused.remaining))
    assert.deepEqual([resumed.body.claim.paused_since, resumed.body.claim.remaining], [null, null])
    assert.deepEqual(await contradictionsOf(service, claim.id), [])

    await check(resumed.body.claim.due_at)
    const elapsed = await api.readClaim(claim.id)
    assert.equal(elapsed.status, 'PENDING')
    assert.ok(!('paused_since' in elapsed))
    assert.deepEqual(await contradictionsOf(service, claim.id), [])
  })

  test('is settled by its condition, and the review is not stopped (§2.1a rule 17)', async () => {
    const claim = await newClaim(api, { ...WAITING, review_window: 600 })
    await submit(claim.id, 'asked')
    const { event, claim: pending } = (await submit(claim.id, 'resolved')).body
    assert.deepEqual([pending.status, pending.due_at], ['PENDING', secondsAfter(event.created_at, 600)])
    assert.deepEqual(await contradictionsOf(service, claim.id), [])
  })

  test('is on a test clock for decades, and times out when it continues', async () => {
    const clock = await newClock(api, '2030-01-01T00:00:00.000Z')
    const claim = await open({ test_clock_id: clock })
    const advance = (frozen_time: string) => api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time })
    await advance('2030-01-01T00:20:00.000Z')
    assert.equal((await submit(claim.id, 'asked')).body.claim.remaining, 2_400)
    assert.equal((await advance(DECADES)).status, 200)
    assert.equal((await api.readClaim(claim.id)).status, 'OPEN')
    assert.equal((await submit(claim.id, 'answered')).body.claim.due_at, '2090-01-01T00:40:00.000Z')
    await advance('2090-01-01T00:40:00.000Z')
    assert.equal((await api.readClaim(claim.id)).status, 'PENDING')
    assert.deepEqual(await contradictionsOf(service, claim.id), [])

    const { clock: explained } = (await api.get(`/v1/claims/${claim.id}/explanation`)).body
    const { periods, ...rest } = explained
    assert.deepEqual(
      periods.map(({ from, to, counted }: Record<string, unknown>) => [from, to, counted]),
      [
        ['2030-01-01T00:00:00.000Z', '2030-01-01T00:20:00.000Z', 1_200],
        [DECADES, '2090-01-01T00:40:00.000Z', 2_400],
      ],
    )
    const none = { calendar: null, time_zone: null, time_zone_data: null, working_time: [] }
    assert.deepEqual(rest, { ...none, period_count: 2, paused_since: null, remaining: null })
  })

  test('is not in lists by due time, nor among the next due claims (§2.1a rule 17)', async () => {
    const customer = await newCustomer(api)
    const [stopped, running] = [await open({}, customer.id), await open({}, customer.id)]
    await submit(stopped.id, 'asked')
    const idsOf = async (query: string) =>
      (await api.get(`/v1/claims?customer_id=${customer.id}&${query}`)).body.data.map(
        ({ id }: { id: string }) => id,
      )
    assert.deepEqual(await idsOf('sort=due_at'), [running.id])
    assert.deepEqual(await idsOf('sort=due_at&order=desc&status=OPEN'), [running.id])
    assert.deepEqual(await idsOf('status=OPEN'), [stopped.id, running.id])
    const { due_next, recent } = (await api.get(`/v1/overview?customer_id=${customer.id}`)).body
    const ids = (records: { id: string }[]) => records.map(({ id }) => id)
    assert.deepEqual([ids(due_next), ids(recent)], [[running.id], [running.id, stopped.id]])
  })

  test('needs events with ids (§2.1a rule 2)', async () => {
    const { id } = await newClaim(api, WAITING)
    assertError(await api.post('/v1/events', { claim_id: id, type: 'asked' }), 400, 'EVENT_ID_REQUIRED')
  })
})

test('a schema keeps the clock of its contract, and claims get it', async () => {
  const schema = await newSchema(api, WAITING)
  const customer = await newCustomer(api)
  const { body } = await api.post('/v1/claims', { customer_id: customer.id, schema_id: schema.id })
  assert.deepEqual(body.contract.clock, WAITING.clock)
  assert.equal((await submit(body.id, 'asked')).body.claim.due_at, null)
})
