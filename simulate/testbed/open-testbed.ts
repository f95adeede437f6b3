import { tmpdir } from 'node:os'
import { Cleanup } from '../../bench/cleanup.ts'
import { dataDirOf } from '../../bench/work-folder.ts'
import { startFaultProxy } from '../../tests/support/fault-proxy.ts'
import { mountSmallDisk } from '../../tests/support/small-disk.ts'
import type { TestbedOptions } from '../testbed.ts'
import { type Citus, createCitus } from './citus-cluster.ts'
import { cleanUpOnExit } from './clean-up-on-exit.ts'
import { Clock } from './clock.ts'
import { installFaultTriggers } from './fault-triggers.ts'
import { LocalTestbed } from './local-testbed.ts'
import { Postgres } from './postgres.ts'
import { BUILT, Server } from './server.ts'
import { ServerProxy } from './server-proxy.ts'
import { RUN_FOLDER_VARIABLE, workFolders } from './work-folder.ts'

/** Default size of the small disk in MiB: enough for a run of a minute, and quickly filled. */
const DISK_MEBIBYTES = 512

/** Short and numerous, so that no delivery is given up. */
const WEBHOOK_RETRIES = new Array(30).fill('0.2').join(',')

/** Starts PostgreSQL and the servers. `stop()`, or the end of this process, ends them. */
export async function openTestbed(options: TestbedOptions): Promise<LocalTestbed> {
  const cleanup = new Cleanup()
  try {
    return await open(options, cleanup)
  } catch (error) {
    await cleanup.run()
    throw error
  }
}

async function open(options: TestbedOptions, cleanup: Cleanup): Promise<LocalTestbed> {
  const { requirements = new Set(), folder = tmpdir(), program = BUILT, log } = options
  const servers: Server[] = []
  const scope = { after: (step: () => Promise<void>) => void cleanup.add(step) }
  const nodes: Postgres[] = []
  cleanUpOnExit(cleanup, () => [...servers.map(({ pid }) => pid), ...nodes.map(({ lastPid }) => lastPid)])

  const work = await workFolders.make(folder, cleanup)
  const disk = requirements.has('small disk')
    ? await mountSmallDisk(scope, options.diskMebibytes ?? DISK_MEBIBYTES, work)
    : null
  const clocks = requirements.has('clocks') ? await makeClocks(work, options.servers) : null
  const dataDir = disk?.dataDir ?? dataDirOf(work)
  const { coordinator: postgres, shardNodes } = await createDatabase(
    options.citus,
    dataDir,
    clocks?.database.environment ?? {},
    cleanup,
  )
  nodes.push(postgres, ...shardNodes)
  if (disk !== null) for (const node of nodes) await limitWal(node)
  const serverErrors: string[] = []
  const reportError = (line: string) => {
    serverErrors.push(line)
    log(line)
  }
  for (let i = 0; i < options.servers; i++) {
    const server = new Server(
      {
        number: i + 1,
        isOnCitus: shardNodes.length > 0,
        program,
        serverProxy: await ServerProxy.open(cleanup),
        proxy: await startFaultProxy(scope, postgres.url),
        environment: {
          [RUN_FOLDER_VARIABLE]: work,
          CLAIMKEEPER_WORKERS: `${options.workers ?? 1}`,
          CLAIMKEEPER_DISTRIBUTE: `${shardNodes.length > 0}`,
          CLAIMKEEPER_WEBHOOK_ALLOW_PRIVATE: 'true',
          CLAIMKEEPER_WEBHOOK_RETRIES: WEBHOOK_RETRIES,
          ...clocks?.servers[i]?.environment,
        },
        reportError,
        log,
      },
      cleanup,
    )
    servers.push(server)
    // One after the other: the first one migrates.
    await server.start()
  }
  await installFaultTriggers(postgres, shardNodes)
  const testbed = new LocalTestbed({
    postgres,
    shardNodes,
    servers,
    disk,
    clocks,
    serverErrors,
    program,
    cleanup,
    log,
  })
  await testbed.recover()
  return testbed
}

/** Creates one PostgreSQL or a cluster. */
async function createDatabase(
  programs: string | undefined,
  dataDir: string,
  environment: Record<string, string>,
  cleanup: Cleanup,
): Promise<Citus> {
  if (programs !== undefined) return await createCitus(programs, dataDir, environment, cleanup)
  return { coordinator: await Postgres.create(dataDir, environment, cleanup), shardNodes: [] }
}

/** By default the WAL needs more than the disk has. */
async function limitWal(postgres: Postgres): Promise<void> {
  await postgres.sql("ALTER SYSTEM SET max_wal_size = '128MB'")
  await postgres.sql('SELECT pg_reload_conf()')
}

async function makeClocks(folder: string, servers: number) {
  const names = Array.from({ length: servers }, (_, i) => `server-${i + 1}`)
  return {
    database: await Clock.make(folder, 'database'),
    servers: await Promise.all(names.map((name) => Clock.make(folder, name))),
  }
}
