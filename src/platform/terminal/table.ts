import { styleText } from 'node:util'
import { type Options, Presets, SingleBar } from 'cli-progress'
import Table from 'cli-table3'
import { printable } from './printable.ts'

/** A table of foreign texts for a terminal, without a limit of its width. */
export function formatTable(head: string[], rows: string[][]): string {
  return formatStyledTable(
    head,
    rows.map((row) => row.map(printable)),
  )
}

/** The same for cells with colors. Foreign texts in them must be `printable` already. */
export function formatStyledTable(head: string[], rows: string[][]): string {
  const bold = (title: string) => styleText('bold', title, { stream: process.stdout })
  // cli-table3 ignores NO_COLOR.
  const hasColours = bold('') !== ''
  const table = new Table({
    head: head.map(bold),
    style: { head: [], border: hasColours ? ['grey'] : [] },
  })
  table.push(...rows)
  return table.toString()
}

/** A progress bar on standard error, which must be a terminal. @param format of cli-progress */
export const progressBar = (format: string, options: Options = {}): SingleBar =>
  new SingleBar(
    {
      format,
      barsize: 30,
      clearOnComplete: true,
      // A run that ends early must not leave the terminal without line wrapping.
      linewrap: null,
      ...options,
    },
    Presets.shades_classic,
  )
