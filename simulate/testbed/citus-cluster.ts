import { randomBytes } from 'node:crypto'
import { chmod, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Cleanup } from '../../bench/cleanup.ts'
import type { Cluster } from '../../src/platform/database/embedded/cluster.ts'
import { DATABASE } from '../../src/platform/database/embedded/cluster.ts'
import { makeFolder, replaceSecret } from '../../src/platform/database/embedded/embedded-folders.ts'
import { connectionString } from '../../src/platform/database/embedded/session.ts'
import { findFreePort } from '../../src/platform/database/embedded/start-server.ts'
import { CITUS_SETTINGS } from '../../tests/support/citus-cluster.ts'
import { joinNodes, onEachNode, urlOfDatabase } from '../../tests/support/database-nodes.ts'
import { findPrograms, makeNode, type Programs } from '../../tests/support/make-node.ts'
import { Postgres, superuserUrl } from './postgres.ts'
import { SHARD_NODES } from './work-folder.ts'

/** Few shards, so that each has much work. */
const SETTINGS = `
citus.shard_count = 4
# Without this, Citus allows no triggers on distributed tables.
citus.enable_unsafe_triggers = on
`

/** The nodes of a cluster. */
export interface Citus {
  coordinator: Postgres
  shardNodes: readonly Postgres[]
}

/**
 * Creates a Citus cluster: a coordinator in the data folder, and the other nodes in folders beside it. The programs
 * are those of a PostgreSQL with the extension.
 */
export async function createCitus(
  programsFolder: string,
  dataDir: string,
  environment: Record<string, string>,
  cleanup: Cleanup,
): Promise<Citus> {
  const programs = await findPrograms(programsFolder)
  const password = randomBytes(32).toString('hex')
  const nodes: Postgres[] = []
  for (const folder of [dataDir, ...SHARD_NODES.map((name) => join(dirname(dataDir), name))]) {
    const cluster = await initialize(folder, programs, password)
    const url = connectionString(cluster, await findFreePort(undefined))
    // Each node is a client of the others, with the role of the request.
    const nodeEnvironment = { ...environment, PGPASSFILE: join(cluster.dataDir, PASSWORDS) }
    // Started before the next free port is searched.
    nodes.push(await Postgres.run(cluster, url, password, nodeEnvironment, cleanup))
  }
  await makeDatabase(nodes.map(({ url }) => superuserUrl(url, password)))
  return { coordinator: nodes[0] as Postgres, shardNodes: nodes.slice(1) }
}

const PASSWORDS = 'passwords'

/** All roles of all nodes have one password. */
async function initialize(folder: string, programs: Programs, password: string): Promise<Cluster> {
  await makeFolder(folder)
  const dataDir = await realpath(folder)
  await chmod(dataDir, 0o755)
  const passwordFile = join(dataDir, 'password')
  await replaceSecret(passwordFile, `${password}\n`, programs.runAs)
  await replaceSecret(join(dataDir, PASSWORDS), `*:*:*:*:${password}\n`, programs.runAs)
  const dir = join(dataDir, 'postgres')
  const access = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  await makeNode(programs, dir, { access, settings: `${CITUS_SETTINGS}${SETTINGS}` })
  return { dataDir, dir, logFile: join(dataDir, 'postgres.log'), password, ...programs, report: () => {} }
}

/** Creates the service's role, without superuser rights, and its database on all nodes. */
async function makeDatabase(urls: readonly string[]): Promise<void> {
  const servers = urls.map((url) => urlOfDatabase(url, 'postgres'))
  await onEachNode(servers, async (client) => {
    const { password } = new URL(servers[0] as string)
    await client.query(`CREATE ROLE ${DATABASE} LOGIN PASSWORD '${password}'`)
    await client.query(`CREATE DATABASE ${DATABASE} OWNER ${DATABASE}`)
  })
  await joinNodes(servers, DATABASE)
}
