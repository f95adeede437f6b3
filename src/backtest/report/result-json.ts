import { STATUSES } from '../../core/claims/lifecycle.ts'
import { decisiveEventTypes } from '../../core/contracts/contract.ts'
import { contractInWords, eventInWords } from '../../core/contracts/contract-in-words.ts'
import { decimalText } from '../../kernel/decimal.ts'
import type { Comparison } from '../comparison.ts'
import type { BacktestResult } from '../run-backtest.ts'
import type { Loser, Totals } from '../totals.ts'
import { missingWords } from './figures.ts'

/**
 * The result for machines. Times are ISO 8601, durations seconds, sums of money exact decimals in strings:
 *
 * log          file, format, events (good rows), cases, first_event_at, last_event_at
 * until        as given, or null
 * calendar     the file of --calendar, its name and its time_zone; or null
 * cases_after_until, events_after_until   not counted anywhere else
 * contracts    one, or with --compare two: file, contract, words, cases, confirmed, failed, still_open
 *              {open, pending}, price_sums by status, median_seconds_to_resolution {confirmed, failed}, reasons,
 *              decided_after_last_event (cases that an activity window decided that ended after the last event of the log),
 *              review (null, or cases reversed and restarted, reversed_price_sum: what the review saved),
 *              clock (null, or cases paused at some time, and still_paused at the end),
 *              events {accepted, accepted_late, repeated, refused by reason}, unnamed_event_types [{type, count}], named_types_not_in_log,
 *              nearest_losers [{case_id, missing_conditions, late_by_seconds, missing, leaves}]
 * comparison   null, or changed_cases, unchanged_cases, price_difference (second minus first), changes
 *              [{from, to, cases, price_difference}], cases (the first 100 changed)
 * bad_rows     count, by_reason, first (20 with line, reason, detail)
 * warnings     texts
 */
export function resultJson({ log, until, calendar, files, backtest }: BacktestResult): string {
  const { reading, totals, comparison } = backtest
  const { types, badRows } = reading
  const json = {
    log: {
      ...log,
      events: reading.events,
      cases: totals[0]?.cases,
      first_event_at: isoTime(reading.firstAt),
      last_event_at: isoTime(reading.lastAt),
    },
    until: isoTime(until),
    calendar: calendar && { file: calendar.file, name: calendar.name, time_zone: calendar.time_zone },
    cases_after_until: backtest.casesAfterUntil,
    events_after_until: backtest.eventsAfterUntil,
    contracts: totals.map((one, i) => {
      const named = decisiveEventTypes(one.contract)
      return {
        file: files[i],
        ...contractJson(one, calendar?.name),
        decided_after_last_event: one.decidedAfter(reading.lastAt ?? 0),
        unnamed_event_types: types.except(new Set(named)),
        named_types_not_in_log: named.filter((type) => !types.has(type)),
      }
    }),
    comparison: comparison && comparisonJson(comparison),
    bad_rows: { count: badRows.count, by_reason: Object.fromEntries(badRows.byReason), first: badRows.first },
    warnings: backtest.notes,
  }
  return JSON.stringify(json, null, 2)
}

function contractJson(totals: Totals, calendarName: string | undefined) {
  const { contract, count, resolution, reasons, accepted, acceptedLate, repeated, refused } = totals
  const { reversed, restarted, paused, stillPaused } = totals
  return {
    contract,
    words: contractInWords(contract, undefined, calendarName).join(' '),
    cases: totals.cases,
    confirmed: count.CONFIRMED,
    failed: count.FAILED,
    still_open: { open: count.OPEN, pending: count.PENDING },
    price_sums: Object.fromEntries(
      STATUSES.map((status) => [status.toLowerCase(), decimalText(totals.priceSum(status))]),
    ),
    median_seconds_to_resolution: {
      confirmed: seconds(resolution.CONFIRMED.median),
      failed: seconds(resolution.FAILED.median),
    },
    reasons,
    review: contract.review
      ? { reversed, reversed_price_sum: decimalText(totals.reversedPriceSum), restarted }
      : null,
    clock: contract.clock?.pause_on ? { paused, still_paused: stillPaused } : null,
    events: { accepted, accepted_late: acceptedLate, repeated, refused },
    nearest_losers: totals.nearestLosers.map(loserJson),
  }
}

function loserJson(loser: Loser) {
  const { id, missing, late } = loser
  return {
    case_id: id,
    missing_conditions: missing.length,
    late_by_seconds: seconds(late?.byMs ?? null),
    late_event: late && { type: late.event.type, line: late.event.line },
    missing: missingWords(loser),
    leaves: missing.map(({ leaf, isWanted, closest }) => ({
      leaf,
      words: eventInWords(leaf),
      must_be_satisfied: isWanted,
      closest_value: closest,
    })),
  }
}

function comparisonJson({ changed, unchanged, difference, changes, changedCases }: Comparison) {
  return {
    changed_cases: changed,
    unchanged_cases: unchanged,
    price_difference: decimalText(difference),
    changes: changes.map(({ from, to, count, difference }) => ({
      from,
      to,
      cases: count,
      price_difference: decimalText(difference),
    })),
    cases: changedCases.map(({ id, from, to, difference }) => ({
      case_id: id,
      from,
      to,
      price_difference: decimalText(difference),
    })),
  }
}

const seconds = (milliseconds: number | null) => (milliseconds === null ? null : milliseconds / 1000)

const isoTime = (time: number | null) => (time === null ? null : new Date(time).toISOString())
