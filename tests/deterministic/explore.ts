import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { type AnyHistory, describeHistory } from './history.ts'
import { World } from './world.ts'

const MS = process.env.DETERMINISTIC_MS
const RUNS = process.env.DETERMINISTIC_RUNS
const SEED = process.env.DETERMINISTIC_SEED

interface Options<H> {
  /** The number of histories, if the environment sets none. They take one or two seconds. */
  runs: number
  /** Tried first. */
  examples?: readonly H[]
}

/**
 * Runs random histories: `runs` or DETERMINISTIC_RUNS of them, or for DETERMINISTIC_MS. A failing history is reported in
 * its smallest form, with its steps and the seed that repeats it.
 */
export async function explore<H extends AnyHistory>(
  t: TestContext,
  histories: fc.Arbitrary<H>,
  prove: (world: World, history: H) => Promise<void>,
  { runs, examples = [] }: Options<H>,
): Promise<void> {
  let steps = 0
  let tried = 0
  const tryOut = async (history: H) => {
    tried++
    await World.run(history.choices, history.servers, async (world) => {
      try {
        await prove(world, history)
      } catch (cause) {
        throw new Error(`${cause}\n\n${describeHistory(history)}\n\n${world.scheduler.trace.join('\n')}`, {
          cause,
        })
      } finally {
        steps += world.scheduler.stepCount
      }
    })
  }
  const details = await fc.check(fc.asyncProperty(histories, tryOut), {
    numRuns: Number(RUNS ?? (MS ? 1_000_000 : runs)),
    ...(MS ? { interruptAfterTimeLimit: Number(MS) } : {}),
    ...(SEED ? { seed: Number(SEED) } : {}),
    examples: examples.map((history) => [history]),
    markInterruptAsFailure: false,
    includeErrorInReport: true,
  })
  t.diagnostic(`${steps} steps in ${tried} histories`)
  if (!details.failed) return
  throw new Error(
    `${await fc.asyncDefaultReportMessage(details)}\n\nIt repeats with DETERMINISTIC_SEED=${details.seed}`,
    { cause: details.errorInstance },
  )
}
