import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { type AnyHistory, inWords } from './history.ts'
import { World } from './world.ts'

const MS = process.env.DETERMINISTIC_MS
const RUNS = process.env.DETERMINISTIC_RUNS
const SEED = process.env.DETERMINISTIC_SEED

interface Options<H> {
  /** How many histories, unless the environment says otherwise: a second of them or two. */
  runs: number
  /** Tried first. */
  examples?: readonly H[]
}

/**
 * Tries random histories: as many as the test says or DETERMINISTIC_RUNS, or for DETERMINISTIC_MS. One that fails is
 * reported in its smallest form, step by step, with the seed that repeats it.
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
        throw new Error(`${cause}\n\n${inWords(history)}\n\n${world.course.story.join('\n')}`, { cause })
      } finally {
        steps += world.course.taken
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
