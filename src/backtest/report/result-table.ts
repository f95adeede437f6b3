import { styleText } from 'node:util'
import type { Status } from '../../core/claims/lifecycle.ts'
import { decisiveEventTypes } from '../../core/contracts/contract.ts'
import { decimalText } from '../../kernel/decimal.ts'
import { printable } from '../../platform/terminal/printable.ts'
import { formatStyledTable } from '../../platform/terminal/table.ts'
import { REFUSALS } from '../backtest.ts'
import type { Comparison } from '../comparison.ts'
import { MAX_CHANGED_CASES_IN_TABLE, MAX_TYPES_IN_TABLE } from '../limits.ts'
import type { EventTypes } from '../log/log-statistics.ts'
import type { LogReading } from '../log/read-rows.ts'
import type { Backtest, BacktestResult } from '../run-backtest.ts'
import { REASONS, type Totals } from '../totals.ts'
import {
  duration,
  grouped,
  marginWords,
  missingWords,
  moreOrLess,
  REASON_WORDS,
  REFUSAL_WORDS,
  share,
  signed,
} from './figures.ts'

/** The result for a person at a terminal. */
export function resultTable({ files, backtest }: BacktestResult): string {
  const { reading, totals, comparison } = backtest
  const isComparison = totals.length > 1
  const sections = [
    figures(backtest.totals, files),
    ...(comparison ? [changes(comparison)] : []),
    ...totals.flatMap((one, i) => [
      ...unnamedTypes(one, reading.types, isComparison ? files[i] : undefined),
      ...losers(one, isComparison ? files[i] : undefined),
    ]),
    ...badRows(reading),
    ...notes(backtest),
  ]
  return sections.join('\n\n')
}

const bold = (text: string) => styleText('bold', text, { stream: process.stdout })

/** One column of figures a contract. */
function figures(totals: Totals[], files: string[]): string {
  const row: Row = (title, figure) => [title, ...totals.map(figure)]
  const counted = (title: string, status: Status, colour?: 'green' | 'red') =>
    row(title, (one) => {
      const text = `${grouped(one.count[status])}  ${share(one.count[status], one.cases).padStart(7)}`
      return colour ? styleText(colour, text, { stream: process.stdout }) : text
    })
  const sum = (title: string, status: Status) =>
    row(title, (one) => grouped(decimalText(one.priceSum(status))))
  const median = (status: 'CONFIRMED' | 'FAILED') => (one: Totals) => {
    const value = one.resolution[status].median
    return value === null ? '' : duration(value)
  }
  const rows = [
    row('cases', (one) => grouped(one.cases)),
    counted('confirmed', 'CONFIRMED', 'green'),
    counted('failed', 'FAILED', 'red'),
    counted('still open: OPEN', 'OPEN'),
    counted('still open: PENDING', 'PENDING'),
    sum('price, confirmed (paid)', 'CONFIRMED'),
    sum('price, failed', 'FAILED'),
    sum('price, OPEN', 'OPEN'),
    sum('price, PENDING', 'PENDING'),
    row('median time to CONFIRMED', median('CONFIRMED')),
    row('median time to FAILED', median('FAILED')),
    ...REASONS.slice(0, -2)
      .filter((reason) => reason !== 'reversed_in_review' || totals.some(({ contract }) => contract.review))
      .map((reason) => row(lowerFirst(REASON_WORDS[reason]), (one) => grouped(one.reasons[reason]))),
    ...reviewRows(totals, row),
    ...clockRows(totals, row),
    row('events accepted', (one) => grouped(one.accepted)),
    ...(totals.some(({ acceptedLate }) => acceptedLate > 0)
      ? [row('events accepted late', (one) => grouped(one.acceptedLate))]
      : []),
    ...(totals.some(({ repeated }) => repeated > 0)
      ? [row('events repeated', (one) => grouped(one.repeated))]
      : []),
    ...REFUSALS.map((refusal) =>
      row(`events refused: ${REFUSAL_WORDS[refusal]}`, (one) => grouped(one.refused[refusal])),
    ).filter((cells) => cells.slice(1).some((cell) => cell !== '0')),
  ]
  const [head = [], ...body] = rightAligned([['', ...files.map(printable)], ...rows])
  return formatStyledTable(head, body)
}

type Row = (title: string, figure: (one: Totals) => string) => string[]

/** What the review changed. Empty if no contract has `review`. */
function reviewRows(totals: Totals[], row: Row): string[][] {
  if (totals.every(({ contract }) => !contract.review)) return []
  return [
    row('price not paid because of the review', (one) => grouped(decimalText(one.reversedPriceSum))),
    row('cases whose review restarted', (one) => grouped(one.restarted)),
  ]
}

