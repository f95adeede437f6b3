import { isSatisfied } from './condition.ts'
import {
  type Contract,
  firstCheckOf,
  isWholeMinute,
  opened,
  pending,
  resolved,
  type State,
} from './contract.ts'
import { demand, Finding } from './finding.ts'
import type { JsonObject } from './json.ts'

/** An item of a log, as it is read. */
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

export const MOST_EVENTS = 10_000

export interface Terms {
  contract: Contract
  createdAt: number
  /** On a test clock the checks come at their minutes exactly, since nothing happens between them. */
  isOnClock: boolean
}

/**
 * The states that the log leads to: before its first item, and after each. Demands that each item was allowed where it
 * stands.
 */
export function replay({ contract, createdAt, isOnClock }: Terms, log: readonly LogItem[]): State[] {
  const states = [opened(contract, createdAt)]
  const evidence: { type: string; payload: JsonObject; system: boolean }[] = []
  const named = namesOf(contract)
  let lastAt = createdAt
  for (const [i, item] of log.entries()) {
    const state = states[i] as State
    const at = Date.parse(item.created_at)
    demand(at >= lastAt, () => `item ${i + 1} of the log is from before the one before it`)
    if (item.system) states.push(atCheck(contract, state, item, lastAt, isOnClock))
    else {
      demand(state.status === 'OPEN', () => `item ${i + 1}, ${item.id}, was recorded while ${state.status}`)
      demand(i < MOST_EVENTS, () => `the log has more than ${MOST_EVENTS} events`)
      // What no leaf names is kept out for speed, but for the first: it settles what is true from the start.
      const counts = named.has(item.type)
      if (counts) evidence.push({ type: item.type, payload: payloadOf(item), system: false })
      const settles = (counts || i === 0) && isSatisfied(contract.fulfillment_condition, evidence)
      states.push(settles ? pending(contract, 'CONFIRMED', at) : state)
    }
    lastAt = at
  }
  return states
}

const namesOf = (contract: Contract) =>
  new Set([...JSON.stringify(contract).matchAll(/"event":"([^"]*)"/g)].map(([, name]) => name))

function atCheck(contract: Contract, state: State, item: LogItem, lastAt: number, isOnClock: boolean): State {
  const at = Date.parse(item.created_at)
  demand(state.due_at !== null, () => `a system event was added to a claim that was ${state.status}`)
  const first = firstCheckOf(state)
  const isLate = !isOnClock && isWholeMinute(at) && at > first
  // §3: where an event was recorded between the minute and the moment of its check, the time is that event's.
  const isOfLastEvent = !isOnClock && state.status === 'OPEN' && at === lastAt && at > first
  if (at !== first && !isLate && !isOfLastEvent) {
    const due = new Date(state.due_at).toISOString()
    throw new Finding(
      `${state.status}, due at ${due}, moved at ${item.created_at}; its check is that of ${new Date(first).toISOString()}`,
    )
  }
  const isReview = state.status === 'PENDING'
  const wanted = isReview ? 'review_window_elapsed' : 'activity_window_elapsed'
  demand(item.type === wanted, () => `${state.status} moved with ${item.type}, not ${wanted}`)
  if (isReview) return resolved(state, at)
  return pending(contract, contract.timeout_outcome === 'confirm' ? 'CONFIRMED' : 'FAILED', at)
}
