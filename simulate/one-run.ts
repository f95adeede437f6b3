import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Progress } from '../bench/progress.ts'
import { chooseFaults } from './choose-faults.ts'
import { commandOf, type Plan } from './plan.ts'
import { formatReport, formatTable, type RunResult, toRunResult } from './report.ts'
import { simulate } from './simulation.ts'
import { openTestbed } from './testbed/open-testbed.ts'

const SOURCE = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** Time for start, recovery, verification and stop. */
const MAX_OTHER_S = 900
const MAX_DISK_MEBIBYTES = 2_048
const CLOSE_TIMEOUT_MS = 60_000

export const runTimeoutMs = ({ seconds }: Plan): number => (seconds + MAX_OTHER_S) * 1000

/** 0: no finding, 1: a finding, 2: the run failed for another reason. */
export const exitStatusOf = ({ finding, failure }: Pick<RunResult, 'finding' | 'failure'>): number =>
  finding ? 1 : failure === null ? 0 : 2

interface Outcome {
  status: number
  result: RunResult | null
}

/** Runs the plan, prints the result or the error, and ends all processes of the run. */
export async function runOnce(plan: Plan, json: string | null): Promise<Outcome> {
  const progress = new Progress()
  const late = setTimeout(() => {
    console.log(`ERROR: the run did not end in ${runTimeoutMs(plan) / 1000} s\nAgain: ${commandOf(plan)}`)
    // The next run removes its files.
    process.exit(2)
  }, runTimeoutMs(plan) + CLOSE_TIMEOUT_MS)
  late.unref()
  try {
    return await run(plan, json, progress)
  } catch (error) {
    progress.end()
    console.log(`ERROR: ${(error as Error).stack}\nAgain: ${commandOf(plan)}`)
    return { status: 2, result: null }
  } finally {
    clearTimeout(late)
  }
}

/** A cluster has three databases. */
const diskOf = ({ seconds, citus }: Plan) =>
  Math.min(MAX_DISK_MEBIBYTES, (citus === undefined ? 400 : 1_200) + 3 * seconds)

async function run(plan: Plan, json: string | null, progress: Progress): Promise<Outcome> {
  const { seed, seconds, clients, accounts, patience } = plan
  const faults = chooseFaults(plan, (line) => progress.say(line))
  const command = commandOf(plan)
  progress.say(command)
  const testbed = await openTestbed({
    servers: plan.servers,
    workers: plan.workers,
    requirements: new Set(faults.flatMap(({ requires }) => requires ?? [])),
    diskMebibytes: diskOf(plan),
    log: (line) => progress.say(line),
    citus: plan.citus,
    ...(plan.source ? { program: SOURCE } : {}),
  })
  try {
    const mustInjectAll = plan.faults !== 'all'
    const options = {
      seed,
      seconds,
      clients,
      accounts,
      timeoutSeconds: patience,
      faults,
      mustInjectAll,
      progress,
    }
    const result = await simulate(testbed, options)
    progress.end()
    // Many runs are summarized together. A table takes a second.
    if (!process.connected) console.log(formatTable(result))
    const asJson = toRunResult(result, plan)
    if (json) await writeFile(json, `${JSON.stringify(asJson, null, 2)}\n`)
    const { operations, acknowledged, unknown } = result.world
    console.log(`${operations} operations, ${acknowledged} events acknowledged, ${unknown} unknown.`)
    console.log(formatReport(result, command))
    return { status: exitStatusOf(result), result: asJson }
  } finally {
    await testbed.stop()
  }
}
