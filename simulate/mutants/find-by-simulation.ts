import type { Mutant } from './mutant.ts'
import { killed, type MutantResult, runFailed, runNode, survived } from './mutant-run.ts'

const TIMEOUT_MS = 300_000
const RUN_SECONDS = 30
/** A late response on a slow machine must not be a finding. */
const RESPONSE_TIMEOUT_S = 60
const FUZZ_REQUESTS = 5_000
const RUN_TIMEOUT_MS = 240_000

/** Runs the simulator or the fuzzer on the mutant in the folder, each time with another seed, until a finding. */
export async function findBySimulation(
  folder: string,
  mutant: Mutant,
  citus: string | null,
): Promise<MutantResult> {
  const run = (args: readonly string[]) => runNode(args, { folder, timeoutMs: RUN_TIMEOUT_MS })
  const built = await run(['scripts/build.ts', '--if-stale'])
  if (built.status !== 0) return survived(mutant, `it does not build: ${built.output}`)
  const startedAt = performance.now()
  let message = 'no finding'
  for (let seed = 1; performance.now() - startedAt < TIMEOUT_MS; seed++) {
    const { status, output } = await run(commandOf(mutant, seed, citus))
    const finding = /^(?:FINDING:|FOUND) (.*)/m.exec(output)?.[1]
    if (finding !== undefined) return killed(mutant, startedAt, finding)
    if (status !== 0) message = runFailed(output)
  }
  return survived(mutant, message)
}

function commandOf(
  { by, onCitus, faults = 'none', servers = 2, workers = 1, clients = 16, accounts = 3 }: Mutant,
  seed: number,
  citus: string | null,
) {
  if (by === 'fuzz') return ['simulate/fuzz/run.ts', '--seed', `${seed}`, '--requests', `${FUZZ_REQUESTS}`]
  const settings = {
    seed,
    seconds: RUN_SECONDS,
    patience: RESPONSE_TIMEOUT_S,
    servers,
    workers,
    clients,
    accounts,
    faults,
  }
  const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const cluster = onCitus && citus !== null ? ['--citus', citus] : []
  return ['simulate/run.ts', '--no-shrink', ...options, ...cluster]
}
