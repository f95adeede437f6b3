import type { Mutant } from './mutant.ts'
import { killed, type MutantResult, runFailed, runNode, survived } from './mutant-run.ts'

/** Tests of the service's behavior, without architecture, documents, dashboard, deployment, benchmark and simulator. */
export const SERVICE_TESTS = 'tests/!(architecture|bench|dashboard|deploy|docs|simulate)/**/*.test.ts'
const RUN_TIMEOUT_MS = 1_800_000

/** Runs tests of a suite on the mutant in the folder, up to the first failed test. */
export async function findByTests(
  folder: string,
  mutant: Mutant,
  suite: string,
  tests: readonly string[],
): Promise<MutantResult> {
  const startedAt = performance.now()
  let found: MutantResult | null = null
  const { status, output } = await runNode(['scripts/test.ts', '--suite', suite, ...tests], {
    folder,
    timeoutMs: RUN_TIMEOUT_MS,
    onOutput: (output, child) => {
      if (found !== null) return
      const failedTest = /^✖ (.*)/m.exec(output)?.[1]
      if (failedTest === undefined) return
      found = killed(mutant, startedAt, failedTest)
      child.kill('SIGTERM')
    },
  })
  return found ?? survived(mutant, status === 0 ? 'no test failed' : runFailed(output))
}
