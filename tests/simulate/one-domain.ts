import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Contract, firstCheckOf, type State } from '../../simulate/model/contract.ts'
import { Course } from '../../simulate/model/course.ts'
import { canonical } from '../../simulate/model/json.ts'
import { ClaimRun, type ClaimState } from '../support/source/claims.ts'
import * as arbitrary from './extended-arbitraries.ts'

/*
 * The service's decisions and the simulator's model, which share no code, agree on random extended contracts and random
 * histories: on the fate of each event, how late it is, and the state after each event and each check.
 */

const OPENED = Date.parse('2026-01-01T10:00:20.000Z')
/** After the last event: until all windows have elapsed. */
const END_MS = 86_400_000

interface Timed extends arbitrary.Step {
  at: number
  id: string
}

function timed(steps: readonly arbitrary.Step[]): Timed[] {
  let at = OPENED
  return steps.map((step, i) => {
    at += step.afterMs
    return { ...step, at, id: step.id ?? `new ${i}` }
  })
}

const line = (what: string, at: number, { status, scheduled_outcome, status_since, due_at }: State) =>
  [
    what,
    ...[at, status_since, due_at].map((ms) => (ms === null ? null : ms - OPENED)),
    status,
    scheduled_outcome,
  ].join(' ')

export function modelStory(contract: Contract, steps: readonly Timed[]): string[] {
  const course = new Course(contract, OPENED)
  const recorded = new Map<string, Timed>()
  const story: string[] = []
  const pass = (until: number) => {
    while (course.state.due_at !== null && firstCheckOf(course.state) <= until) {
      const at = firstCheckOf(course.state)
      course.elapse(at)
      story.push(line('check', at, course.state))
    }
  }
  const fateOf = (step: Timed): string => {
    const earlier = recorded.get(step.id)
    if (earlier) {
      const isSame = earlier.type === step.type && canonical(earlier.payload) === canonical(step.payload)
      return isSame ? 'replay' : 'id-conflict'
    }
    const fate = course.submit({ type: step.type, payload: step.payload, system: false }, step.at)
    if (fate.is !== 'recorded') return fate.is === 'not open' ? 'not-open' : 'log-full'
    recorded.set(step.id, step)
    return `append ${fate.effect} ${fate.lateMs}`
  }
  for (const step of steps) {
    pass(step.at)
    const fate = fateOf(step)
    story.push(line(fate, step.at, course.state))
  }
  pass((steps.at(-1)?.at ?? OPENED) + END_MS)
  return story
}

const stateOf = ({ status, statusSince, scheduledOutcome, dueAt }: ClaimState): State => ({
  status,
  status_since: statusSince.getTime(),
  scheduled_outcome: scheduledOutcome,
  due_at: dueAt === null ? null : dueAt.getTime(),
})

function domainStory(contract: Contract, steps: readonly Timed[]): string[] {
  const run = new ClaimRun(contract, new Date(OPENED))
  const story: string[] = []
  const pass = (until: number) => {
    for (const { state } of run.advanceTo(new Date(until)))
      story.push(line('check', state.statusSince.getTime(), stateOf(state)))
  }
  for (const { id, type, payload, at } of steps) {
    pass(at)
    const payloadBytes = JSON.stringify(payload).length
    const decision = run.submit({ id, type, payload, payloadBytes }, new Date(at))
    const fate = decision.kind === 'append' ? `append ${decision.effect} ${decision.lateMs}` : decision.kind
    story.push(line(fate, at, stateOf(run.state)))
  }
  pass((steps.at(-1)?.at ?? OPENED) + END_MS)
  return story
}

export function testOneDomain(numRuns: number): void {
  test(`the domain and the simulator's model agree on ${numRuns} random extended contracts and histories`, () => {
    fc.assert(
      fc.property(arbitrary.contract, arbitrary.history, (contract, steps) => {
        const history = timed(steps)
        assert.deepEqual(domainStory(contract, history), modelStory(contract, history))
      }),
      { numRuns },
    )
  })
}
