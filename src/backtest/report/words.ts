import { gapOf } from '../../core/contracts/comparators.ts'
import { eventInWords } from '../../core/contracts/contract-in-words.ts'
import type { Refusal } from '../backtest.ts'
import type { Loser, Reason } from '../totals.ts'
import { duration } from './figures.ts'

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

/** What a lost case lacked. */
export function missingWords({ missing }: Loser): string {
  if (missing.length === 0) return 'nothing, but no event came while it was open'
  return missing.map(missingLeafWords).join('; ')
}

function missingLeafWords({ leaf, isWanted, count, closest }: Loser['missing'][number]): string {
  if (!isWanted) return `had ${eventInWords(leaf)}, which it must not`
  if (count === 0) return `no ${eventInWords(leaf)}`
  if (closest === null || gapOf(closest, leaf) === 0)
    return `“${leaf.event}” came, but not ${eventInWords(leaf)}`
  return `no ${eventInWords(leaf)}; the nearest was ${closest}, off by ${Number(gapOf(closest, leaf).toPrecision(12))}`
}

/** By how much a lost case lost. */
export function marginWords({ missing, late }: Loser): string {
  const conditions = `${missing.length} ${missing.length === 1 ? 'condition' : 'conditions'}`
  return late ? `${conditions}, late by ${duration(late.byMs)}` : conditions
}
