import { ClaimModel } from './claim-model.ts'
import type { LoggedEvent } from './condition.ts'
import { type Contract, firstCheckOf, isWholeMinute, type State } from './contract.ts'
import { assert, Finding } from './finding.ts'
import type { JsonObject } from './json.ts'
import type { Hours } from './working-time.ts'

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

export interface Terms {
  contract: Contract
  /** Of the calendar that the contract names. */
  hours: Hours | null
  createdAt: number
  /** On a test clock the checks are at their exact minutes, because nothing happens between them. */
  isOnClock: boolean
}

/**
 * The states that follow from the log: before its first item, and after each. Throws if an item was not allowed at
 * its place.
 */
export function replay({ contract, hours, createdAt, isOnClock }: Terms, log: readonly LogItem[]): State[] {
  const model = new ClaimModel(contract, createdAt, hours)
  const states = [model.state]
  let lastAt = createdAt
  for (const [i, item] of log.entries()) {
    const at = Date.parse(item.created_at)
    assert(at >= lastAt, () => `item ${i + 1} of the log is from before the one before it`)
    if (item.system) {
      assertCheck(contract, model.state, item, lastAt, isOnClock)
      model.elapse(at)
    } else {
      const { status } = model.state
      const { is } = model.submit(toLoggedEvent(item), at)
      assert(is !== 'not open', () => `item ${i + 1}, ${item.id}, was recorded while ${status}`)
      assert(is !== 'log full', () => `item ${i + 1}, ${item.id}, is more than the log has places for`)
    }
    states.push(model.state)
    lastAt = at
  }
  return states
}

/** A system event must belong to the check of the window. */
function assertCheck(
  contract: Contract,
  state: State,
  item: LogItem,
  lastAt: number,
  isOnClock: boolean,
): void {
  const at = Date.parse(item.created_at)
  assert(state.due_at !== null, () => `a system event was added to a claim that was ${state.status}`)
  const first = firstCheckOf(state)
  const isLate = !isOnClock && isWholeMinute(at) && at > first
  // §3: if an event was recorded between the minute and its check, the transition has the event's time.
  const isOfLastEvent =
    !isOnClock && (state.status === 'OPEN' || contract.review !== undefined) && at === lastAt && at > first
  if (at !== first && !isLate && !isOfLastEvent) {
    const due = new Date(state.due_at).toISOString()
    throw new Finding(
      `${state.status}, due at ${due}, moved at ${item.created_at}; its check is that of ${new Date(first).toISOString()}`,
    )
  }
  const expected = state.status === 'PENDING' ? 'review_window_elapsed' : 'activity_window_elapsed'
  assert(item.type === expected, () => `${state.status} moved with ${item.type}, not ${expected}`)
}
