import { tmpdir } from 'node:os'
import { Cleanup } from '../../bench/cleanup.ts'
import { dataDirOf } from '../../bench/work-folder.ts'
import { startFaultProxy } from '../../tests/support/fault-proxy.ts'
import { mountSmallDisk } from '../../tests/support/small-disk.ts'
import type { StageOptions } from '../stage.ts'
import { installRefusals } from './armed.ts'
import { Clock } from './clock.ts'
import { endWithUs } from './end-with-us.ts'
import { Front } from './front.ts'
import { Postgres } from './postgres.ts'
import { RealStage } from './real-stage.ts'
import { BUILT, Server } from './server.ts'
import { MARK, workFolders } from './work-folder.ts'

/** A small disk by default, in MiB: much for a run of a minute, and filled in a moment. */
const DISK_MEBIBYTES = 512

/** Starts PostgreSQL and the servers. What was started ends with `stop()`, and with this process. */
export async function openStage(options: StageOptions): Promise<RealStage> {
  const cleanup = new Cleanup()
  try {
    return await open(options, cleanup)
  } catch (error) {
    await cleanup.run()
    throw error
  }
}

async function open(options: StageOptions, cleanup: Cleanup): Promise<RealStage> {
  const { needs = new Set(), folder = tmpdir(), program = BUILT, log } = options
  const servers: Server[] = []
  const scope = { after: (step: () => Promise<void>) => void cleanup.add(step) }
  let postgres: Postgres | null = null
  endWithUs(cleanup, () => [...servers.map(({ pid }) => pid), postgres?.lastPid ?? null])

  const work = await workFolders.make(folder, cleanup)
  const disk = needs.has('small disk')
    ? await mountSmallDisk(scope, options.diskMebibytes ?? DISK_MEBIBYTES, work)
    : null
  const clocks = needs.has('clocks') ? await makeClocks(work, options.servers) : null
  postgres = await Postgres.create(
    disk?.dataDir ?? dataDirOf(work),
    clocks?.database.environment ?? {},
    cleanup,
  )
  if (disk !== null) await limitWal(postgres)
  const complaints: string[] = []
  const complain = (line: string) => {
    complaints.push(line)
    log(line)
  }
  for (let i = 0; i < options.servers; i++) {
    const server = new Server(
      {
        number: i + 1,
        program,
        front: await Front.open(cleanup),
        proxy: await startFaultProxy(scope, postgres.url),
        environment: {
          [MARK]: work,
          CLAIMKEEPER_WORKERS: `${options.workers ?? 1}`,
          ...clocks?.servers[i]?.environment,
        },
        complain,
        log,
      },
      cleanup,
    )
    servers.push(server)
    // One after the other: the first migrates.
    await server.start()
  }
  await installRefusals(postgres)
  const stage = new RealStage({ postgres, servers, disk, clocks, complaints, program, cleanup, log })
  await stage.calm()
  return stage
}

/** By default it takes more than the disk has. */
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
