import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { firstCheckOf, type Contract as ModelContract, type State } from '../../simulate/model/contract.ts'
import { Course } from '../../simulate/model/course.ts'
import { canonical, type JsonObject } from '../../simulate/model/json.ts'
import { replay } from '../../simulate/model/replay.ts'
import { ClaimRun } from '../../src/core/claims/claim-run.ts'
import type { StoredItem } from '../../src/core/claims/recompute.ts'
import { isExtended } from '../../src/core/contracts/contract.ts'
import { type ClaimState, findContradictions } from '../support/source/claims.ts'
import type { Contract } from '../support/source/contracts.ts'
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

function modelStory(contract: ModelContract, steps: readonly Timed[]): string[] {
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

/** As it is stored; a check that is late comes after the event. */
function modelLog(contract: ModelContract, steps: readonly Timed[], isLate: (step: number) => boolean) {
  const course = new Course(contract, OPENED)
  const items: StoredItem[] = []
  let [reviewStart, logBytes]: [number | null, number] = [null, 0]
  const add = (at: number, item: Pick<StoredItem, 'id' | 'type' | 'payload' | 'system' | 'lateMs'>) => {
    const payloadBytes = JSON.stringify(item.payload).length
    items.push({ ...item, seq: items.length + 1, createdAt: new Date(at), payloadBytes })
    if (!item.system) logBytes += payloadBytes
  }
  const pass = (until: number) => {
    while (course.state.due_at !== null && firstCheckOf(course.state) <= until) {
      const type = course.state.status === 'OPEN' ? 'activity_window_elapsed' : 'review_window_elapsed'
      const at = Math.max(firstCheckOf(course.state), items.at(-1)?.createdAt.getTime() ?? 0)
      course.elapse(at)
      add(at, { id: `check ${items.length}`, type, payload: {}, system: true, lateMs: null })
    }
  }
  for (const [i, { id, type, payload, at }] of steps.entries()) {
    if (!isLate(i)) pass(at)
    if (items.some((item) => item.id === id)) continue
    const fate = course.submit({ type, payload, system: false }, at)
    if (fate.is !== 'recorded') continue
    add(at, { id, type, payload, system: false, lateMs: fate.lateMs })
    if (fate.effect === 'satisfied') reviewStart = items.length
  }
  return { items, state: course.state, reviewStart, logBytes }
}

const claimStateOf = ({ status, status_since, scheduled_outcome, due_at }: State): ClaimState => ({
  status,
  scheduledOutcome: scheduled_outcome,
  statusSince: new Date(status_since),
  dueAt: due_at === null ? null : new Date(due_at),
})

export function testOneDomain(numRuns: number): void {
  test(`the domain and the simulator's model agree on ${numRuns} random extended contracts and histories (§2.1a)`, () => {
    fc.assert(
      fc.property(arbitrary.contract, arbitrary.history, (contract, steps) => {
        const history = timed(steps)
        assert.deepEqual(domainStory(contract as Contract, history), modelStory(contract, history))
      }),
      { numRuns },
    )
  })

  test(`${numRuns} logs of the model, also where checks are late, do not contradict the domain`, () => {
    const late = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(arbitrary.contract, arbitrary.history, late, (contract, steps, flags) => {
        const isLate = (step: number) => flags[step % flags.length] as boolean
        const { items, state, reviewStart, logBytes } = modelLog(contract, timed(steps), isLate)
        const log = items.map(({ id, type, payload, system, createdAt }) => ({
          ...(payload as JsonObject),
          id,
          type,
          created_at: createdAt.toISOString(),
          system,
        }))
        assert.deepEqual(replay({ contract, createdAt: OPENED, isOnClock: false }, log).at(-1), state)
        const life = {
          ...claimStateOf(state),
          createdAt: new Date(OPENED),
          eventCount: items.length,
          logBytes,
          reviewStart: isExtended(contract as Contract) ? reviewStart : null,
          digest: null,
        }
        assert.deepEqual(findContradictions(contract as Contract, life, items), [])
      }),
      { numRuns },
    )
  })
}
