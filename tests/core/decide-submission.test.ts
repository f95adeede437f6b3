import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { classifyRepeat, decideSubmission } from '../../src/core/claims/decide-submission.ts'
import { eventOf } from '../../src/core/claims/event.ts'
import { type JsonObject, RawJson } from '../../src/kernel/json.ts'
import { all, contractWith } from '../support/contracts.ts'
import { EventLog, type LogEvent, type Submission, satisfied } from '../support/source/claims.ts'

const now = new Date('2026-01-01T12:00:00.000Z')
const contract = contractWith({ fulfillment_condition: all({ event: 'a' }, { event: 'b' }) })
const claim = { status: 'OPEN', eventCount: 0, logBytes: 0, contract } as const
function decide(claim: Parameters<typeof decideSubmission>[0], log: LogEvent[], submission: Submission) {
  const decision = decideSubmission(claim, EventLog.of(contract.fulfillment_condition, log), submission)
  return decision.kind === 'append' ? { kind: decision.kind, becomes: decision.becomes } : decision
}
const submission = (fields: Partial<Submission> = {}): Submission => ({
  id: 'e1',
  type: 'a',
  payload: {},
  payloadBytes: 2,
  ...fields,
})
const recorded: LogEvent = { id: 'e1', type: 'a', payload: { x: 1, y: [2] }, system: false, createdAt: now }

describe('a submission is decided', () => {
  test('by the whole log and the new event (§2.2 rule 1)', () => {
    assert.deepEqual(decide(claim, [], submission()), { kind: 'append', becomes: null })
    assert.deepEqual(decide(claim, [], submission({ type: 'b' })), { kind: 'append', becomes: null })
    const second = decide(claim, [recorded], submission({ id: 'e2', type: 'b' }))
    assert.deepEqual(second, { kind: 'append', becomes: satisfied(contract) })
  })

  test('as refused where the claim is not OPEN (§3 rule 2)', () => {
    for (const status of ['PENDING', 'CONFIRMED', 'FAILED'] as const) {
      assert.equal(decide({ ...claim, status }, [], submission()).kind, 'not-open')
    }
  })

  test('as refused where the log is full', () => {
    assert.equal(decide({ ...claim, eventCount: 9_999 }, [], submission()).kind, 'append')
    assert.equal(decide({ ...claim, eventCount: 10_000 }, [], submission()).kind, 'log-full')
    const mebibytes64 = 64 * 1024 * 1024
    assert.equal(decide({ ...claim, logBytes: mebibytes64 - 2 }, [], submission()).kind, 'append')
    assert.equal(decide({ ...claim, logBytes: mebibytes64 - 1 }, [], submission()).kind, 'log-full')
  })

  test('without a trace in the log that it is decided by', () => {
    const log = EventLog.of(contract.fulfillment_condition, [recorded])
    const second = submission({ id: 'e2', type: 'b' })
    decideSubmission({ ...claim, status: 'PENDING' }, log, second)
    const decision = decideSubmission(claim, log, second)
    assert.equal(log.satisfiesCondition, false)
    assert.ok(decision.kind === 'append' && decision.log.satisfiesCondition)
  })
})

describe('a submission whose id is in the log', () => {
  test('is a replay where it is the same event', () => {
    assert.equal(classifyRepeat(recorded, submission({ payload: { y: [2], x: 1 } })), 'replay')
  })

  test('is known by its text alone, and where that is another by what it says', () => {
    const raw = (text: string) => submission({ payload: new RawJson<JsonObject>(text) })
    const judge = (first: string, again: string) => classifyRepeat(eventOf(raw(first), now), raw(again))
    assert.equal(judge('is never parsed', 'is never parsed'), 'replay')
    assert.equal(judge('{"x":1,"y":2}', '{"y":2,"x":1}'), 'replay')
    assert.equal(judge('{"x":1,"y":2}', '{"x":1,"y":3}'), 'id-conflict')
  })

  test('is a conflict where the id names another event', () => {
    for (const other of [
      { type: 'b', payload: recorded.payload },
      { payload: { x: 1 } },
      { payload: { x: 1, y: [3] } },
    ]) {
      assert.equal(classifyRepeat(recorded, submission(other)), 'id-conflict')
    }
    const system = { ...recorded, system: true }
    assert.equal(classifyRepeat(system, submission({ payload: recorded.payload })), 'id-conflict')
  })
})
