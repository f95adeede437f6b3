import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Claim } from '../../src/core/claims/claim.ts'
import { ClaimRun } from '../../src/core/claims/claim-run.ts'
import type { LogEvent } from '../../src/core/claims/event.ts'
import { type ExplainedClock, Explanation } from '../../src/core/contracts/explain.ts'
import * as arbitrary from '../support/arbitraries.ts'
import type { Contract } from '../support/source/contracts.ts'
import type { JsonObject } from '../support/source/json.ts'

const OPENED = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
const WINDOW_MS = 3_601_500

/** A life of at most some hours, and what its decisions said. */
class Life {
  readonly run: ClaimRun
  readonly items: (LogEvent & { seq: number })[] = []
  readonly turns: (LogEvent & { seq: number })[] = []
  readonly #contract: Contract
  readonly restarts: { eventId: string; at: Date; dueAt: Date }[] = []
  reversedBy: { eventId: string; at: Date } | null = null
  /** Events that stopped the clock, and that continued it. */
  readonly stops: string[] = []

  constructor(contract: Contract) {
    this.#contract = contract
    this.run = new ClaimRun(contract, new Date(OPENED))
  }

  submit(at: Date, type: string, payload: JsonObject): void {
    this.advanceTo(at)
    const id = `e${this.items.length + 1}`
    const decision = this.run.submit({ id, type, payload, payloadBytes: 0 }, at)
    if (decision.kind !== 'append') return
    const { event, effect, lateMs } = decision
    const item = { ...event, lateMs, seq: this.items.length + 1 }
    this.items.push(item)
    if (effect === 'satisfied') this.turns.push(item)
    if (effect === 'paused' || effect === 'resumed') this.stops.push(id)
    if (effect === 'reversed') this.reversedBy = { eventId: id, at }
    if (effect === 'restarted') this.restarts.push({ eventId: id, at, dueAt: this.run.state.dueAt as Date })
  }

  advanceTo(at: Date | null): void {
    for (const { state, systemEventType: type } of this.run.advanceTo(at)) {
      const seq = this.items.length + 1
      const item = { id: `s${seq}`, type, payload: {}, system: true, createdAt: state.statusSince, seq }
      this.items.push(item)
      this.turns.push(item)
    }
  }

  explain(): Explanation {
    const facts = { contract: this.#contract, createdAt: new Date(OPENED) }
    const claim = { ...this.run.state, ...facts } as Claim
    const explanation = new Explanation(claim, this.turns)
    for (const item of this.items) {
      const isIgnored = this.#contract.strict_deadline && item.lateMs !== null
      if (!item.system && !isIgnored) explanation.add(item)
    }
    return explanation
  }
}

/** Consumed and remaining time are the whole window, and each event that stopped or continued the clock is named. */
function checkClock(
  { periods, pausedSince, remainingMs }: ExplainedClock,
  { stops, turns, run }: Life,
): void {
  const named = periods.flatMap(({ resumedBy, pausedBy }) => [resumedBy, pausedBy])
  assert.deepEqual(
    named.filter((id) => id !== null),
    stops,
  )
  const counted = periods.reduce((sum, { countedMs }) => sum + (countedMs ?? 0), 0)
  const isStopped = run.state.status === 'OPEN' && run.state.dueAt === null
  assert.equal(pausedSince !== null, isStopped)
  if (isStopped) assert.equal(counted + (remainingMs as number), WINDOW_MS)
  else if (turns[0]?.system) assert.equal(counted, WINDOW_MS)
  else assert.ok(counted <= WINDOW_MS)
}

const event = fc.record({
  minutes: fc.nat(40),
  type: fc.constantFrom('a', 'b', 'c'),
  payload: fc.oneof(
    fc.constant({}),
    fc.integer({ min: -2, max: 4 }).map((n): JsonObject => ({ n })),
  ),
})

test('an explanation says of each history what its decisions did: settled, restarted, reversed, due (§2.1a)', () => {
  const seen = { settled: 0, reversed: 0, restarted: 0, timeouts: 0, stopped: 0 }
  fc.assert(
    fc.property(
      arbitrary.livelyContract,
      fc.array(event, { maxLength: 12 }),
      fc.boolean(),
      (terms, events, isToTheEnd) => {
        const life = new Life({ ...terms, activity_window: WINDOW_MS / 1_000, review_window: 1_800.5 })
        let at = OPENED
        for (const { minutes, type, payload } of events) {
          // Half a second before a check, so that some are late.
          at += minutes * MINUTE
          life.submit(new Date(at + MINUTE - 500), type, payload)
        }
        if (isToTheEnd) life.advanceTo(null)
        const { status, scheduledOutcome, dueAt } = life.run.state
        const explanation = life.explain()
        const { review, clock } = explanation
        assert.equal(clock !== null, terms.clock !== undefined)
        if (clock) checkClock(clock, life)
        if (life.stops.length > 0) seen.stopped++
        const [start] = life.turns
        assert.equal(review !== null, status !== 'OPEN')
        assert.deepEqual(
          explanation.transitions(life.turns).map(({ because }) => because.eventId),
          life.turns.map(({ id }) => id),
        )
        if (start && !start.system) assert.ok(explanation.condition.satisfied)
        if (!review) return
        assert.deepEqual(review.reversedBy, life.reversedBy)
        assert.equal(review.restartCount, life.restarts.length)
        assert.deepEqual(review.restarts, life.restarts.slice(0, 10))
        if (review.reversalCondition) {
          assert.equal(review.reversalCondition.satisfied && scheduledOutcome === 'CONFIRMED', false)
          if (life.reversedBy) assert.ok(review.reversalCondition.satisfied)
        }
        if (dueAt) assert.deepEqual(review.dueAt, dueAt)
        seen[start?.system ? 'timeouts' : 'settled']++
        if (life.reversedBy) seen.reversed++
        if (life.restarts.length > 0) seen.restarted++
      },
    ),
    { numRuns: 2_000 },
  )
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 50, `${what}: ${count}`)
})
