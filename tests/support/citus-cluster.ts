import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joinNodes, onEachNode, urlOfDatabase } from './database-nodes.ts'
import { findInstalled, findPrograms } from './make-node.ts'
import { PostgresNode } from './postgres-node.ts'

/** Lines of postgresql.conf for a server with Citus. */
export const CITUS_SETTINGS = `
shared_preload_libraries = 'citus'
max_prepared_transactions = 600
max_worker_processes = 32
wal_level = logical
citus.node_conninfo = 'sslmode=disable'
# What is left in doubt is settled soon.
citus.recover_2pc_interval = '5s'
`

const SETTINGS = `${CITUS_SETTINGS}
max_connections = 300
citus.shard_count = 8
citus.node_connection_timeout = '3s'
`

/** The folder of PostgreSQL programs with Citus. Null if none is installed. */
export const findCitus = () => findInstalled((folder) => existsSync(join(folder, 'lib', 'citus.so')))

/** A coordinator and its workers on this machine, in a folder that is removed with them. */
export interface CitusCluster {
  coordinator: PostgresNode
  workers: PostgresNode[]
  /** Creates a database on all nodes and connects them. Returns its URL. */
  createDatabase: (name: string) => Promise<string>
  /** Adds a worker without shards to the database. */
  addWorker: (database: string) => Promise<PostgresNode>
  stop: () => Promise<void>
}

export async function startCitusCluster(bin: string, workerCount = 2): Promise<CitusCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-citus-'))
  await chmod(folder, 0o755)
  const programs = await findPrograms(bin)
  const nodes: PostgresNode[] = []
  const addNode = async () => {
    const node = await PostgresNode.create(programs, join(folder, `node-${nodes.length}`), SETTINGS)
    nodes.push(node)
    return node
  }
  const coordinator = await addNode()
  const workers: PostgresNode[] = []
  for (let n = 0; n < workerCount; n++) workers.push(await addNode())
  return {
    coordinator,
    workers,
    addWorker: async (database) => {
      const node = await addNode()
      await node.sql(`CREATE DATABASE ${database}`)
      await node.sql('CREATE EXTENSION citus', database)
      await coordinator.sql(`SELECT citus_add_node('127.0.0.1', ${node.port})`, database)
      return node
    },
    createDatabase: async (name) => {
      const urls = nodes.map(({ url }) => url)
      await onEachNode(urls, (client) => client.query(`CREATE DATABASE ${name}`))
      await joinNodes(urls, name)
      return urlOfDatabase(coordinator.url, name)
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.end('SIGINT')))
      await rm(folder, { recursive: true })
    },
  }
}
