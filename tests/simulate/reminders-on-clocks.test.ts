import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { remindersOnClock } from '../../simulate/model/reminders.ts'
import { drawContent, drawContract } from '../../simulate/operations/draw.ts'
import { type Random, seeded } from '../../simulate/random.ts'
import { newClock, newCustomer } from '../support/new-records.ts'
import { readFeed } from '../support/read-pages.ts'
import { sharedService } from '../support/shared.ts'

const { api } = await sharedService()
const { id: customer_id } = await newCustomer(api)

const START = '2030-01-31T23:58:00.000Z'
const CLAIMS = 12
const ADVANCES = 10
const STEPS_MS = [30_000, 60_000, 90_000, 600_000, 3_600_000, 20_000_000]
const REMINDERS = [0.001, 0.01, 0.1, 0.25, 0.5, 0.501, 0.9, 0.999]

/** Random contracts, of which many have clocks that events stop. */
async function createClaims(random: Random, test_clock_id: string) {
  const claims = []
  for (let i = 0; i < CLAIMS; i++) {
    const contract = drawContract(random, true, { extendedShare: 0.7 })
    const reminders = REMINDERS.filter(() => random.chance(0.5))
    const fields = { customer_id, contract, reminders, test_clock_id }
    const { status, body } = await api.post('/v1/claims', fields)
    assert.equal(status, 201)
    claims.push({ id: body.id as string, contract, reminders, createdAt: Date.parse(body.created_at) })
  }
  return claims
}

test('a test clock sends the reminders of the model, for random contracts, events and advances (§2.16)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const random = seeded(seed)
      const clock = await newClock(api, START)
      const claims = await createClaims(random, clock)
      let at = Date.parse(START)
      for (let i = 0; i < ADVANCES; i++) {
        at += random.pick(STEPS_MS)
        const frozen_time = new Date(at).toISOString()
        assert.equal((await api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time })).status, 200)
        for (const { id } of claims.filter(() => random.chance(0.5))) {
          const { type, payload } = drawContent(random)
          await api.post(`/v1/claims/${id}/events`, { id: `event ${i}`, type, ...payload })
        }
      }
      for (const { id, contract, reminders, createdAt } of claims) {
        const { events } = await api.readClaim(id)
        const { data } = await readFeed(api, { claim_id: id })
        const terms = { contract, hours: null, createdAt, isOnTestClock: true }
        assert.deepEqual(
          data
            .filter(({ type }) => type === 'claim.due_soon')
            .map(({ reminder, checked_at, claim }) => [reminder, checked_at, claim.due_at]),
          remindersOnClock(terms, events, reminders, at).map(({ reminder, checkedAt, state }) => [
            reminder,
            new Date(checkedAt).toISOString(),
            new Date(state.due_at as number).toISOString(),
          ]),
          JSON.stringify({ contract, reminders, events }),
        )
      }
    }),
    { numRuns: 3, endOnFailure: true },
  )
})
