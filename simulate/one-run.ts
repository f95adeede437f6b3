import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Progress } from '../bench/progress.ts'
import { chooseFaults } from './choose-faults.ts'
import { commandOf, type Plan } from './plan.ts'
import { jsonOf, type RunResult, tableOf, tellOf } from './report.ts'
import { simulate } from './simulation.ts'
import { openStage } from './stage/open-stage.ts'

const SOURCE = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** Seconds besides the clients' work: start, recovery, judgement and stop. */
const LONGEST_REST_S = 900
/** The stored data of a run needs room, and some faults fill it. */
const LARGEST_DISK_MEBIBYTES = 2_048
const CLOSE_PATIENCE_MS = 60_000

export const longestMs = ({ seconds }: Plan): number => (seconds + LONGEST_REST_S) * 1000

/** 0: no finding, 1: a finding, 2: the run failed for another reason. */
export const statusOf = ({ finding, failure }: Pick<RunResult, 'finding' | 'failure'>): number =>
  finding ? 1 : failure === null ? 0 : 2

interface Outcome {
  status: number
  result: RunResult | null
}

/** Reports the result, also if there is none, and ends everything that it started. */
export async function runOnce(plan: Plan, json: string | null): Promise<Outcome> {
  const progress = new Progress()
  const late = setTimeout(() => {
    console.log(`ERROR: the run did not end in ${longestMs(plan) / 1000} s\nAgain: ${commandOf(plan)}`)
    // The next run removes the rest.
    process.exit(2)
  }, longestMs(plan) + CLOSE_PATIENCE_MS)
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

/** Three databases need three times the room even without data. */
const diskOf = ({ seconds, citus }: Plan) =>
  Math.min(LARGEST_DISK_MEBIBYTES, (citus === undefined ? 400 : 1_200) + 3 * seconds)

async function run(plan: Plan, json: string | null, progress: Progress): Promise<Outcome> {
  const { seed, seconds, clients, accounts, patience } = plan
  const faults = chooseFaults(plan, (line) => progress.say(line))
  const command = commandOf(plan)
  progress.say(command)
  const stage = await openStage({
    servers: plan.servers,
    workers: plan.workers,
    needs: new Set(faults.flatMap(({ need }) => need ?? [])),
    diskMebibytes: diskOf(plan),
    log: (line) => progress.say(line),
    citus: plan.citus,
    ...(plan.source ? { program: SOURCE } : {}),
  })
  try {
    const isNamed = plan.faults !== 'all'
    const options = { seed, seconds, clients, accounts, patienceSeconds: patience, faults, isNamed, progress }
    const result = await simulate(stage, options)
    progress.end()
    // One of many runs is summarized with the others. A table costs a second.
    if (!process.connected) console.log(tableOf(result))
    const asJson = jsonOf(result, plan)
    if (json) await writeFile(json, `${JSON.stringify(asJson, null, 2)}\n`)
    const { operations, acknowledged, unknown } = result.world
    console.log(`${operations} operations, ${acknowledged} events acknowledged, ${unknown} unknown.`)
    console.log(tellOf(result, command))
    return { status: statusOf(result), result: asJson }
  } finally {
    await stage.stop()
  }
}
