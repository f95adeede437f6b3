import { spawn } from 'node:child_process'
import type { Mutant } from './mutant.ts'

const TIMEOUT_MS = 300_000
const RUN_SECONDS = 30
/** On a slow machine a late answer must not count as the defect. */
const ANSWER_TIMEOUT_S = 60
const FUZZED_REQUESTS = 5_000
/** A run that hangs is no finding. */
const LONGEST_RUN_MS = 240_000
const MOST_CHARACTERS = 160

export interface Verdict {
  mutant: Mutant
  /** In seconds; null: it survived. */
  killedAfter: number | null
  how: string
}

/** Looks for the defect that is planted in the folder, run after run, each from another seed; on Citus by its programs. */
export async function hunt(folder: string, mutant: Mutant, citus: string | null): Promise<Verdict> {
  const built = await run(folder, ['scripts/build.ts', '--if-stale'])
  if (built.status !== 0) return { mutant, killedAfter: null, how: `it does not build: ${built.output}` }
  const startedAt = performance.now()
  let failure = 'nothing was found'
  for (let seed = 1; performance.now() - startedAt < TIMEOUT_MS; seed++) {
    const { status, output } = await run(folder, commandOf(mutant, seed, citus))
    const found = findingIn(output)
    const killedAfter = Math.round((performance.now() - startedAt) / 1000)
    if (found) return { mutant, killedAfter, how: found.slice(0, MOST_CHARACTERS) }
    if (status !== 0) failure = `a run failed: ${output.slice(-MOST_CHARACTERS)}`
  }
  return { mutant, killedAfter: null, how: failure }
}

function commandOf(
  { by, onCitus, faults = 'none', servers = 2, workers = 1, clients = 16, accounts = 3 }: Mutant,
  seed: number,
  citus: string | null,
) {
  if (by === 'fuzz') return ['simulate/fuzz/run.ts', '--seed', `${seed}`, '--requests', `${FUZZED_REQUESTS}`]
  const settings = {
    seed,
    seconds: RUN_SECONDS,
    patience: ANSWER_TIMEOUT_S,
    servers,
    workers,
    clients,
    accounts,
    faults,
  }
  const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const where = onCitus && citus !== null ? ['--citus', citus] : []
  return ['simulate/run.ts', '--no-shrink', ...options, ...where]
}

const findingIn = (output: string): string | null => /^(?:FINDING:|FOUND) (.*)/m.exec(output)?.[1] ?? null

function run(folder: string, args: readonly string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, args, { cwd: folder, timeout: LONGEST_RUN_MS, killSignal: 'SIGTERM' })
  let output = ''
  const hear = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })))
}
