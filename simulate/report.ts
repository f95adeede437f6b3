import { inspect } from 'node:util'
import Table from 'cli-table3'
import type { Result } from './simulation.ts'

const MOST_CHARACTERS = 60_000

/** What was done, what was answered and what struck, as a table for people. */
export function tableOf({ world, struck }: Result): string {
  const table = new Table({ head: ['operations', 'answers', 'faults'], style: { head: [], border: [] } })
  table.push([world.tally, world.answers, struck].map(listOf))
  return table.toString()
}

function listOf(counts: ReadonlyMap<string, number>): string {
  const width = Math.max(...counts.values().map((times) => `${times}`.length), 1)
  const lines = [...counts].map(([name, times]) => `${`${times}`.padStart(width)} ${name}`)
  return lines.sort((a, b) => (a.slice(width) < b.slice(width) ? -1 : 1)).join('\n')
}

/** What was expected, what was known of it, and how to try it again. */
export function tellOf({ finding }: Result, command: string): string {
  if (!finding) return ''
  const about = inspect(finding.about, {
    depth: 10,
    maxArrayLength: 400,
    maxStringLength: 2_000,
    breakLength: 200,
  })
  return [
    `FINDING: ${finding.message}`,
    about.length > MOST_CHARACTERS ? `${about.slice(0, MOST_CHARACTERS)}…` : about,
    '',
    `Again: ${command}`,
    'The same seed draws the same operations for each client and the same faults; how they meet in time differs from run to run.',
  ].join('\n')
}

export function jsonOf({ world, struck, finding }: Result, seed: number) {
  return {
    seed,
    operations: world.operations,
    acknowledged: world.acknowledged,
    unknown: world.unknown,
    by_operation: Object.fromEntries(world.tally),
    by_answer: Object.fromEntries(world.answers),
    by_fault: Object.fromEntries(struck),
    finding: finding && { message: finding.message, about: finding.about },
  }
}
