import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, chmod, chown, mkdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Cleanup } from '../../bench/cleanup.ts'
import type { Binaries } from '../../src/storage/embedded/binaries.ts'
import type { Cluster } from '../../src/storage/embedded/cluster.ts'
import { findFreePort } from '../../src/storage/embedded/machine/free-port.ts'
import { makeFolder } from '../../src/storage/embedded/machine/make-folder.ts'
import { replaceSecret } from '../../src/storage/embedded/machine/password-file.ts'
import { type RunAs, spawnAs } from '../../src/storage/embedded/machine/run-as.ts'
import { DATABASE, SUPERUSER } from '../../src/storage/embedded/names.ts'
import { connectionString } from '../../src/storage/embedded/session.ts'
import { joinNodes, onEachNode, urlOfDatabase } from '../../tests/support/database-nodes.ts'
import { mightyUrl, Postgres } from './postgres.ts'
import { SHARD_NODES } from './work-folder.ts'

/** Few, so that each has much to do. */
const SHARDS = 4

const SETTINGS = `
shared_preload_libraries = 'citus'
max_prepared_transactions = 200
max_worker_processes = 32
wal_level = logical
ssl = off
citus.shard_count = ${SHARDS}
citus.node_conninfo = 'sslmode=disable'
# What a cut leaves in doubt is to be settled within the run.
citus.recover_2pc_interval = '5s'
# Citus lets no other triggers be on distributed tables than those of which the user says that they are right.
citus.enable_unsafe_triggers = on
`

/** A cluster's nodes. */
export interface Citus {
  coordinator: Postgres
  shardNodes: readonly Postgres[]
}

/**
 * Makes a Citus cluster: a coordinator in the data folder, and each other node in a folder beside it. The programs are
 * those of a PostgreSQL that has the extension.
 */
export async function createCitus(
  programs: string,
  dataDir: string,
  environment: Record<string, string>,
  cleanup: Cleanup,
): Promise<Citus> {
  const binaries = await findPrograms(programs)
  const password = randomBytes(32).toString('hex')
  const nodes: Postgres[] = []
  for (const folder of [dataDir, ...SHARD_NODES.map((name) => join(dirname(dataDir), name))]) {
    const cluster = await initialize(folder, binaries, password)
    const url = connectionString(cluster, await findFreePort(undefined))
    // Each is a client of the others, as whichever role asks.
    const own = { ...environment, PGPASSFILE: join(cluster.dataDir, PASSWORDS) }
    // Started before the next port is looked for.
    nodes.push(await Postgres.run(cluster, url, password, own, cleanup))
  }
  await makeDatabase(nodes.map(({ url }) => mightyUrl(url, password)))
  return { coordinator: nodes[0] as Postgres, shardNodes: nodes.slice(1) }
}

async function findPrograms(folder: string): Promise<Binaries> {
  const [initdb, postgres] = [join(folder, 'initdb'), join(folder, 'postgres')]
  const { stdout } = await promisify(execFile)(postgres, ['--version'])
  return { initdb, postgres, version: stdout.trim() }
}

const PASSWORDS = 'passwords'

/** With one password for all roles of all nodes. */
async function initialize(folder: string, binaries: Binaries, password: string): Promise<Cluster> {
  const runAs = await findUser()
  await makeFolder(folder)
  const dataDir = await realpath(folder)
  await chmod(dataDir, 0o755)
  const dir = join(dataDir, 'postgres')
  await mkdir(dir, { mode: 0o700 })
  if (runAs.user) await chown(dir, runAs.user.uid, runAs.user.gid)
  await replaceSecret(join(dataDir, 'password'), `${password}\n`, runAs)
  await replaceSecret(join(dataDir, PASSWORDS), `*:*:*:*:${password}\n`, runAs)
  const words = [`--pgdata=${dir}`, `--username=${SUPERUSER}`, `--pwfile=${join(dataDir, 'password')}`]
  const settings = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions']
  const child = spawnAs(runAs, binaries.initdb, [...words, ...settings], {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [[status], said] = await Promise.all([once(child, 'exit'), child.stderr ? text(child.stderr) : ''])
  if (status !== 0) throw new Error(`no database can be made in ${dir}: ${said}`)
  await appendFile(join(dir, 'postgresql.conf'), SETTINGS)
  const logFile = join(dataDir, 'postgres.log')
  return { dataDir, dir, logFile, password, binaries, runAs, report: () => {} }
}

/** PostgreSQL does not run as root. */
async function findUser(): Promise<RunAs> {
  if (process.getuid?.() !== 0) return { user: undefined, prefix: [] }
  const ask = async (what: string) => Number((await promisify(execFile)('id', [what, 'postgres'])).stdout)
  return { user: { uid: await ask('-u'), gid: await ask('-g') }, prefix: [] }
}

/** The service's role, which is no superuser, and its database, on all of them. */
async function makeDatabase(urls: readonly string[]): Promise<void> {
  const servers = urls.map((url) => urlOfDatabase(url, 'postgres'))
  await onEachNode(servers, async (client) => {
    const { password } = new URL(servers[0] as string)
    await client.query(`CREATE ROLE ${DATABASE} LOGIN PASSWORD '${password}'`)
    await client.query(`CREATE DATABASE ${DATABASE} OWNER ${DATABASE}`)
  })
  await joinNodes(servers, DATABASE)
}
