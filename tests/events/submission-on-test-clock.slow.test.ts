import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { holdClock } from '../support/held-rows.ts'
import { newClock } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { claimsOn } from './floods.ts'

/* Submissions to claims whose test clock is held, as an advance holds it for as long as it runs (§4.6). */

const { api, databaseUrl } = await sharedService()

test('while a test clock is held for more than five seconds, a submission answers 503, is not recorded, and says so', async (t) => {
  const clock = await newClock(api)
  const [claim = ''] = await claimsOn(api, clock, 1)
  const held = await holdClock(t, databaseUrl, clock)
  const event = { claim_id: claim, id: 'e', type: 'done' }
  const answer = await api.post('/v1/events', event)
  assertError(answer, 503, 'UNAVAILABLE')
  assert.match(answer.body.error.message, /was not recorded/)
  assert.ok(answer.headers.get('Retry-After'))
  await held.release()
  assert.deepEqual((await api.readClaim(claim)).events, [])
  assert.equal((await api.post('/v1/events', event)).status, 201)
})
