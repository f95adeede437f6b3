import type { Refusal } from '../../../domain/backtest/backtest.ts'
import { gap } from '../../../domain/backtest/loss.ts'
import type { Loser, Reason } from '../../../domain/backtest/totals.ts'
import { COMPARATORS, type Condition, type Leaf } from '../../../domain/contract/condition.ts'
import type { Contract } from '../../../domain/contract/contract.ts'
import { duration, grouped } from './figures.ts'

export const REASON_WORDS: Record<Reason, string> = {
  condition_satisfied: 'Events satisfied the condition',
  window_elapsed_confirm: 'Activity window elapsed, outcome confirm',
  window_elapsed_events_late: 'Activity window elapsed, the deciding event came late',
  window_elapsed_events_missing: 'Activity window elapsed, events missing',
  still_pending: 'Still PENDING',
  still_open: 'Still OPEN',
}

export const REFUSAL_WORDS: Record<Refusal, string> = {
  claim_not_open: 'the claim was no longer open',
  before_opening: 'before the case opened',
  reserved_type: 'reserved event type',
  log_full: 'the claim’s log was full',
}

const SIGNS = { gt: '>', gte: '≥', lt: '<', lte: '≤', eq: '=' } as const

/** "Pays 12.5 when …": a contract for someone who does not read JSON. */
export function contractWords(contract: Contract): string {
  const { price, activity_window, review_window, timeout_outcome, fulfillment_condition } = contract
  const otherwise =
    timeout_outcome === 'confirm' ? 'it is confirmed and pays too' : 'it fails and pays nothing'
  return (
    `Pays ${grouped(price)} when, within ${duration(activity_window * 1000)} of opening, ` +
    `${conditionWords(fulfillment_condition)}. If not, ${otherwise}. ` +
    `Either way the outcome is final after a review of ${duration(review_window * 1000)}.`
  )
}

function conditionWords(condition: Condition, isNested = false): string {
  if (!('op' in condition)) return leafWords(condition)
  if (condition.op === 'NOT') return `not ${conditionWords(condition.condition, true)}`
  const { op, conditions } = condition
  if (conditions.length === 0) return op === 'AND' ? 'anything happens' : '(nothing can satisfy this)'
  const parts = conditions.map((child) => conditionWords(child, conditions.length > 1))
  const joined = parts.join(op === 'AND' ? ' and ' : ' or ')
  return isNested && parts.length > 1 ? `(${joined})` : joined
}

export function leafWords(leaf: Leaf): string {
  const bounds = boundsWords(leaf)
  const details = [
    ...(leaf.match === undefined ? [] : [matchWords(leaf.match)]),
    ...(bounds ? [`${leaf.field ?? 'value'} ${bounds}`] : []),
  ]
  return `“${leaf.event}”${details.length > 0 ? ` with ${details.join(' and ')}` : ''}`
}

function matchWords(match: NonNullable<Leaf['match']>): string {
  if (typeof match !== 'object') return `value ${JSON.stringify(match)}`
  return Object.entries(match)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(' and ')
}

const boundsWords = (leaf: Leaf) =>
  COMPARATORS.filter((name) => leaf[name] !== undefined)
    .map((name) => `${SIGNS[name]} ${leaf[name]}`)
    .join(' and ')

/** What a lost case lacked. */
export function missingWords({ missing }: Loser): string {
  if (missing.length === 0) return 'nothing, but no event came while it was open'
  return missing.map(missingLeafWords).join('; ')
}

function missingLeafWords({ leaf, isWanted, count, closest }: Loser['missing'][number]): string {
  if (!isWanted) return `had ${leafWords(leaf)}, which it must not`
  if (count === 0) return `no ${leafWords(leaf)}`
  if (closest === null || gap(closest, leaf) === 0) return `“${leaf.event}” came, but not ${leafWords(leaf)}`
  return `no ${leafWords(leaf)}; the nearest was ${closest}, off by ${Number(gap(closest, leaf).toPrecision(12))}`
}

/** By how much a lost case lost. */
export function marginWords({ missing, late }: Loser): string {
  const conditions = `${missing.length} ${missing.length === 1 ? 'condition' : 'conditions'}`
  return late ? `${conditions}, late by ${duration(late.byMs)}` : conditions
}
