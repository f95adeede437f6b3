import type { Distribution } from '../../src/platform/database/citus/distribution.ts'
import { readDistribution } from '../../src/platform/database/citus/read-distribution.ts'
import type { Bench, ServiceInstance } from '../bench.ts'
import { type BenchDatabase, prepareDatabase } from '../bench-database.ts'
import { addCustomers } from './customers.ts'
import { Nodes } from './nodes.ts'

/** One of the compared databases, with its server. */
export interface Side extends ServiceInstance {
  name: 'plain' | 'citus'
  databaseName: string
  nodes: Nodes
  distribution: Distribution
}

export const clusterOf = (bench: Bench, coordinator: string): Promise<Nodes> =>
  bench.once('citus nodes', () => Nodes.ofCluster(coordinator, bench.cleanup))

/** A distributed database on all machines of the cluster, or a plain database on the coordinator. */
export function sideOnCluster(bench: Bench, nodes: Nodes, name: Side['name']): Promise<Side> {
  return bench.once(`side ${name}`, async () => {
    const databaseName = `claimkeeper_bench_${process.pid}_${name}`
    const isCitus = name === 'citus'
    bench.progress.doing(`creating the database of ${name}`)
    const url = await nodes.createDatabase(databaseName, isCitus ? 'all' : 'coordinator', bench.cleanup)
    const database = await prepareDatabase(url, bench.cleanup, { distribute: isCitus })
    return toSide(bench, { name, databaseName, nodes, database })
  })
}

/** A database in the embedded PostgreSQL. */
export function embeddedSide(bench: Bench): Promise<Side> {
  return bench.once('side embedded', async () => {
    const cluster = await bench.cluster()
    const databaseName = 'bench_side'
    const database = await cluster.createDatabase(databaseName)
    const nodes = await Nodes.of([cluster.superuserUrl], bench.cleanup)
    return toSide(bench, { name: 'plain', databaseName, nodes, database })
  })
}

async function toSide(
  bench: Bench,
  parts: Pick<Side, 'name' | 'databaseName' | 'nodes'> & { database: BenchDatabase },
): Promise<Side> {
  const { sql } = parts.database
  await addCustomers(parts.database)
  const distribution = await readDistribution({ query: async ({ text }) => (await sql.query(text)).rows })
  return { ...parts, distribution, server: await bench.startServer(parts.database) }
}
