import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ClaimModel } from '../../simulate/model/claim-model.ts'
import { firstCheckOf, type Contract as ModelContract, type State } from '../../simulate/model/contract.ts'
import { canonical, type JsonObject } from '../../simulate/model/json.ts'
import { replay } from '../../simulate/model/replay.ts'
import type { WorkingHours } from '../../simulate/model/working-time.ts'
import { ClaimRun } from '../../src/core/claims/claim-run.ts'
import type { StoredItem } from '../../src/core/claims/recompute.ts'
import { isExtended } from '../../src/core/contracts/contract.ts'
import { workingTime } from '../support/source/calendars.ts'
import { type ClaimState, findContradictions } from '../support/source/claims.ts'
import type { Contract } from '../support/source/contracts.ts'
import * as arbitrary from './extended-arbitraries.ts'

/*
 * The service's decisions and the simulator's model, which share no code, agree on random extended contracts and random
 * histories: on the fate of each event, how late it is, and the state after each event and each check.
 */

/** After the last event: until all windows have elapsed. */
const END_MS = 86_400_000

interface Timed extends arbitrary.Step {
  at: number
  id: string
}

/** A contract with the calendar that it names, from its opening on. */
interface Case {
  contract: ModelContract
  hours: WorkingHours
  openedAt: number
}

const anyCase = fc.record({
  contract: arbitrary.contract,
  hours: arbitrary.hours,
  openedAt: arbitrary.openedAt,
})

/** A run of the model decides when windows end. */
function timed(steps: readonly arbitrary.Step[], { contract, hours, openedAt }: Case): Timed[] {
  const model = new ClaimModel(contract, openedAt, hours)
  const ids = new Set<string>()
  let at = openedAt
  return steps.map((step, i) => {
    const { due_at } = model.state
    const lateAt = step.lateMs === null || due_at === null ? 0 : due_at + step.lateMs
    at = lateAt > at ? lateAt : at + step.afterMs
    const id = step.id ?? `new ${i}`
    passChecks(model, at)
    if (!ids.has(id)) model.submit({ type: step.type, payload: step.payload, system: false }, at)
    ids.add(id)
    return { ...step, at, id }
  })
}

function passChecks(model: ClaimModel, until: number, onCheck = (_at: number) => {}): void {
  while (model.state.due_at !== null && firstCheckOf(model.state) <= until) {
    const at = firstCheckOf(model.state)
    model.elapse(at)
    onCheck(at)
  }
}

const line = (what: string, at: number, { status_since, due_at, paused_since, ...state }: State) =>
  [
    what,
    ...[at, status_since, due_at, paused_since].map((ms) => (ms ? new Date(ms).toISOString() : ms)),
    JSON.stringify(state),
  ].join(' ')

function modelTrace({ contract, hours, openedAt }: Case, steps: readonly Timed[]): string[] {
  const model = new ClaimModel(contract, openedAt, hours)
  const recorded = new Map<string, Timed>()
  const trace: string[] = []
  const pass = (until: number) => passChecks(model, until, (at) => trace.push(line('check', at, model.state)))
  const fateOf = (step: Timed): string => {
    const earlier = recorded.get(step.id)
    if (earlier) {
      const isSame = earlier.type === step.type && canonical(earlier.payload) === canonical(step.payload)
      return isSame ? 'replay' : 'id-conflict'
    }
    const result = model.submit({ type: step.type, payload: step.payload, system: false }, step.at)
    if (result.kind !== 'recorded') return result.kind === 'not open' ? 'not-open' : 'log-full'
    recorded.set(step.id, step)
    return `append ${result.effect} ${result.lateMs}`
  }
  for (const step of steps) {
    pass(step.at)
    const result = fateOf(step)
    trace.push(line(result, step.at, model.state))
  }
  pass((steps.at(-1)?.at ?? openedAt) + END_MS)
  return trace
}

