import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Progress } from '../bench/progress.ts'
import { chooseFaults } from './choose-faults.ts'
import { commandOf, type Plan } from './plan.ts'
import { jsonOf, type RunResult, tableOf, tellOf } from './report.ts'
import { simulate } from './simulation.ts'
import { openStage } from './stage/open-stage.ts'

const SOURCE = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** Beside what its clients act: for its start, its calm, its judgement and its end. */
const LONGEST_REST_S = 900
/** What is stored in a run must have room, and all of it is filled at times. */
const LARGEST_DISK_MEBIBYTES = 2_048
const CLOSE_PATIENCE_MS = 60_000

export const longestMs = ({ seconds }: Plan): number => (seconds + LONGEST_REST_S) * 1000

/** 0: nothing was found, 1: something was, 2: the run failed otherwise, and says how. */
export const statusOf = ({ finding, failure }: Pick<RunResult, 'finding' | 'failure'>): number =>
  finding ? 1 : failure === null ? 0 : 2

interface Outcome {
  status: number
  result: RunResult | null
}

/** Says what came of it, also where it is nothing, and ends all that it started. */
export async function runOnce(plan: Plan, json: string | null): Promise<Outcome> {
  const progress = new Progress()
  const late = setTimeout(() => {
    console.log(`ERROR: the run did not end in ${longestMs(plan) / 1000} s\nAgain: ${commandOf(plan)}`)
    // What is left then goes with the next run.
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

/** Three databases take three times the room before anything is in them. */
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
    // One of many is summed up with the others; a table costs a second.
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
