import { randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Command, InvalidArgumentError } from 'commander'
import { Progress } from '../bench/progress.ts'
import { FAULTS } from './faults/faults.ts'
import { jsonOf, tableOf, tellOf } from './report.ts'
import { simulate } from './simulation.ts'
import { openStage } from './stage/open-stage.ts'
import type { Fault, Stage } from './stage.ts'
import { tryMutants } from './try-mutants.ts'

interface Options {
  seed?: number
  seconds: number
  servers: number
  clients: number
  accounts: number
  patience: number
  faults: string
  json?: string
  source: boolean
  mutants?: true | string
}

const SOURCE = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const MOST_SEED = 2 ** 31

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0) throw new InvalidArgumentError('It is a whole number.')
  return number
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
  .option('--servers <number>', 'servers on one database', wholeNumber, 1)
  .option('--clients <number>', 'clients at once', wholeNumber, 16)
  .option('--accounts <number>', 'accounts that they share', wholeNumber, 3)
  .option('--patience <seconds>', 'how long a client waits for an answer', wholeNumber, 15)
  .option('--faults <list>', 'all, none, or names joined by commas', 'all')
  .option('--source', 'run the servers from src/ as it is, not as it was built', false)
  .option('--json <file>', 'write the result also as JSON')
  .option(
    '--mutants [name]',
    'plant known defects, one at a time, and see that each is found within 5 minutes',
  )
  .action(async (options: Options) => {
    const { mutants } = options
    process.exitCode = mutants
      ? await tryMutants(mutants === true ? null : mutants, (line) => console.error(line))
      : await run(options)
  })

async function run(options: Options): Promise<number> {
  const { seconds, servers, clients, accounts } = options
  const seed = options.seed ?? randomInt(MOST_SEED)
  const progress = new Progress()
  const faults = chooseFaults(options.faults, FAULTS, (line) => progress.say(line))
  const command = `npm run simulate -- --seed ${seed} --seconds ${seconds} --servers ${servers} --clients ${clients} --accounts ${accounts} --faults ${options.faults}`
  progress.say(command)
  const stage = await openStage({
    servers,
    needs: new Set(faults.flatMap(({ need }) => need ?? [])),
    log: (line) => progress.say(line),
    ...(options.source ? { program: SOURCE } : {}),
  })
  try {
    const result = await simulate(stage, {
      seed,
      seconds,
      clients,
      accounts,
      patienceSeconds: options.patience,
      faults,
      isNamed: options.faults !== 'all',
      progress,
    })
    progress.end()
    console.log(tableOf(result))
    if (options.json) await writeFile(options.json, `${JSON.stringify(jsonOf(result, seed), null, 2)}\n`)
    const { world, finding } = result
    console.log(
      `${world.operations} operations, ${world.acknowledged} events acknowledged, ${world.unknown} unknown.`,
    )
    console.log(finding ? tellOf(result, command) : 'No finding.')
    return finding ? 1 : 0
  } finally {
    await stage.stop()
  }
}

/** Those that cannot be done here are left out, and said, where all were asked for. */
function chooseFaults<On extends Stage>(
  list: string,
  faults: readonly Fault<On>[],
  say: (line: string) => void,
): Fault<On>[] {
  if (list === 'none') return []
  const names = list === 'all' ? faults.map(({ name }) => name) : list.split(',')
  return names.flatMap((name) => {
    const fault = faults.find((fault) => fault.name === name)
    if (!fault)
      throw new Error(`there is no fault ${name}; there are: ${faults.map(({ name }) => name).join(', ')}`)
    const why = fault.unavailable()
    if (why === null) return [fault]
    if (list !== 'all') throw new Error(`${name} cannot be done here: ${why}`)
    say(`${name} is left out: ${why}`)
    return []
  })
}

await program.parseAsync()
