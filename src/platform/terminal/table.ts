import { styleText } from 'node:util'
import { type Options, Presets, SingleBar } from 'cli-progress'
import Table from 'cli-table3'
import { printable } from './printable.ts'

/** A table for a terminal, of whatever others wrote: a row an item, cut to no width. */
export function formatTable(head: string[], rows: string[][]): string {
  return formatStyledTable(
    head,
    rows.map((row) => row.map(printable)),
  )
}

/** The same of cells that may have colours: what others wrote in them must be `printable` already. */
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

/** A bar on standard error, which must be a terminal. @param format as cli-progress has it */
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
