import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asAnswered } from '../support/as-answered.ts'
import { assertError } from '../support/assert-error.ts'
import { firstCheckFrom } from '../support/check-time.ts'
import { candidatePath, newCandidate, newClaim } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import type { JsonObject } from '../support/source/json.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'

const service = await sharedService()
const { api } = service
const FIRST = { id: 'evt-1', type: 'rated', value: { a: 1, b: [1, 2, { c: null }] }, note: 'x' }

describe('200: the same id with the same content', () => {
  test('answers 200 with the recorded event and Idempotent-Replayed: true, and records nothing', async () => {
    const { id } = await newClaim(api)
    const first = await api.post(`/v1/claims/${id}/events`, FIRST)
    assert.equal(first.headers.get('idempotent-replayed'), null)
    await assertStoresNothing(service, async () => {
      const again = await api.post(`/v1/claims/${id}/events`, FIRST)
      assert.equal(again.status, 200)
      assert.equal(again.headers.get('idempotent-replayed'), 'true')
      assert.deepEqual(again.body, first.body)
    })
  })

  test('is the same by whichever path it comes', async () => {
    const { id } = await newClaim(api)
    await api.post(`/v1/claims/${id}/events`, FIRST)
    assert.equal((await api.post('/v1/events', { ...FIRST, claim_id: id })).status, 200)
    assert.equal((await api.post(`/v1/claims/${id}/events`, { ...FIRST, claim_id: id })).status, 200)
    const { candidate_alias } = await newCandidate(api)
    await api.post('/v1/events', { ...FIRST, candidate_alias })
    assert.equal((await api.post(`${candidatePath(candidate_alias)}/events`, FIRST)).status, 200)
  })

  test('is the same whatever the order of keys, white space and the spelling of numbers', async () => {
    const { id } = await newClaim(api)
    await api.post(`/v1/claims/${id}/events`, FIRST)
    const text =
      ' { "note":"\\u0078", "value" : {"b":[1.0,2e0,{"c":null}],"a":10e-1},"type":"rated","id":"evt-1"}\n'
    const again = await api.send('POST', `/v1/claims/${id}/events`, text, {
      'Content-Type': 'application/json',
    })
    assert.equal(again.status, 200)
  })

  test('answers 200 while the claim is PENDING, and when it is terminal, with its present state', async () => {
    for (const [event, outcome] of [
      ['done', 'CONFIRMED'],
      ['other', 'FAILED'],
    ]) {
      const claim = await newClaim(api, { activity_window: 120, review_window: 60, timeout_outcome: 'fail' })
      const submission = { claim_id: claim.id, id: 'e', type: event }
      const first = await api.post('/v1/events', submission)
      assert.equal(first.status, 201)
      let check = firstCheckFrom(claim.due_at)
      if (outcome === 'FAILED') await runScheduledCheck(service.app, check)
      await replays('PENDING')
      check = firstCheckFrom((await api.readClaim(claim.id)).due_at)
      await runScheduledCheck(service.app, check)
      await replays(outcome as string)

      async function replays(status: string): Promise<void> {
        const again = await api.post('/v1/events', submission)
        assert.equal(again.status, 200)
        assert.equal(again.headers.get('idempotent-replayed'), 'true')
        assert.deepEqual(again.body.event, first.body.event)
        const present = await api.readClaim(claim.id)
        assert.equal(present.status, status)
        assert.deepEqual(again.body.claim, asAnswered(present))
      }
    }
  })

  test('answers 204 with Prefer: return=minimal, and says that it is a replay', async () => {
    const { id } = await newClaim(api)
    await api.post(`/v1/claims/${id}/events`, FIRST)
    const again = await api.post(`/v1/claims/${id}/events`, FIRST, { Prefer: 'return=minimal' })
    assert.equal(again.status, 204)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  })

  test('submitted many times at once is recorded once: one 201, and 200 for the others', async () => {
    const { id } = await newClaim(api)
    const submit = () => api.post(`/v1/claims/${id}/events`, FIRST)
    const answers = await Promise.all(Array.from({ length: 12 }, submit))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(11).fill(200), 201])
    assert.equal((await api.readClaim(id)).events.length, 1)
  })

  test('in another claim is another event: 201', async () => {
    const claims = await Promise.all([newClaim(api), newClaim(api)])
    for (const { id } of claims) {
      assert.equal((await api.post(`/v1/claims/${id}/events`, FIRST)).status, 201)
    }
  })
})

describe('409: the same id with other content', () => {
  const OTHERS: Record<string, JsonObject> = {
    'another type': { ...FIRST, type: 'other' },
    'another value': { ...FIRST, value: 2 },
    'no value': { id: 'evt-1', type: 'rated', note: 'x' },
    'a null value': { ...FIRST, value: null },
    'another order of an array': { ...FIRST, value: { a: 1, b: [2, 1, { c: null }] } },
    'a key less deep inside': { ...FIRST, value: { a: 1, b: [1, 2, {}] } },
    'another extra field': { ...FIRST, note: 'y' },
    'one more extra field': { ...FIRST, more: null },
    'a field less': { id: 'evt-1', type: 'rated', value: FIRST.value },
    'a string for a number': { ...FIRST, value: { ...FIRST.value, a: '1' } },
  }
  for (const [what, submission] of Object.entries(OTHERS)) {
    test(`with ${what} answers 409 EVENT_ID_CONFLICT and records nothing`, async () => {
      const { id } = await newClaim(api)
      await api.post(`/v1/claims/${id}/events`, FIRST)
      await assertStoresNothing(service, async () => {
        assertError(await api.post(`/v1/claims/${id}/events`, submission), 409, 'EVENT_ID_CONFLICT')
      })
    })
  }

  test('answers 409 rather than CLAIM_NOT_OPEN when the claim is PENDING', async () => {
    const { id } = await newClaim(api)
    await api.post(`/v1/claims/${id}/events`, { id: 'e', type: 'done' })
    const other = await api.post(`/v1/claims/${id}/events`, { id: 'e', type: 'done', value: 1 })
    assertError(other, 409, 'EVENT_ID_CONFLICT')
  })

  test('the id of a system event is taken as well', async () => {
    const claim = await newClaim(api, { activity_window: 60 })
    await runScheduledCheck(service.app, firstCheckFrom(claim.due_at))
    const [{ id }] = (await api.readClaim(claim.id)).events
    assertError(await api.post(`/v1/claims/${claim.id}/events`, { id, type: 'a' }), 409, 'EVENT_ID_CONFLICT')
  })

  test('of many different submissions under one id at once exactly one is recorded', async () => {
    const { id } = await newClaim(api)
    const submit = (value: number) => api.post(`/v1/claims/${id}/events`, { id: 'e', type: 'a', value })
    const answers = await Promise.all(Array.from({ length: 12 }, (_, value) => submit(value)))
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    const refused = answers.filter(({ status }) => status !== 201)
    for (const answer of refused) assertError(answer, 409, 'EVENT_ID_CONFLICT')
    assert.equal((await api.readClaim(id)).events.length, 1)
  })
})
