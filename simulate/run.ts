import { randomInt } from 'node:crypto'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { MAX_SEED, runMany } from './many-runs.ts'
import { runOnce } from './one-run.ts'
import type { Plan } from './plan.ts'
import { shrinkAndReport } from './shrink.ts'
import { tryMutants } from './try-mutants.ts'

interface Options extends Omit<Plan, 'seed' | 'servers'> {
  seed?: number
  servers: number[]
  runs?: number
  operations: number
  jobs: number
  folder?: string
  keepGoing: boolean
  shrink: number | false
  json?: string
  mutants?: true | string
  suite?: string
  tests?: string[]
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0)
    throw new InvalidArgumentError('It must be a whole number.')
  return number
}

/** `2`, or `1-3` for 1, 2 and 3. */
function range(text: string): number[] {
  const [first = 0, last = first] = text.split('-').map(wholeNumber)
  if (first < 1 || last < first) throw new InvalidArgumentError('It must be a number or a range such as 1-3.')
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

const program = new Command('npm run simulate --')
  .description(
    'Runs servers on PostgreSQL with many concurrent clients, injects faults, and compares each response and the stored data with a model.',
  )
  .option('--seed <number>', 'seed of the operations and faults; default: random', wholeNumber)
  .option(
    '--seconds <number>',
    'duration of the operations; the verification takes up to two minutes more',
    wholeNumber,
    60,
  )
  .option('--servers <number>', 'servers on one database; 1-3: varies between runs', range, [1])
  .option('--workers <number>', 'worker processes of each server', wholeNumber, 1)
  .option('--clients <number>', 'number of concurrent clients', wholeNumber, 32)
  .option('--accounts <number>', 'number of accounts', wholeNumber, 3)
  .option('--patience <seconds>', 'timeout of a request', wholeNumber, 15)
  .option('--faults <list>', 'all, none, or names separated by commas', 'all')
  .option('--source', 'run the servers from src/, not from dist/', false)
  .option('--citus <folder>', 'run on a new Citus cluster; the folder contains the programs of PostgreSQL')
  .option('--json <file>', 'write the result as JSON, after each run')
  .option('--shrink <seconds>', 'time for reproducing a finding in smaller runs', wholeNumber, 300)
  .option('--no-shrink', 'do not reproduce a finding in smaller runs')
  .option('--runs <number>', 'number of runs; their seeds are derived from the seed', wholeNumber)
  .option('--operations <number>', 'with --runs: more runs until this number of operations', wholeNumber, 0)
  .option(
    '--jobs <number>',
    'with --runs or --mutants: number of parallel runs',
    wholeNumber,
    availableParallelism(),
  )
  .option('--keep-going', 'with --runs: continue after a finding', false)
  .option('--folder <path>', 'with --runs: folder for the logs of runs with findings')
  .option(
    '--mutants [name]',
    'mutation testing: run on all mutants, or on those with this text in their names; each must be found within 5 minutes',
  )
  .addOption(
    new Option('--suite <name>', 'with --mutants: run these tests instead of the simulator').choices([
      'fast',
      'slow',
      'nightly',
    ]),
  )
  .option('--tests <patterns...>', 'with --suite: only these test files')
  .action(async (options: Options) => {
    const { mutants, jobs, citus = null, suite = null, tests = null } = options
    const words = mutants === true ? null : (mutants ?? null)
    process.exitCode = mutants
      ? await tryMutants({ words, citus, suite, tests, jobs, log: (line) => console.error(line) })
      : await run(options)
  })

async function run(options: Options): Promise<number> {
  const {
    seconds,
    workers,
    clients,
    accounts,
    patience,
    faults,
    source,
    citus,
    json = null,
    servers,
    runs,
  } = options
  const seed = options.seed ?? randomInt(MAX_SEED)
  const shrinkMs = (options.shrink || 0) * 1000
  const plan = { seed, seconds, workers, clients, accounts, patience, faults, source, citus }
  if (runs !== undefined) {
    const { operations, jobs, keepGoing, folder = join(tmpdir(), `claimkeeper-runs-${seed}`) } = options
    const log = (line: string) => console.error(line)
    return await runMany({ plan, runs, operations, jobs, servers, folder, json, keepGoing, shrinkMs, log })
  }
  const one = { ...plan, servers: servers[0] as number }
  const { status, result } = await runOnce(one, json)
  if (result?.finding && shrinkMs > 0) await shrinkAndReport(result, shrinkMs)
  return status
}

await program.parseAsync()
// Open handles of a failed run must not keep the process running.
process.exit()
