import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { hashToken, newToken } from '../src/app/tokens/api-token.ts'
import { insertApiToken } from '../src/storage/accounts/api-tokens.ts'
import { insertUser } from '../src/storage/accounts/users.ts'
import { openDatabase } from '../src/storage/database/open-database.ts'
import { openEmbeddedDatabase } from '../src/storage/embedded/open-embedded-database.ts'
import type { Cleanup } from './cleanup.ts'
import { familyCpuMsOf } from './process-figures.ts'
import { dataDirOf, postmasterFileOf, workFolders } from './work-folder.ts'

/** Settings of PostgreSQL that matter to the figures; all are its defaults. */
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

/** A database of the benchmark's own, migrated, with one account and one customer. */
export interface BenchDatabase {
  url: string
  /** A connection of its own, for loading and counting. */
  sql: pg.Client
  token: string
  userId: string
  customerId: string
}

/** The embedded PostgreSQL in a folder that goes at the end. */
export class Cluster {
  readonly folder: string
  readonly #url: string
  readonly #postmaster: number
  readonly #admin: pg.Client
  readonly #cleanup: Cleanup

  private constructor(folder: string, url: string, admin: pg.Client, cleanup: Cleanup) {
    this.folder = folder
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
    const admin = await connect(await asSuperuser(embedded.connectionString, dataDir), cleanup)
    return new Cluster(folder, embedded.connectionString, admin, cleanup)
  }

  async createDatabase(name: string): Promise<BenchDatabase> {
    await this.#admin.query(`CREATE DATABASE ${name} OWNER claimkeeper`)
    const url = new URL(this.#url)
    url.pathname = `/${name}`
    const { token, userId } = await migrateAndAddAccount(url.href)
    const sql = await connect(url.href, this.#cleanup)
    const customerId = await addCustomer(sql, userId)
    return { url: url.href, sql, token, userId, customerId }
  }

  /** So that every measurement begins alike: the first change of each page goes into the log whole after this. */
  async checkpoint(): Promise<void> {
    await this.#admin.query('CHECKPOINT')
  }

  /** Processor time of all of PostgreSQL so far, in milliseconds; null where the system does not tell. */
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

async function migrateAndAddAccount(databaseUrl: string): Promise<{ token: string; userId: string }> {
  const options = {
    databaseUrl,
    dataDir: '',
    poolSize: 2,
    role: 'command' as const,
    allowUnsafe: false,
    mayCreate: true,
    report: () => {},
    signal: new AbortController().signal,
  }
  const { db, close } = await openDatabase(options)
  const user = await insertUser(db, 'bench@localhost')
  if (!user) throw new Error('the database is not new')
  const token = newToken()
  await insertApiToken(db, {
    userId: user.id,
    name: 'bench',
    hash: hashToken(token),
    expiresAt: null,
    sessionId: null,
    most: null,
  })
  await close()
  return { token, userId: user.id }
}

async function addCustomer(sql: pg.Client, userId: string): Promise<string> {
  const { rows } = await sql.query(
    `INSERT INTO customers (user_id, id, external_id, name, created_at)
     VALUES ($1, gen_random_uuid(), 'bench', 'Bench', now() - interval '1 hour') RETURNING id`,
    [userId],
  )
  return rows[0].id
}

async function connect(connectionString: string, cleanup: Cleanup): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  // At the end the server goes first where a statement is under way.
  client.on('error', () => {})
  await client.connect()
  cleanup.add(async () => {
    await Promise.race([client.end(), new Promise((resolve) => setTimeout(resolve, 1_000))])
  })
  return client
}