const stateOf = ({ status, statusSince, scheduledOutcome, dueAt, clock }: ClaimState): State => ({
  status,
  status_since: statusSince.getTime(),
  scheduled_outcome: scheduledOutcome,
  due_at: dueAt === null ? null : dueAt.getTime(),
  ...(clock
    ? {
        paused_since: dueAt === null ? clock.since.getTime() : null,
        remaining: dueAt === null ? clock.remainingMs / 1000 : null,
      }
    : {}),
})

function domainTrace({ contract, hours, openedAt }: Case, steps: readonly Timed[]): string[] {
  const run = new ClaimRun(contract as Contract, new Date(openedAt), workingTime(hours))
  const trace: string[] = []
  const pass = (until: number) => {
    for (const { state } of run.advanceTo(new Date(until)))
      trace.push(line('check', state.statusSince.getTime(), stateOf(state)))
  }
  for (const { id, type, payload, at } of steps) {
    pass(at)
    const payloadBytes = JSON.stringify(payload).length
    const decision = run.submit({ id, type, payload, payloadBytes }, new Date(at))
    const result = decision.kind === 'append' ? `append ${decision.effect} ${decision.lateMs}` : decision.kind
    trace.push(line(result, at, stateOf(run.state)))
  }
  pass((steps.at(-1)?.at ?? openedAt) + END_MS)
  return trace
}

/** As it is stored; a check that is late comes after the event. */
function modelLog(
  { contract, hours, openedAt }: Case,
  steps: readonly Timed[],
  isLate: (step: number) => boolean,
) {
  const model = new ClaimModel(contract, openedAt, hours)
  const items: StoredItem[] = []
  let [reviewStart, logBytes]: [number | null, number] = [null, 0]
  const add = (at: number, item: Pick<StoredItem, 'id' | 'type' | 'payload' | 'system' | 'lateMs'>) => {
    const payloadBytes = JSON.stringify(item.payload).length
    items.push({ ...item, seq: items.length + 1, createdAt: new Date(at), payloadBytes })
    if (!item.system) logBytes += payloadBytes
  }
  const pass = (until: number) => {
    while (model.state.due_at !== null && firstCheckOf(model.state) <= until) {
      const type = model.state.status === 'OPEN' ? 'activity_window_elapsed' : 'review_window_elapsed'
      const at = Math.max(firstCheckOf(model.state), items.at(-1)?.createdAt.getTime() ?? 0)
      model.elapse(at)
      add(at, { id: `check ${items.length}`, type, payload: {}, system: true, lateMs: null })
    }
  }
  for (const [i, { id, type, payload, at }] of steps.entries()) {
    if (!isLate(i)) pass(at)
    if (items.some((item) => item.id === id)) continue
    const result = model.submit({ type, payload, system: false }, at)
    if (result.kind !== 'recorded') continue
    add(at, { id, type, payload, system: false, lateMs: result.lateMs })
    if (result.effect === 'satisfied') reviewStart = items.length
  }
  const { left, leftSince, state } = model
  const hasClock = contract.clock !== undefined && state.status === 'OPEN'
  const clock = hasClock ? { remainingMs: left, since: new Date(leftSince) } : null
  return { items, state, clock, reviewStart, logBytes }
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
      fc.property(anyCase, arbitrary.history, (one, steps) => {
        const history = timed(steps, one)
        assert.deepEqual(domainTrace(one, history), modelTrace(one, history))
      }),
      { numRuns },
    )
  })

  test(`${numRuns} logs of the model, also where checks are late, do not contradict the domain`, () => {
    const late = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(anyCase, arbitrary.history, late, (one, steps, flags) => {
        const { contract, hours, openedAt } = one
        const isLate = (step: number) => flags[step % flags.length] as boolean
        const history = timed(steps, one)
        const { items, state, clock, reviewStart, logBytes } = modelLog(one, history, isLate)
        const log = items.map(({ id, type, payload, system, createdAt }) => ({
          ...(payload as JsonObject),
          id,
          type,
          created_at: createdAt.toISOString(),
          system,
        }))
        assert.deepEqual(
          replay({ contract, hours, createdAt: openedAt, isOnTestClock: false }, log).at(-1),
          state,
        )
        const life = {
          ...claimStateOf(state),
          clock,
          createdAt: new Date(openedAt),
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
