import { styleText } from 'node:util'
import Table from 'cli-table3'

/** A table for a terminal: a row an item, cut to no width. */
export function formatTable(head: string[], rows: string[][]): string {
  const table = new Table({
    head: head.map((title) => styleText('bold', title, { stream: process.stdout })),
    style: { head: [], border: process.stdout.isTTY ? ['grey'] : [] },
  })
  table.push(...rows)
  return table.toString()
}
