import { isReservedType, type LogEvent } from '../core/claims/event.ts'
import { EventLog } from '../core/claims/event-log.ts'
import { gapOf, hasComparator } from '../core/contracts/comparators.ts'
import { numberPathOf } from '../core/contracts/compared-values.ts'
import type { Condition, Leaf } from '../core/contracts/condition.ts'
import { type Contract, windowMs } from '../core/contracts/contract.ts'
import { readingsAt } from '../core/contracts/readings.ts'
import { parsed } from '../kernel/json.ts'
import type { CaseResult, LateEvent } from './backtest.ts'

/**
 * How near a FAILED case was to CONFIRMED. The first measure is the least number of leaves that would have to change for the
 * condition to hold over the accepted events (`missing`; a leaf under a NOT counts if it is satisfied). For equal numbers, the
 * second measure is how soon after the activity window a refused event would have satisfied the condition (`late`).
 */
export interface Loss {
  missing: readonly MissingLeaf[]
  /** The refused event with which the condition would have held, and how long after the window it came. */
  late: { event: LateEvent; byMs: number } | null
}

export interface MissingLeaf {
  leaf: Leaf
  /** Whether it had to be satisfied; false under a NOT. */
  isWanted: boolean
}

/** Null if no event could have won the case: the condition needs a system event (§2.2 rule 3). */
export function lossOf(contract: Contract, { openedAt, accepted, late }: CaseResult): Loss | null {
  const condition = contract.fulfillment_condition
  let log = EventLog.of(condition, accepted)
  const missing = leastChanges(condition, true, log)
  if (missing === null) return null
  const event = late.find((event) => {
    log = log.with(event)
    return log.satisfiesCondition
  })
  const windowEnd = openedAt + windowMs(contract.activity_window)
  return { missing, late: event ? { event, byMs: event.createdAt.getTime() - windowEnd } : null }
}

export function isNearer(one: Loss, other: Loss): boolean {
  if (one.missing.length !== other.missing.length) return one.missing.length < other.missing.length
  return (one.late?.byMs ?? Infinity) < (other.late?.byMs ?? Infinity)
}

/** The fewest leaves to change for the tree to have the wanted truth; null if nothing does. */
function leastChanges(condition: Condition, isWanted: boolean, log: EventLog): MissingLeaf[] | null {
  if (!('op' in condition)) return leafChange(condition, isWanted, log)
  if (condition.op === 'NOT') return leastChanges(condition.condition, !isWanted, log)
  const children = condition.conditions.map((child) => leastChanges(child, isWanted, log))
  const needsAll = (condition.op === 'AND') === isWanted
  if (needsAll) return children.every((child) => child !== null) ? children.flat() : null
  return children.reduce((least, child) => (isFewer(child, least) ? child : least), null)
}

function leafChange(leaf: Leaf, isWanted: boolean, log: EventLog): MissingLeaf[] | null {
  if (log.isSatisfied(leaf) === isWanted) return []
  const isOutOfReach = isWanted && isReservedType(leaf.event)
  return isOutOfReach ? null : [{ leaf, isWanted }]
}

const isFewer = (one: MissingLeaf[] | null, other: MissingLeaf[] | null) =>
  one !== null && (other === null || one.length < other.length)

/** The accepted events of a leaf's type. */
export interface Attempts {
  count: number
  /** The number at the leaf's field that came nearest to its bounds; null without numbers or bounds. */
  closest: number | null
}

export function attemptsAt(leaf: Leaf, accepted: readonly LogEvent[]): Attempts {
  const events = accepted.filter(({ type }) => type === leaf.event)
  const path = numberPathOf(leaf)
  const numbers = events
    .flatMap(({ payload }) => readingsAt(parsed(payload), path))
    .filter((value) => typeof value === 'number')
  const nearer = (one: number, other: number) => (gapOf(other, leaf) < gapOf(one, leaf) ? other : one)
  return {
    count: events.length,
    closest: hasComparator(leaf) && numbers.length > 0 ? numbers.reduce(nearer) : null,
  }
}
