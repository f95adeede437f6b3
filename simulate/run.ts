import { randomInt } from 'node:crypto'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { MOST_SEED, runMany } from './many-runs.ts'
import { runOnce } from './one-run.ts'
import type { Plan } from './plan.ts'
import { shrinkFound } from './shrink.ts'
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
  if (!Number.isSafeInteger(number) || number < 0) throw new InvalidArgumentError('It is a whole number.')
  return number
}

/** `2`, or `1-3` for one, two and three in turn. */
function range(text: string): number[] {
  const [first = 0, last = first] = text.split('-').map(wholeNumber)
  if (first < 1 || last < first) throw new InvalidArgumentError('It is a number, or two as in 1-3.')
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

const program = new Command('npm run simulate --')
  .description(
    'Uses real servers on a real PostgreSQL by many clients at once, from a seed, does them harm, and holds each answer and all that is stored to a model.',
  )
  .option('--seed <number>', 'what everything is drawn from; by default a new one', wholeNumber)
  .option(
    '--seconds <number>',
    'for how long clients act; what comes after takes up to two minutes',
    wholeNumber,
    60,
  )
  .option('--servers <number>', 'servers on one database; 1-3: of many runs, in turns', range, [1])
  .option('--workers <number>', 'processes of each server that answer', wholeNumber, 1)
  .option('--clients <number>', 'clients at once', wholeNumber, 32)
  .option('--accounts <number>', 'accounts that they share', wholeNumber, 3)
  .option('--patience <seconds>', 'how long a client waits for an answer', wholeNumber, 15)
  .option('--faults <list>', 'all, none, or names joined by commas', 'all')
  .option('--source', 'run the servers from src/ as it is, not as it was built', false)
  .option(
    '--citus <folder>',
    'distribute the database over a Citus cluster of its own, of the PostgreSQL whose programs are there',
  )
  .option('--json <file>', 'write the result also as JSON; of many runs after each')
  .option('--shrink <seconds>', 'for how long a finding is looked for in smaller runs', wholeNumber, 300)
  .option('--no-shrink', 'tell a finding as it is')
  .option('--runs <number>', 'number of runs, whose seeds are drawn from the seed', wholeNumber)
  .option('--operations <number>', 'with --runs: more runs until this number of operations', wholeNumber, 0)
  .option(
    '--jobs <number>',
    'with --runs or --mutants: number of runs at once',
    wholeNumber,
    availableParallelism(),
  )
  .option('--keep-going', 'with --runs: go on after a finding', false)
  .option('--folder <path>', 'with --runs: where what was found is kept')
  .option(
    '--mutants [name]',
    'plant known defects, all or those with these words in their names, and see that each is found within 5 minutes',
  )
  .addOption(
    new Option('--suite <name>', 'with --mutants: let these tests look for them').choices([
      'fast',
      'slow',
      'nightly',
    ]),
  )
  .option('--tests <patterns...>', 'with --suite: only these test files, as for npm test')
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
  const seed = options.seed ?? randomInt(MOST_SEED)
  const shrinkMs = (options.shrink || 0) * 1000
  const plan = { seed, seconds, workers, clients, accounts, patience, faults, source, citus }
  if (runs !== undefined) {
    const { operations, jobs, keepGoing, folder = join(tmpdir(), `claimkeeper-runs-${seed}`) } = options
    const say = (line: string) => console.error(line)
    return await runMany({ plan, runs, operations, jobs, servers, folder, json, keepGoing, shrinkMs, say })
  }
  const one = { ...plan, servers: servers[0] as number }
  const { status, result } = await runOnce(one, json)
  if (result?.finding && shrinkMs > 0) await shrinkFound(result, shrinkMs)
  return status
}

await program.parseAsync()
// Open handles of a failed run must not keep the process running.
process.exit()
