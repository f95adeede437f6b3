import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { asAnswered } from '../support/as-answered.ts'
import { assertError } from '../support/assert-error.ts'
import { firstCheckFrom, secondsAfter } from '../support/check-time.ts'
import { all } from '../support/contracts.ts'
import { candidatePath, newCandidate, newClaim } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import type { Contract } from '../support/source/contracts.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'

const service = await sharedService()
const { api } = service

/* One state machine for both kinds of record (§3). */

const KINDS = {
  claim: {
    create: (terms: Partial<Contract>) => newClaim(api, terms),
    pathOf: (it: Answer['body']) => `/v1/claims/${it.id}`,
  },
  candidate: {
    create: (terms: Partial<Contract>) => newCandidate(api, { terms }),
    pathOf: (it: Answer['body']) => candidatePath(it.candidate_alias),
  },
}

for (const [kind, { create, pathOf }] of Object.entries(KINDS)) {
  describe(`an OPEN ${kind}`, () => {
    test('moves to PENDING with scheduled outcome CONFIRMED in the answer that satisfies it (§3)', async () => {
      const record = await create({ review_window: 90.5, timeout_outcome: 'fail' })
      const { status, body } = await api.post(`${pathOf(record)}/events`, { type: 'done' })
      const since = body.event.created_at
      assert.equal(status, 201)
      assert.deepEqual(body.claim, {
        ...asAnswered(record),
        status: 'PENDING',
        status_since: since,
        scheduled_outcome: 'CONFIRMED',
        due_at: secondsAfter(since, 90.5),
      })
      assert.deepEqual((await api.get(pathOf(record))).body, {
        ...body.claim,
        metadata: {},
        events: [body.event],
      })
    })

    test('stays as it is by an event that does not satisfy it (§2.2 rule 1)', async () => {
      const record = await create({ fulfillment_condition: all({ event: 'a' }, { event: 'b', gte: 3 }) })
      for (const event of [{ type: 'a' }, { type: 'a' }, { type: 'b', value: 2 }, { type: 'c' }]) {
        assert.deepEqual((await api.post(`${pathOf(record)}/events`, event)).body.claim, asAnswered(record))
      }
      const last = await api.post(`${pathOf(record)}/events`, { type: 'b', value: 3 })
      assert.equal(last.body.claim.status, 'PENDING')
    })

    test('is decided by the set of its events, in whichever order they come (§2.2 rule 2)', async () => {
      const condition = all({ event: 'a' }, { event: 'b' }, { event: 'c' })
      for (const order of ['abc', 'cba', 'bbbac']) {
        const record = await create({ fulfillment_condition: condition })
        const answers = []
        for (const type of order) answers.push(await api.post(`${pathOf(record)}/events`, { type }))
        const statuses = answers.map(({ body }) => body.claim.status)
        assert.deepEqual(statuses, [...Array(order.length - 1).fill('OPEN'), 'PENDING'])
      }
    })

    test('with a condition on a reserved type is satisfied by no user event (§2.2 rule 3)', async () => {
      const record = await create({ fulfillment_condition: { event: 'activity_window_elapsed' } })
      const refused = await api.post(`${pathOf(record)}/events`, { type: 'activity_window_elapsed' })
      assertError(refused, 400, 'VALIDATION_ERROR', 'type')
      const { body } = await api.post(`${pathOf(record)}/events`, { type: 'other' })
      assert.equal(body.claim.status, 'OPEN')
    })

    test('still takes events after its window has elapsed, until the scheduled check (§3 rules 1, 2)', async () => {
      const record = await create({ activity_window: 0.001 })
      const { status, body } = await api.post(`${pathOf(record)}/events`, { type: 'other' })
      assert.deepEqual([status, body.claim.status], [201, 'OPEN'])
      assert.ok(body.event.created_at >= record.due_at)
    })
  })

  for (const [outcome, timeout] of [
    ['CONFIRMED', 'confirm'],
    ['FAILED', 'fail'],
  ] as const) {
    describe(`a ${kind} whose windows elapse with timeout_outcome ${timeout}`, () => {
      test(`goes PENDING, then ${outcome}, with a system event for each window (§3, §6 rule 2)`, async () => {
        const record = await create({ activity_window: 90, review_window: 0.5, timeout_outcome: timeout })
        await api.post(`${pathOf(record)}/events`, { id: 'mine', type: 'other', value: 1 })

        const first = firstCheckFrom(record.due_at)
        await runScheduledCheck(service.app, first)
        const pending = (await api.get(pathOf(record))).body
        const [mine, activity] = pending.events
        assert.deepEqual(pending, {
          ...record,
          status: 'PENDING',
          status_since: first.toISOString(),
          scheduled_outcome: outcome,
          due_at: secondsAfter(first.toISOString(), 0.5),
          events: [mine, activity],
        })
        assert.equal(mine.id, 'mine')
        assertSystemEvent(activity, 'activity_window_elapsed', first)

        const second = firstCheckFrom(pending.due_at)
        await runScheduledCheck(service.app, second)
        const terminal = (await api.get(pathOf(record))).body
        const review = terminal.events[2]
        assert.deepEqual(terminal, {
          ...pending,
          status: outcome,
          status_since: second.toISOString(),
          due_at: null,
          events: [mine, activity, review],
        })
        assertSystemEvent(review, 'review_window_elapsed', second)

        await runScheduledCheck(service.app, firstCheckFrom(secondsAfter(second.toISOString(), 1e9)))
        assert.deepEqual(
          (await api.get(pathOf(record))).body,
          terminal,
          'terminal states have no way out (§3 rule 4)',
        )
      })
    })
  }

  describe(`a ${kind} that is not OPEN`, () => {
    for (const status of ['PENDING', 'CONFIRMED', 'FAILED']) {
      test(`submitting to a ${status} ${kind} answers 422 CLAIM_NOT_OPEN, names the status and records nothing (§3 rule 2)`, async () => {
        const record = await create({ activity_window: 60, review_window: 0, timeout_outcome: 'fail' })
        if (status === 'FAILED') await runScheduledCheck(service.app, firstCheckFrom(record.due_at))
        else await api.post(`${pathOf(record)}/events`, { type: 'done' })
        if (status !== 'PENDING') {
          await runScheduledCheck(service.app, firstCheckFrom(secondsAfter(record.due_at, 120)))
        }
        assert.equal((await api.get(pathOf(record))).body.status, status)

        await assertStoresNothing(service, async () => {
          const refused = await api.post(`${pathOf(record)}/events`, { type: 'done' })
          assertError(refused, 422, 'CLAIM_NOT_OPEN')
          assert.match(refused.body.error.message, new RegExp(`\\b${status}\\b`))
        })
      })
    }
  })
}

test('of submissions that come close together the first settles the claim, the others answer CLAIM_NOT_OPEN (§3 rule 3)', async () => {
  const { id } = await newClaim(api)
  const submit = (_: unknown, n: number) =>
    api.post('/v1/events', { claim_id: id, id: `e${n}`, type: 'done' })
  const answers = await Promise.all(Array.from({ length: 16 }, submit))
  const refused = answers.filter(({ status }) => status !== 201)
  assert.equal(refused.length, 15)
  for (const answer of refused) assertError(answer, 422, 'CLAIM_NOT_OPEN')
  assert.equal((await api.readClaim(id)).events.length, 1)
})

test('submissions that do not settle the claim are all recorded, however close together', async () => {
  const { id } = await newClaim(api)
  const submit = (_: unknown, n: number) => api.post('/v1/events', { claim_id: id, id: `e${n}`, type: 'a' })
  const answers = await Promise.all(Array.from({ length: 30 }, submit))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  assert.equal((await api.readClaim(id)).events.length, 30)
})

function assertSystemEvent(event: Answer['body'], type: string, at: Date): void {
  assert.deepEqual(event, { id: event.id, type, created_at: at.toISOString(), system: true })
  assert.match(event.id, /^[0-9a-f-]{36}$/)
}
