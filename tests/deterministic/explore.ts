import fc from 'fast-check'
import { type AnyHistory, inWords } from './history.ts'
import { World } from './world.ts'

const MS = process.env.DETERMINISTIC_MS
const RUNS = Number(process.env.DETERMINISTIC_RUNS ?? 0)
const SEED = process.env.DETERMINISTIC_SEED

interface Options<H> {
  tell: (line: string) => void
  /** Tried first. */
  examples?: readonly H[]
  /** For how long, unless DETERMINISTIC_MS says otherwise. */
  ms?: number
}

/**
 * Tries histories, for a few seconds or for as many runs as DETERMINISTIC_RUNS says; of one that fails its smallest form
 * is told, step by step. DETERMINISTIC_SEED repeats a run.
 */
export async function explore<H extends AnyHistory>(
  histories: fc.Arbitrary<H>,
  prove: (world: World, history: H) => Promise<void>,
  { tell, examples = [], ms = 5_000 }: Options<H>,
): Promise<void> {
  let steps = 0
  let runs = 0
  let hasFailed = false
  // Told by the process: all else is virtual.
  const startedAt = process.uptime()
  const tryOut = async (history: H) => {
    runs++
    await World.run(history.choices, history.servers, async (world) => {
      try {
        await prove(world, history)
      } catch (cause) {
        if (!hasFailed)
          tell(
            `first failure after ${runs} histories, ${Math.round(1_000 * (process.uptime() - startedAt))} ms`,
          )
        hasFailed = true
        throw new Error(`${cause}\n\n${inWords(history)}\n\n${world.course.story.join('\n')}`, { cause })
      } finally {
        steps += world.course.taken
      }
    })
  }
  try {
    await fc.assert(fc.asyncProperty(histories, tryOut), {
      numRuns: RUNS || 1_000_000,
      ...(RUNS ? {} : { interruptAfterTimeLimit: Number(MS ?? ms) }),
      ...(SEED ? { seed: Number(SEED) } : {}),
      examples: examples.map((history) => [history]),
      markInterruptAsFailure: false,
      includeErrorInReport: true,
    })
  } finally {
    tell(`${steps} steps in ${runs} histories`)
  }
}
