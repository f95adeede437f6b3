import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { addModelOptions, type GivenOptions, modelOptions } from './model/options.ts'
import type { Part } from './part.ts'
import { abuse } from './parts/abuse.ts'
import { backtest } from './parts/backtest.ts'
import { backup } from './parts/backup.ts'
import { batch } from './parts/batch.ts'
import { check } from './parts/check.ts'
import { contended } from './parts/contended.ts'
import { creation } from './parts/creation.ts'
import { distributed } from './parts/distributed.ts'
import { endurance } from './parts/endurance.ts'
import { lists } from './parts/lists.ts'
import { model } from './parts/model.ts'
import { notifications } from './parts/notifications.ts'
import { reading } from './parts/reading.ts'
import { reads } from './parts/reads.ts'
import { rest } from './parts/rest.ts'
import { single } from './parts/single.ts'
import { webhooks } from './parts/webhooks.ts'
import { runParts } from './run-parts.ts'
import { FULL, QUICK, TURN } from './sizes.ts'

const PARTS: readonly Part[] = [
  rest,
  single,
  batch,
  contended,
  creation,
  reading,
  check,
  backup,
  reads,
  lists,
  notifications,
  webhooks,
  backtest,
  abuse,
  endurance,
  distributed,
  model,
]

interface Options extends GivenOptions {
  quick: boolean
  turn: boolean
  json?: string
  list: boolean
  folder: string
  serverOptions: string
  attacks: string
  citus?: string
}

function partOf(name: string, chosen: Part[] = []): Part[] {
  const part = PARTS.find((part) => part.name === name)
  if (!part) throw new InvalidArgumentError(`The parts are: ${PARTS.map(({ name }) => name).join(', ')}.`)
  return [...chosen, part]
}

const program = new Command('npm run bench --')
  .description('Measures the service on a new database with a new server, and shows the figures.')
  .argument('[parts...]', 'parts to run; default: all except those marked "if named"', partOf)
  .option('--quick', 'less data and shorter runs: the default parts take under 2 minutes', false)
  .option('--turn', 'sizes of one run of bench:compare, without pgbench', false)
  .option('--json <file>', 'also write the figures to this file, as one flat object')
  .option('--list', 'list the parts', false)
  .option('--folder <folder>', 'folder of the temporary data', tmpdir())
  .option('--server-options <options>', 'options of Node for the servers, such as "--cpu-prof"', '')
  .option('--attacks <names>', 'with the part abuse: only these attacks, separated by commas', '')
  .addOption(
    new Option('--citus <url>', 'URL of the coordinator of a Citus cluster, with a superuser').env(
      'CITUS_URL',
    ),
  )
  .action(async (parts: Part[], options: Options) => {
    if (options.list) {
      for (const { name, summary, isExtra } of PARTS)
        console.log(`${name.padEnd(13)} ${summary}${isExtra ? ' (if named)' : ''}`)
      return
    }
    const status = await runParts(parts.length > 0 ? parts : PARTS.filter(({ isExtra }) => !isExtra), {
      ...(options.turn
        ? { name: 'turn', sizes: TURN }
        : options.quick
          ? { name: 'quick', sizes: QUICK }
          : { name: 'full', sizes: FULL }),
      json: options.json ? resolve(options.json) : null,
      folder: options.folder,
      serverOptions: options.serverOptions.split(' ').filter(Boolean),
      attacks: options.attacks.split(',').filter(Boolean),
      citus: options.citus ?? null,
      model: modelOptions(options),
    })
    process.exit(status)
  })

await addModelOptions(program).parseAsync()
