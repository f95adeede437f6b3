import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdClaims } from '../support/held-rows.ts'
import { newClaim } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import type { Submission } from '../support/source/claims.ts'
import type { OnAnswer, SubmittedEvent } from '../support/source/decisions.ts'

/* An internal error while the results of a group are given. */

const { api, app, databaseUrl } = await sharedService()

test('a fault with one submission of a group leaves the others their answers', async (t) => {
  const ids = [(await newClaim(api)).id, (await newClaim(api)).id, (await newClaim(api)).id]
  const { id: userId } = (await api.get('/v1/me')).body
  let isBroken = false
  const submission: Submission = { id: 'first', type: 'note', payload: {}, payloadBytes: 2 }
  const faulty: Submission = {
    ...submission,
    get type() {
      if (!isBroken) return 'note'
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
  await held.untilStatementsWait()
  isBroken = true
  await held.release()
  const [, ...others] = await submitting
  assert.equal(isBroken, false, 'the fault was met')
  for (const other of others) assert.equal(other.status, 'fulfilled')
  // On several machines the first may be in a group of its own, and broken before it was written.
  for (const id of ids.slice(1)) assert.equal((await api.readClaim(id)).events.length, 1)
  // What comes later to the claim that it met is recorded, and the service can stop.
  assert.equal((await api.post(`/v1/claims/${ids[0]}/events`, { type: 'note' })).status, 201)
})

test('an error while one result is given does not change the other results of the group', async (t) => {
  const ids = [(await newClaim(api)).id, (await newClaim(api)).id]
  const { id: userId } = (await api.get('/v1/me')).body
  const held = await holdClaims(t, databaseUrl, ids)
  const take = (claim: number, id: string, onAnswer: OnAnswer) =>
    app.submissions.enqueue(
      {
        userId,
        address: { kind: 'claim', id: ids[claim] as string },
        submission: { id, type: 'note', payload: {}, payloadBytes: 2 },
        payloadJson: '{}',
      },
      onAnswer,
    )
  const notified: string[] = []
  const others = [0, 1].map(
    (claim) =>
      new Promise<SubmittedEvent | Error>((resolve) => {
        take(claim, 'first', () => {
          notified.push(`${claim}`)
          throw new Error('a fault')
        })
        take(claim, 'second', resolve)
      }),
  )
  await held.untilStatementsWait()
  await held.release()
  for (const answer of await Promise.all(others)) assert.ok(!(answer instanceof Error))
  assert.deepEqual(notified.sort(), ['0', '1'])
  for (const id of ids)
    assert.equal((await api.post(`/v1/claims/${id}/events`, { type: 'note' })).status, 201)
  assert.equal(app.submissions.waiting, 0)
})

test('a fault with one item of a batch, or with its result, is that of the item alone', async (t) => {
  const [a, b] = [(await newClaim(api)).id, (await newClaim(api)).id]
  const take = app.submissions.enqueue.bind(app.submissions)
  t.after(() => {
    app.submissions.enqueue = take
  })
  const typesOf = async (id: string) =>
    (await api.readClaim(id)).events.map(({ type }: { type: string }) => type)
  const items = ['1', '2', '3', '4'].map((type) => ({ claim_id: a, type }))
  const statusesOf = async (events: object[]) =>
    (await api.post('/v1/events/batch', { events })).body.results.map(
      ({ status }: { status: number }) => status,
    )

  app.submissions.enqueue = (request, ...rest) => {
    if (request.submission.type === '2') throw new Error('a fault')
    take(request, ...rest)
  }
  assert.deepEqual(await statusesOf(items), [201, 500, 201, 201])
  assert.deepEqual(await typesOf(a), ['1', '3', '4'])

  const broken = { replayed: false } as SubmittedEvent
  app.submissions.enqueue = (request, onAnswer, place) =>
    take(request, (answer) => onAnswer(request.submission.type === '2' ? broken : answer, place ?? 0))
  assert.deepEqual(await statusesOf(items.map((item) => ({ ...item, claim_id: b }))), [201, 500, 201, 201])
  assert.deepEqual(await typesOf(b), ['1', '2', '3', '4'])
})
