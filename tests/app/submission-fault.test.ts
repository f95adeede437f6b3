import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { OnAnswer, SubmittedEvent } from '../../src/app/submission/pending-submission.ts'
import type { Submission } from '../../src/domain/claims/event.ts'
import { holdClaims } from '../support/held-rows.ts'
import { newClaim } from '../support/new-records.ts'
import { startTestService } from '../support/test-service.ts'

/* A fault of ours, which shows when the answers of a group are given. */

const { api, app, databaseUrl } = await startTestService({ after })

test('a fault with one submission of a group leaves the others their answers', async (t) => {
  const ids = [(await newClaim(api)).id, (await newClaim(api)).id, (await newClaim(api)).id]
  const { id: userId } = (await api.get('/v1/me')).body
  let isBroken = false
  const submission: Submission = { id: 'first', type: 'note', payload: {}, payloadBytes: 2 }
  const faulty: Submission = {
    ...submission,
    get payloadBytes() {
      if (!isBroken) return 2
      isBroken = false
      throw new Error('a fault')
    },
  }
  const held = await holdClaims(t, databaseUrl, ids)
  // One is to reject, perhaps before anybody waits for it.
  const submitting = Promise.allSettled(
    [faulty, submission, submission].map((submission, i) =>
      app.submissions.submit({
        userId,
        address: { kind: 'claim', id: ids[i] },
        submission,
        payloadJson: '{}',
      }),
    ),
  )
  await held.keepWaiting()
  isBroken = true
  await held.letGo()
  const [, ...others] = await submitting
  for (const other of others) assert.equal(other.status, 'fulfilled')
  // On several machines the first may be in a group of its own, and broken before it was written.
  for (const id of ids.slice(1)) assert.equal((await api.readClaim(id)).events.length, 1)
  // What comes later to the claim that it met is recorded, and the service can stop.
  assert.equal((await api.post(`/v1/claims/${ids[0]}/events`, { type: 'note' })).status, 201)
})

test('a fault of whoever hears an answer leaves the others of its group theirs', async (t) => {
  const ids = [(await newClaim(api)).id, (await newClaim(api)).id]
  const { id: userId } = (await api.get('/v1/me')).body
  const held = await holdClaims(t, databaseUrl, ids)
  const take = (claim: number, id: string, onAnswer: OnAnswer) =>
    app.submissions.take(
      {
        userId,
        address: { kind: 'claim', id: ids[claim] as string },
        submission: { id, type: 'note', payload: {}, payloadBytes: 2 },
        payloadJson: '{}',
      },
      onAnswer,
    )
  const heard: string[] = []
  const others = [0, 1].map(
    (claim) =>
      new Promise<SubmittedEvent | Error>((resolve) => {
        take(claim, 'first', () => {
          heard.push(`${claim}`)
          throw new Error('a fault')
        })
        take(claim, 'second', resolve)
      }),
  )
  await held.keepWaiting()
  await held.letGo()
  for (const answer of await Promise.all(others)) assert.ok(!(answer instanceof Error))
  assert.deepEqual(heard.sort(), ['0', '1'])
  for (const id of ids)
    assert.equal((await api.post(`/v1/claims/${id}/events`, { type: 'note' })).status, 201)
  assert.equal(app.submissions.waiting, 0)
})
