import { distanceTo } from '../../core/contracts/comparators.ts'
import { eventInWords } from '../../core/contracts/contract-in-words.ts'
import type { Refusal } from '../backtest.ts'
import type { Loser, Reason } from '../totals.ts'

const UNITS_SECONDS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const

/** A count or an exact decimal with thousands separators: "12,345", "-1,234.5". */
export function grouped(number: number | string): string {
  const [whole = '', fraction] = String(number).split('.')
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (fraction ? `.${fraction}` : '')
}

/** A difference: a positive number has a plus sign. */
export const signed = (decimal: string) =>
  decimal.startsWith('-') || decimal === '0' ? grouped(decimal) : `+${grouped(decimal)}`

/** The difference of a first and a second sum in words. The caller appends the name of the second. */
export function moreOrLess(decimal: string): string {
  if (decimal === '0') return 'as much as'
  return decimal.startsWith('-') ? `${grouped(decimal.slice(1))} less than` : `${grouped(decimal)} more than`
}

/** A duration in its two largest units: "4.2 s", "3 min 5 s", "2 d 4 h". A unit with the count 0 is left out. */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`
  let rest = Math.round(seconds)
  const parts: string[] = []
  for (const [unit, size] of UNITS_SECONDS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0 || parts.length > 0) parts.push(count > 0 ? `${grouped(count)} ${unit}` : '')
  }
  if (rest > 0) parts.push(`${rest} s`)
  return parts.slice(0, 2).filter(Boolean).join(' ')
}

export const share = (part: number, whole: number) =>
  whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`

export const REASON_WORDS: Record<Reason, string> = {
  condition_satisfied: 'Events satisfied the condition',
  window_elapsed_confirm: 'Activity window elapsed, outcome confirm',
  reversed_in_review: 'Reversed in review',
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

/** What a FAILED case lacked. */
export function missingWords({ missing }: Loser): string {
  if (missing.length === 0) return 'nothing, but no event came while it was open'
  return missing.map(missingLeafWords).join('; ')
}

function missingLeafWords({ leaf, isWanted, count, closest }: Loser['missing'][number]): string {
  if (!isWanted) return `had ${eventInWords(leaf)}, which it must not`
  if (count === 0) return `no ${eventInWords(leaf)}`
  if (closest === null || distanceTo(closest, leaf) === 0)
    return `“${leaf.event}” came, but not ${eventInWords(leaf)}`
  const found = leaf.aggregate === undefined ? 'the nearest was' : 'it was'
  return `no ${eventInWords(leaf)}; ${found} ${closest}, off by ${Number(distanceTo(closest, leaf).toPrecision(12))}`
}

/** How far a FAILED case was from CONFIRMED. */
export function marginWords({ missing, late }: Loser): string {
  const conditions = `${missing.length} ${missing.length === 1 ? 'condition' : 'conditions'}`
  return late ? `${conditions}, late by ${duration(late.byMs)}` : conditions
}
