import { styleText } from 'node:util'
import { printable } from '../../platform/terminal/printable.ts'
import type { LogReading } from '../log/read-rows.ts'
import type { Backtest } from '../run-backtest.ts'
import { grouped } from './figures.ts'

/** What was left out, and what the person should know of the columns. */
export function notesOf({ casesAfterUntil, eventsAfterUntil, notes }: Backtest): string[] {
  return [
    ...(casesAfterUntil > 0 ? [`${grouped(casesAfterUntil)} cases open after --until: not counted`] : []),
    ...(eventsAfterUntil > 0
      ? [`${grouped(eventsAfterUntil)} events come after --until: not looked at`]
      : []),
    ...notes,
  ]
}

/** "3 bad time, 1 no case" */
export const reasonsText = ({ badRows }: LogReading) =>
  [...badRows.byReason].map(([reason, count]) => `${grouped(count)} ${reason}`).join(', ')

/** The bad rows, for a terminal; none if there are none. */
export function badRows(reading: LogReading): string[] {
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
export function notes(backtest: Backtest): string[] {
  const texts = notesOf(backtest).map((note) => `note: ${printable(note)}`)
  return texts.length === 0 ? [] : [texts.join('\n')]
}
