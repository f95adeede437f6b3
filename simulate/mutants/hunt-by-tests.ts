import { spawn } from 'node:child_process'
import type { Verdict } from './hunt.ts'
import type { Mutant } from './mutant.ts'

/** Tests of the service's behaviour. Left out: architecture, documents, dashboard, deployment, benchmark, simulator. */
export const SERVICE_TESTS = 'tests/!(architecture|bench|dashboard|deploy|docs|simulate)/**/*.test.ts'
/** A run that takes longer is stopped, and the defect counts as not found. */
const TIMEOUT_MS = 1_800_000
const MAX_CHARACTERS = 160

/** Runs tests of a suite on the defect that is planted in the folder, up to the first failure. */
export function huntByTests(
  folder: string,
  mutant: Mutant,
  suite: string,
  tests: readonly string[],
): Promise<Verdict> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['scripts/test.ts', '--suite', suite, ...tests], {
    cwd: folder,
    timeout: TIMEOUT_MS,
    killSignal: 'SIGTERM',
  })
  let output = ''
  let found: string | null = null
  const hear = (chunk: Buffer) => {
    output += chunk
    if (found !== null) return
    found = /^✖ (.*)/m.exec(output)?.[1] ?? null
    if (found !== null) child.kill('SIGTERM')
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  return new Promise((resolve) =>
    child.once('close', (status) => {
      const killedAfter = found === null ? null : Math.round((performance.now() - startedAt) / 1000)
      const failure = status === 0 ? 'no test failed' : `the run failed: ${output.slice(-MAX_CHARACTERS)}`
      resolve({ mutant, killedAfter, how: (found ?? failure).slice(0, MAX_CHARACTERS) })
    }),
  )
}
