import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Submission } from '../../src/domain/claims/event.ts'
import { newClaim } from '../support/new-records.ts'
import { startTestService } from '../support/test-service.ts'
import { TurnCounter } from '../support/turn-counter.ts'

/* To compare a repeat with what is recorded its payload is made of its text, which may take long. */

const { api, app } = await startTestService({ after })

test('repeats of one event, sent together, leave turns of the event loop to others', async () => {
  const { id: claimId } = await newClaim(api)
  const { id: userId } = (await api.get('/v1/me')).body
  const payload = { value: 'v'.repeat(5_000) }
  const payloadJson = JSON.stringify(payload)
  const named = { id: 'again', type: 'note', payloadBytes: payloadJson.length }
  const submit = (submission: Submission) =>
    app.submissions.submit({ userId, address: { kind: 'claim', id: claimId }, submission, payloadJson })
  await submit({ ...named, payload })

  const counter = new TurnCounter()
  const turns: number[] = []
  const slow: Submission = {
    ...named,
    get payload() {
      const from = performance.now()
      while (performance.now() - from < 6);
      turns.push(counter.turns)
      return payload
    },
  }
  const submitted = await Promise.all(Array.from({ length: 6 }, () => submit(slow)))
  counter.stop()
  assert.ok(submitted.every(({ replayed }) => replayed))
  assert.equal(turns.length, 6)
  assert.equal(new Set(turns).size, turns.length, `compared in the turns ${turns}`)
})
