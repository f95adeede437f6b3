import { ClaimModel } from './claim-model.ts'
import type { LoggedEvent } from './condition.ts'
import { type Contract, firstCheckOf, isWholeMinute, type State } from './contract.ts'
import { assert, Finding } from './finding.ts'
import type { JsonObject } from './json.ts'
import type { WorkingHours } from './working-time.ts'

/** An item of a log as the API returns it. */
export interface LogItem extends JsonObject {
  id: string
  type: string
  created_at: string
  system: boolean
}

export function payloadOf({
  id: _,
  type: __,
  created_at: ___,
  system: ____,
  ...payload
}: LogItem): JsonObject {
  return payload
}

export const toLoggedEvent = (item: LogItem): LoggedEvent => ({
  type: item.type,
  payload: payloadOf(item),
  system: item.system,
})

/** What determines the states of a claim, besides its log. */
export interface Terms {
  contract: Contract
  /** The working hours of the contract's calendar; null if it names none. */
  hours: WorkingHours | null
  createdAt: number
  /** On a test clock each check runs exactly at its minute, else it may run later. */
  isOnTestClock: boolean
}

/**
 * Computes the states before the first item of the log and after each item.
 * @throws Finding if an item cannot follow the items before it
 */
export function replay(
  { contract, hours, createdAt, isOnTestClock }: Terms,
  log: readonly LogItem[],
): State[] {
  const model = new ClaimModel(contract, createdAt, hours)
  const states = [model.state]
  let lastAt = createdAt
  for (const [i, item] of log.entries()) {
    const at = Date.parse(item.created_at)
    assert(at >= lastAt, () => `item ${i + 1} of the log is earlier than item ${i}`)
    if (item.system) {
      assertCheck(contract, model.state, item, lastAt, isOnTestClock)
      model.elapse(at)
    } else {
      const { status } = model.state
      const { kind } = model.submit(toLoggedEvent(item), at)
      assert(
        kind !== 'not open',
        () => `item ${i + 1}, ${item.id}, was recorded although the claim was ${status}`,
      )
      assert(kind !== 'log full', () => `item ${i + 1}, ${item.id}, was recorded although the log was full`)
    }
    states.push(model.state)
    lastAt = at
  }
  return states
}

/** A system event must have the time and type of the scheduled check of the window. */
function assertCheck(
  contract: Contract,
  state: State,
  item: LogItem,
  lastAt: number,
  isOnTestClock: boolean,
): void {
  const at = Date.parse(item.created_at)
  assert(
    state.due_at !== null,
    () => `a system event was added although the claim was ${state.status} and not due`,
  )
  const first = firstCheckOf(state)
  const isLate = !isOnTestClock && isWholeMinute(at) && at > first
  // §3: a late check runs after events of its minute. The transition then has the time of the last event.
  const hasTimeOfLastEvent =
    !isOnTestClock &&
    (state.status === 'OPEN' || contract.review !== undefined) &&
    at === lastAt &&
    at > first
  if (at !== first && !isLate && !hasTimeOfLastEvent) {
    const due = new Date(state.due_at).toISOString()
    throw new Finding(
      `${state.status}, due at ${due}, moved at ${item.created_at}, but its first check is at ${new Date(first).toISOString()}`,
    )
  }
  const expected = state.status === 'PENDING' ? 'review_window_elapsed' : 'activity_window_elapsed'
  assert(item.type === expected, () => `${state.status} moved with ${item.type}, not ${expected}`)
}
