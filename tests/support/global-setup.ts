import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { distribute } from '../../src/platform/database/citus/distribute.ts'
import { isOnCitus, joinNodes, nodesOfCluster, onEachNode, urlOfDatabase } from './database-nodes.ts'
import { dropDatabase } from './drop-database.ts'
import { keepNothing } from './keep-nothing.ts'
import { copyNewCluster } from './new-cluster.ts'
import { dataDirOf } from './run-folder.ts'
import { Database, migrate } from './source/database.ts'
import { openEmbeddedDatabase } from './source/embedded.ts'

/*
 * Runs once before all test files and once after them: finds a PostgreSQL server (TEST_DATABASE_URL, or a Citus
 * cluster's coordinator as TEST_CITUS_URL, else an embedded one), makes the template that each test's database is copied from, and clears away the databases
 * of this run, and of runs that were killed.
 */

/** Folder of the run. Without one, as for single files, the database is kept for the next run. */
const { CLAIMKEEPER_TEST_FOLDER: FOLDER } = process.env
const DATA_DIR = FOLDER
  ? dataDirOf(FOLDER)
  : fileURLToPath(new URL('../../node_modules/.cache/claimkeeper-tests', import.meta.url))
/** The order matters: the second lists the packages of the first. */
const BUILDS = ['dashboard/build.js', 'scripts/build.ts']
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/claimkeeper-compiled', import.meta.url))
/** Number of shards. Few, because each shard is a table and tests have few claims. */
const SHARDS = 4
const runId = randomBytes(4).toString('hex')

let admin: pg.Client
let nodes: string[]
let release: () => Promise<void> = async () => {}

export async function globalSetup(): Promise<void> {
  // Hundreds of processes load the same sources. The cache lets each compile only new ones.
  process.env.NODE_COMPILE_CACHE ??= COMPILED
  for (const build of BUILDS)
    execFileSync(
      process.execPath,
      [fileURLToPath(new URL(`../../${build}`, import.meta.url)), '--if-stale'],
      {
        stdio: 'inherit',
      },
    )
  const { TEST_CITUS_URL, TEST_DATABASE_URL } = process.env
  const serverUrl = TEST_CITUS_URL ?? TEST_DATABASE_URL ?? (await startEmbedded())
  nodes = TEST_CITUS_URL ? await nodesOfCluster(TEST_CITUS_URL) : [serverUrl]
  admin = new pg.Client({ connectionString: serverUrl })
  await admin.connect()
  // Held during this run: other runs on the same server detect by it which databases are in use.
  await admin.query('SELECT pg_advisory_lock_shared(hashtext($1))', [`claimkeeper tests ${runId}`])
  await dropDatabasesOfDeadRuns()

  process.env.CLAIMKEEPER_TEST_NODES = JSON.stringify(nodes)
  await prepareTemplates(serverUrl)
  process.env.CLAIMKEEPER_TEST_RUN = runId
}

export async function globalTeardown(): Promise<void> {
  await dropDatabases(runId)
  await admin.end()
  await release()
}

/** The templates of the tests' databases: one without tables, and one with tables. */
async function prepareTemplates(serverUrl: string): Promise<void> {
  const empty = `claimkeeper_test_${runId}_empty`
  const template = `claimkeeper_test_${runId}_template`
  await onEachNode(nodes, (client) => client.query(`CREATE DATABASE ${empty}`))
  if (isOnCitus()) await joinNodes(nodes, empty)
  await copyOnly(empty)
  await onEachNode(nodes, (client) => client.query(`CREATE DATABASE ${template} TEMPLATE ${empty}`))
  const url = new URL(urlOfDatabase(serverUrl, template))
  if (isOnCitus()) url.searchParams.set('options', `-c citus.shard_count=${SHARDS}`)
  const db = new Database({ connectionString: url.href, poolSize: 2 })
  await migrate(db, () => {})
  if (isOnCitus()) await distribute(db, () => {})
  await db.close()
  await copyOnly(template)
}

/** Citus connects to each database at intervals. A template must have no connections. */
async function copyOnly(database: string): Promise<void> {
  if (!isOnCitus()) return
  await onEachNode(nodes, async (client) => {
    await client.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`)
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
      database,
    ])
  })
}

async function startEmbedded(): Promise<string> {
  if (FOLDER) await copyNewCluster(DATA_DIR)
  const embedded = await openEmbeddedDatabase({ dataDir: DATA_DIR, role: 'command', report: () => {} })
  release = () => embedded.release()
  await keepNothing(DATA_DIR, embedded.connectionString)
  process.env.CLAIMKEEPER_ALLOW_UNSAFE_DATABASE = 'true'
  return embedded.connectionString
}

async function dropDatabasesOfDeadRuns(): Promise<void> {
  const { rows } = await admin.query<{ run: string }>(
    `SELECT DISTINCT substring(datname FROM '^claimkeeper_test_([0-9a-f]+)_') AS run FROM pg_database
     WHERE datname ~ '^claimkeeper_test_[0-9a-f]+_'`,
  )
  for (const { run } of rows) {
    const key = `claimkeeper tests ${run}`
    const lock = await admin.query('SELECT pg_try_advisory_lock(hashtext($1)) AS taken', [key])
    if (!lock.rows[0].taken) continue
    await dropDatabases(run)
    await admin.query('SELECT pg_advisory_unlock(hashtext($1))', [key])
  }
}

async function dropDatabases(run: string): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
    [`claimkeeper_test_${run}_`],
  )
  for (const { name } of rows) await onEachNode(nodes, (client) => dropDatabase(client, name))
}
