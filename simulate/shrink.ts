import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInChild } from './child-run.ts'
import { chooseFaults } from './choose-faults.ts'
import { commandOf, type Plan } from './plan.ts'
import { formatReport, type RunResult } from './report.ts'

/** Runs of each plan: timing differs between runs. */
const RUNS_PER_PLAN = 2
/** Added to the time at which the finding occurred. */
const EXTRA_SECONDS = 5

/** The kind of a finding: its text without ids, numbers and times. */
export const findingKindOf = ({ finding }: Pick<RunResult, 'finding'>): string =>
  (finding?.message ?? '').replaceAll(/[\da-f]{8}-[\da-f-]{27}|[\w-]*\d[\w:.-]*/g, '…')

/**
 * Reruns with fewer faults, servers, clients, accounts and seconds, for about the given time, and keeps the smallest
 * run that has a finding of the same kind. Returns the report.
 * @param pathPrefix of the files of the runs
 */
export async function shrink(
  found: RunResult,
  timeoutMs: number,
  pathPrefix: string,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<string> {
  const deadline = performance.now() + timeoutMs
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const tried = new Set<string>()
  let smallest: RunResult | null = null
  let candidates = smallerPlans(found)
  let runs = 0
  for (let plan = candidates.shift(); plan && performance.now() < deadline && !bounded.aborted; ) {
    const reproduced = await reproduce(
      plan,
      findingKindOf(found),
      `${pathPrefix}-smaller`,
      bounded,
      () => runs++,
    )
    if (reproduced) {
      log(`reproduced by ${reproduced.command}`)
      smallest = reproduced
      candidates = smallerPlans(reproduced)
    }
    tried.add(commandOf(plan))
    candidates = candidates.filter((candidate) => !tried.has(commandOf(candidate)))
    plan = candidates.shift()
  }
  if (smallest)
    return `The smallest with the finding, of ${runs} smaller runs:\n${formatReport(smallest, smallest.command)}`
  return `None of ${runs} smaller runs had the finding. It may depend on timing.`
}

/** Shrinks a single run and prints the report. */
export async function shrinkAndReport(found: RunResult, timeoutMs: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-smaller-'))
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort())
  try {
    const log = (line: string) => console.error(line)
    console.log(await shrink(found, timeoutMs, join(folder, 'run'), stop.signal, log))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function reproduce(
  plan: Plan,
  kind: string,
  pathPrefix: string,
  signal: AbortSignal,
  onRun: () => void,
): Promise<RunResult | null> {
  for (let i = 0; i < RUNS_PER_PLAN && !signal.aborted; i++) {
    onRun()
    const result = await runInChild(plan, pathPrefix, signal)
    if (result?.finding && findingKindOf(result) === kind) return result
  }
  return null
}

/** Smaller plans, the smallest first. */
function smallerPlans({ plan, seconds }: RunResult): Plan[] {
  const names = chooseFaults(plan, () => {}).map(({ name }) => name)
  const half = Math.ceil(names.length / 2)
  const lists = names.length <= 1 ? [] : [names.slice(0, half), names.slice(half)]
  const shorter = { ...plan, seconds: Math.min(plan.seconds, Math.ceil(seconds) + EXTRA_SECONDS) }
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
