import { isReservedType, type LogEvent } from '../core/claims/event.ts'
import { EventLog } from '../core/claims/event-log.ts'
import type { AggregateValue } from '../core/contracts/aggregate.ts'
import { distanceTo, hasComparator } from '../core/contracts/comparators.ts'
import { fieldPathOf } from '../core/contracts/compared-values.ts'
import type { Condition, Leaf } from '../core/contracts/condition.ts'
import type { Contract } from '../core/contracts/contract.ts'
import { readingsAt } from '../core/contracts/readings.ts'
import { decimalText } from '../kernel/decimal.ts'
import { parsed } from '../kernel/json.ts'
import type { CaseResult, ExcludedEvent } from './backtest.ts'

/**
 * How near a FAILED case was to CONFIRMED. The first measure is the least number of leaves that would have to change for the
 * condition to hold over the accepted events (`missing`; a leaf under a NOT counts if it is satisfied), or for the reversal
 * condition not to hold over the events of the review. For equal numbers, the second measure is how soon after the activity
 * window a late event would have satisfied the condition (`late`).
 */
export interface Loss {
  missing: readonly MissingLeaf[]
  /** The events over which the condition was evaluated. */
  events: readonly LogEvent[]
  /** The late event with which the condition would have held, and how long after the end of the window it came. */
  late: { event: ExcludedEvent; byMs: number } | null
}

type Nearness = Pick<Loss, 'missing' | 'late'>

export interface MissingLeaf {
  leaf: Leaf
  /** Whether it had to be satisfied; false under a NOT. */
  isWanted: boolean
}

/** Null if no event could have won the case: the condition needs a system event (§2.2 rule 3). */
export function lossOf(contract: Contract, result: CaseResult): Loss | null {
  const { windowEnd, accepted, acceptedWhileOpen, excluded, isReversed } = result
  const reversal = contract.review?.reversal_condition
  if (isReversed && reversal !== undefined) {
    const events = judged(contract, accepted.slice(acceptedWhileOpen))
    const missing = leastChanges(reversal, false, EventLog.of(reversal, events))
    return missing && { missing, events, late: null }
  }
  const condition = contract.fulfillment_condition
  const events = judged(contract, accepted.slice(0, acceptedWhileOpen))
  let log = EventLog.of(condition, events)
  const missing = leastChanges(condition, true, log)
  if (missing === null) return null
  const event = excluded.find((event) => {
    log = log.with(event)
    return log.satisfiesCondition
  })
  const isLate = event !== undefined && windowEnd !== null
  return { missing, events, late: isLate ? { event, byMs: event.createdAt.getTime() - windowEnd } : null }
}

/** With `strict_deadline` a late event is part of no evaluation (§2.1a rule 4). */
const judged = ({ strict_deadline }: Contract, events: readonly LogEvent[]): readonly LogEvent[] =>
  strict_deadline ? events.filter(({ lateMs }) => lateMs === undefined) : events

export function isNearer(one: Nearness, other: Nearness): boolean {
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

/** The evaluated events of a leaf's type. */
export interface Attempts {
  count: number
  /**
   * The number at the leaf's field that came nearest to its bounds; null without numbers or bounds. Of an aggregate: its
   * value.
   */
  closest: number | null
}

export function attemptsAt(leaf: Leaf, judged: readonly LogEvent[]): Attempts {
  const events = judged.filter(({ type }) => type === leaf.event)
  if (leaf.aggregate !== undefined) {
    const value = EventLog.of(leaf, events).aggregateOf(leaf, leaf.aggregate)
    return { count: events.length, closest: numberOf(value) }
  }
  const path = fieldPathOf(leaf)
  const numbers = events
    .flatMap(({ payload }) => readingsAt(parsed(payload), path))
    .filter((value) => typeof value === 'number')
  const nearer = (one: number, other: number) =>
    distanceTo(other, leaf) < distanceTo(one, leaf) ? other : one
  return {
    count: events.length,
    closest: hasComparator(leaf) && numbers.length > 0 ? numbers.reduce(nearer) : null,
  }
}

/** The nearest double of a sum: it is shown, not compared. */
function numberOf(value: AggregateValue): number {
  if (value.kind === 'sum') return Number(decimalText(value.sum))
  return value.kind === 'count' ? value.count : value.values.size
}
