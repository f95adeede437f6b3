import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { openEmbeddedDatabase } from '../src/platform/database/embedded/open-embedded-database.ts'
import { type BenchDatabase, connect, prepareDatabase } from './bench-database.ts'
import type { Cleanup } from './cleanup.ts'
import { familyCpuMsOf } from './process-figures.ts'
import { dataDirOf, postmasterFileOf, workFolders } from './work-folder.ts'

/** Settings of PostgreSQL that affect the figures. All have default values. */
const SETTINGS = [
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_sync_method',
  'shared_buffers',
  'max_wal_size',
  'checkpoint_timeout',
  'work_mem',
  'maintenance_work_mem',
  'effective_cache_size',
  'max_connections',
  'max_parallel_workers_per_gather',
  'autovacuum',
  'io_method',
  'jit',
]

/** The embedded PostgreSQL in a temporary folder. The clean-up stops it and removes the folder. */
export class Cluster {
  readonly folder: string
  readonly superuserUrl: string
  readonly #url: string
  readonly #postmaster: number
  readonly #admin: pg.Client
  readonly #cleanup: Cleanup

  private constructor(
    folder: string,
    { url, superuserUrl }: { url: string; superuserUrl: string },
    admin: pg.Client,
    cleanup: Cleanup,
  ) {
    this.folder = folder
    this.superuserUrl = superuserUrl
    this.#postmaster = Number.parseInt(readFileSync(postmasterFileOf(folder), 'utf8'), 10)
    this.#url = url
    this.#admin = admin
    this.#cleanup = cleanup
  }

  static async start(place: string, cleanup: Cleanup): Promise<Cluster> {
    const folder = await workFolders.make(place, cleanup)
    const dataDir = dataDirOf(folder)
    const embedded = await openEmbeddedDatabase({ dataDir, role: 'command', report: () => {} })
    cleanup.add(() => embedded.release())
    const url = embedded.connectionString
    const superuserUrl = await asSuperuser(url, dataDir)
    return new Cluster(folder, { url, superuserUrl }, await connect(superuserUrl, cleanup), cleanup)
  }

  async createDatabase(name: string): Promise<BenchDatabase> {
    await this.#admin.query(`CREATE DATABASE ${name} OWNER claimkeeper`)
    const url = new URL(this.#url)
    url.pathname = `/${name}`
    return prepareDatabase(url.href, this.#cleanup)
  }

  /** Gives all measurements the same start: after a checkpoint the first change of each page logs the whole page. */
  async checkpoint(): Promise<void> {
    await this.#admin.query('CHECKPOINT')
  }

  /** CPU time of all PostgreSQL processes, in milliseconds. Null if the system does not report it. */
  cpuMs(): number | null {
    return familyCpuMsOf(this.#postmaster)
  }

  async version(): Promise<string> {
    return (await this.#admin.query('SHOW server_version')).rows[0].server_version
  }

  async settings(): Promise<Record<string, string>> {
    const { rows } = await this.#admin.query<{ name: string; value: string }>(
      'SELECT name, current_setting(name) AS value FROM pg_settings WHERE name = ANY ($1)',
      [SETTINGS],
    )
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  }
}

async function asSuperuser(connectionString: string, dataDir: string): Promise<string> {
  const url = new URL(connectionString)
  url.username = 'postgres'
  url.password = (await readFile(join(dataDir, 'postgres', 'superuser.password'), 'utf8')).trim()
  url.pathname = '/postgres'
  return url.href
}
