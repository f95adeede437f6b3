import { inspect } from 'node:util'
import Table from 'cli-table3'
import { commandOf, type Plan } from './plan.ts'
import type { Result } from './simulation.ts'

const MAX_CHARACTERS = 60_000

/** A run's result as JSON. */
export interface RunResult {
  plan: Plan
  command: string
  operations: number
  acknowledged: number
  unknown: number
  by_operation: Record<string, number>
  by_answer: Record<string, number>
  by_fault: Record<string, number>
  /** Seconds for which clients acted. */
  seconds: number
  finding: { message: string; about: unknown } | null
  /** Why the run has no result. */
  failure: string | null
}

export function toRunResult({ world, injected, seconds, finding, failure }: Result, plan: Plan): RunResult {
  return {
    plan,
    command: commandOf(plan),
    operations: world.operations,
    acknowledged: world.acknowledged,
    unknown: world.unknown,
    by_operation: Object.fromEntries(world.tally),
    by_answer: Object.fromEntries(world.answers),
    by_fault: Object.fromEntries(injected),
    seconds,
    finding: finding && { message: finding.message, about: plain(finding.about) },
    failure,
  }
}

/** JSON cannot contain these values. */
function plain(about: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(about) ?? 'null')
  } catch {
    return inspect(about, { depth: 6 })
  }
}

/** Operations, responses and faults as a table. */
export const formatTable = ({ world, injected }: Result): string =>
  columns(world.tally, world.answers, injected)

/** The sums of several runs. */
export function formatTotals(runs: readonly RunResult[]): string {
  return columns(
    sum(runs.map(({ by_operation }) => by_operation)),
    sum(runs.map(({ by_answer }) => by_answer)),
    injectedIn(runs),
  )
}

export const injectedIn = (runs: readonly RunResult[]): Map<string, number> =>
  sum(runs.map(({ by_fault }) => by_fault))

function sum(counts: readonly Record<string, number>[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [name, times] of counts.flatMap(Object.entries<number>)) {
    sums.set(name, (sums.get(name) ?? 0) + times)
  }
  return sums
}

function columns(...counts: ReadonlyMap<string, number>[]): string {
  const table = new Table({ head: ['operations', 'answers', 'faults'], style: { head: [], border: [] } })
  table.push(counts.map(listOf))
  return table.toString()
}

function listOf(counts: ReadonlyMap<string, number>): string {
  const width = Math.max(...counts.values().map((times) => `${times}`.length), 1)
  const lines = [...counts].map(([name, times]) => `${`${times}`.padStart(width)} ${name}`)
  return lines.sort((a, b) => (a.slice(width) < b.slice(width) ? -1 : 1)).join('\n')
}

/** The finding, its details, and the command that repeats the run. */
export function formatReport(
  { finding, failure }: Pick<RunResult, 'finding' | 'failure'>,
  command: string,
): string {
  if (failure !== null) return `ERROR: ${failure}\nAgain: ${command}`
  if (!finding) return 'No finding.'
  const about = inspect(finding.about, {
    depth: 10,
    maxArrayLength: 400,
    maxStringLength: 2_000,
    breakLength: 200,
  })
  return [
    `FINDING: ${finding.message}`,
    about.length > MAX_CHARACTERS ? `${about.slice(0, MAX_CHARACTERS)}…` : about,
    '',
    `Again: ${command}`,
    'The seed fixes the operations of each client and the faults. Timing differs between runs.',
  ].join('\n')
}
