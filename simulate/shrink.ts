import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInChild } from './child-run.ts'
import { chooseFaults } from './choose-faults.ts'
import { commandOf, type Plan } from './plan.ts'
import { type RunResult, tellOf } from './report.ts'

/** Timing differs between runs, so each plan is tried more than once. */
const TRIES = 2
/** Added to the time at which the finding occurred. */
const MORE_SECONDS = 5

/** The kind of a finding: its text without ids, numbers and times. */
export const kindOf = ({ finding }: Pick<RunResult, 'finding'>): string =>
  (finding?.message ?? '').replaceAll(/[\da-f]{8}-[\da-f-]{27}|[\w-]*\d[\w:.-]*/g, '…')

/**
 * Retries with fewer faults, servers, clients, accounts and seconds, for about the given time, and keeps the smallest
 * run that has a finding of the same kind. Returns the report.
 */
export async function shrink(
  found: RunResult,
  mostMs: number,
  files: string,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<string> {
  const deadline = performance.now() + mostMs
  const within = AbortSignal.any([signal, AbortSignal.timeout(mostMs)])
  const tried = new Set<string>()
  let smallest: RunResult | null = null
  let candidates = smaller(found)
  let tries = 0
  for (let plan = candidates.shift(); plan && performance.now() < deadline && !within.aborted; ) {
    const again = await findsAgain(plan, kindOf(found), `${files}-smaller`, within, () => tries++)
    if (again) {
      say(`found again by ${again.command}`)
      smallest = again
      candidates = smaller(again)
    }
    tried.add(commandOf(plan))
    candidates = candidates.filter((candidate) => !tried.has(commandOf(candidate)))
    plan = candidates.shift()
  }
  if (smallest) return `The smallest run of ${tries} that finds it:\n${tellOf(smallest, smallest.command)}`
  return `It did not come again in ${tries} smaller runs: it hangs on how things meet in time. Its history is that of the run that found it.`
}

/** Shrinks a single run and prints the report. */
export async function shrinkFound(found: RunResult, mostMs: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-smaller-'))
  const over = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => over.abort())
  try {
    const say = (line: string) => console.error(line)
    console.log(await shrink(found, mostMs, join(folder, 'run'), over.signal, say))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function findsAgain(
  plan: Plan,
  kind: string,
  files: string,
  signal: AbortSignal,
  onTry: () => void,
): Promise<RunResult | null> {
  for (let i = 0; i < TRIES && !signal.aborted; i++) {
    onTry()
    const result = await runInChild(plan, files, signal)
    if (result?.finding && kindOf(result) === kind) return result
  }
  return null
}

/** Smaller plans, the smallest first. */
function smaller({ plan, seconds }: RunResult): Plan[] {
  const names = chooseFaults(plan, () => {}).map(({ name }) => name)
  const half = Math.ceil(names.length / 2)
  const lists = names.length <= 1 ? [] : [names.slice(0, half), names.slice(half)]
  const shorter = { ...plan, seconds: Math.min(plan.seconds, Math.ceil(seconds) + MORE_SECONDS) }
  const plans = [
    ...(names.length > 0 ? [{ ...shorter, faults: 'none' }] : []),
    ...lists.map((list) => ({ ...shorter, faults: list.join() })),
    { ...shorter, servers: 1 },
    { ...shorter, workers: 1 },
    { ...shorter, clients: Math.ceil(plan.clients / 2) },
    { ...shorter, accounts: 1 },
    { ...shorter, seconds: Math.ceil(shorter.seconds / 2) },
  ]
  return plans.filter((candidate) => commandOf(candidate) !== commandOf(plan))
}