/** Empty if no contract has a clock that events stop. */
function clockRows(totals: Totals[], row: Row): string[][] {
  if (totals.every(({ contract }) => !contract.clock?.pause_on)) return []
  return [
    row('cases whose clock stopped', (one) => grouped(one.paused)),
    row('cases whose clock is stopped at the end', (one) => grouped(one.stillPaused)),
  ]
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

/** Numbers end below each other: every column but the first. */
function rightAligned(rows: string[][]): string[][] {
  const width = (column: number) => Math.max(...rows.map((row) => visible(row[column] ?? '')))
  const widths = (rows[0] ?? []).map((_, column) => width(column))
  return rows.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell : ' '.repeat((widths[column] as number) - visible(cell)) + cell,
    ),
  )
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const visible = (cell: string) => cell.replace(/\x1b\[\d+m/g, '').length

function changes(comparison: Comparison): string {
  const { changed, unchanged, difference, changedCases } = comparison
  const title = bold(
    `${grouped(changed)} cases change, ${grouped(unchanged)} do not; the second contract pays ${moreOrLess(decimalText(difference))} the first`,
  )
  if (changed === 0) return title
  const kinds = comparison.changes.map((change) => [
    `${change.from} → ${change.to}`,
    grouped(change.count),
    signed(decimalText(change.difference)),
  ])
  const shown = changedCases.slice(0, MAX_CHANGED_CASES_IN_TABLE)
  const cases = shown.map(({ id, from, to, difference }) => [
    printable(id),
    `${from} → ${to}`,
    signed(decimalText(difference)),
  ])
  const more = changed - shown.length
  return [
    title,
    formatStyledTable(['CHANGE', 'CASES', 'PRICE'], rightAligned(kinds)),
    formatStyledTable(['CASE', 'CHANGE', 'PRICE'], cases),
    ...(more > 0 ? [`and ${grouped(more)} more cases`] : []),
  ].join('\n')
}

function unnamedTypes(totals: Totals, types: EventTypes, file: string | undefined): string[] {
  const named = decisiveEventTypes(totals.contract)
  const unnamed = types.except(new Set(named))
  const absent = named.filter((type) => !types.has(type))
  const of = file ? ` of ${printable(file)}` : ''
  const list = unnamed
    .slice(0, MAX_TYPES_IN_TABLE)
    .map(({ type, count }) => `  ${grouped(count).padStart(12)}  ${printable(type)}`)
  const more = unnamed.length - list.length
  return [
    ...(unnamed.length === 0
      ? []
      : [
          [
            bold(`Event types that no condition${of} names (${grouped(unnamed.length)})`),
            ...list,
            ...(more > 0 ? [`  and ${grouped(more)} more types`] : []),
          ].join('\n'),
        ]),
    ...(absent.length === 0
      ? []
      : [
          `${bold(`Event types that the condition${of} names and the log never has:`)} ${absent.map(printable).join(', ')}`,
        ]),
  ]
}

function losers({ nearestLosers }: Totals, file: string | undefined): string[] {
  if (nearestLosers.length === 0) return []
  const rows = nearestLosers.map((loser) => [
    printable(loser.id),
    printable(missingWords(loser)),
    marginWords(loser),
  ])
  const title = bold(`Cases that lost by the least${file ? ` under ${printable(file)}` : ''}`)
  return [`${title}\n${formatStyledTable(['CASE', 'MISSING', 'BY'], rows)}`]
}

/** The notes of the result. */
export function notesOf(backtest: Backtest): string[] {
  const { casesAfterUntil, eventsAfterUntil, notes } = backtest
  return [
    ...afterLastEvent(backtest),
    ...(casesAfterUntil > 0 ? [`${grouped(casesAfterUntil)} cases open after --until: not counted`] : []),
    ...(eventsAfterUntil > 0
      ? [`${grouped(eventsAfterUntil)} events come after --until: not looked at`]
      : []),
    ...notes,
  ]
}

function afterLastEvent({ totals, reading: { lastAt } }: Backtest): string[] {
  if (lastAt === null) return []
  const count = Math.max(...totals.map((one) => one.decidedAfter(lastAt)))
  if (count === 0) return []
  const end = new Date(lastAt).toISOString()
  const cases = count === 1 ? '1 case was' : `${grouped(count)} cases were`
  return [
    `${cases} decided by an activity window that ended after the last event of the log (${end}), so later events may be missing; --until ${end} leaves such cases open`,
  ]
}

/** "3 bad time, 1 no case" */
export const reasonsText = ({ badRows }: LogReading) =>
  [...badRows.byReason].map(([reason, count]) => `${grouped(count)} ${reason}`).join(', ')

/** The bad rows, for a terminal; none if there are none. */
function badRows(reading: LogReading): string[] {
  const { count, first } = reading.badRows
  if (count === 0) return []
  const title = `${grouped(count)} bad rows left out: ${reasonsText(reading)}`
  const lines = first.map(({ line, detail }) => `  line ${grouped(line)}: ${printable(detail)}`)
  const more = count - first.length
  return [
    [
      styleText('yellow', title, { stream: process.stdout }),
      ...lines,
      ...(more > 0 ? [`  and ${grouped(more)} more`] : []),
    ].join('\n'),
  ]
}

/** The notes, for a terminal. */
function notes(backtest: Backtest): string[] {
  const texts = notesOf(backtest).map((note) => `note: ${printable(note)}`)
  return texts.length === 0 ? [] : [texts.join('\n')]
}
