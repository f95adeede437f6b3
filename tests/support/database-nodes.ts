import pg from 'pg'
import { readDistribution } from '../../src/platform/database/citus/read-distribution.ts'
import { Distribution } from './source/database.ts'

/*
 * The database of a test is on one PostgreSQL, or on all nodes of a Citus cluster (TEST_CITUS_URL). The nodes find
 * each other by its name.
 */

/** The servers of this run. The coordinator is first. */
export const nodesOfRun = (): string[] => JSON.parse(process.env.CLAIMKEEPER_TEST_NODES ?? '[]')

/** Whether tables are distributed in this run. */
export const isOnCitus = (): boolean => nodesOfRun().length > 1

/** Runs the work on each server in parallel. */
export async function onEachNode(
  nodes: readonly string[],
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    nodes.map(async (connectionString) => {
      const client = new pg.Client({ connectionString })
      await client.connect()
      try {
        // The database is created and dropped on each server separately.
        if (nodes.length > 1) await client.query('SET citus.enable_create_database_propagation = off')
        await work(client)
      } finally {
        await client.end()
      }
    }),
  )
}

/** The address of another database on the same server. */
export function urlOfDatabase(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

export const databaseNameOf = (databaseUrl: string): string => new URL(databaseUrl).pathname.slice(1)

/** The database URL for services: with the role TEST_SERVICE_ROLE if it is set (`npm run test:databases`). */
export function asServiceRole(databaseUrl: string): string {
  const { TEST_SERVICE_ROLE: role } = process.env
  if (!role) return databaseUrl
  const url = new URL(databaseUrl)
  url.username = role
  return url.href
}

/** The URLs of a test's database on each server. The coordinator's is first. */
export const urlsOfDatabase = (databaseUrl: string): string[] =>
  isOnCitus() ? nodesOfRun().map((node) => urlOfDatabase(node, databaseNameOf(databaseUrl))) : [databaseUrl]

/** For sessions of a test: allows triggers on distributed tables, which inject faults. */
export function withTriggers(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  if (isOnCitus()) url.searchParams.set('options', '-c citus.enable_unsafe_triggers=on')
  return url.href
}

/** The servers of the coordinator's cluster. */
export async function nodesOfCluster(coordinator: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: coordinator })
  await client.connect()
  const { rows } = await client.query<{ nodename: string; nodeport: number }>(
    'SELECT nodename, nodeport FROM pg_dist_node WHERE groupid > 0 ORDER BY groupid',
  )
  await client.end()
  const nodes = rows.map(({ nodename, nodeport }) => {
    const url = new URL(coordinator)
    url.host = `${nodename}:${nodeport}`
    return url.href
  })
  return [coordinator, ...nodes]
}

/** Turns an existing database of each node into a Citus database. */
export async function joinNodes(nodes: readonly string[], database: string): Promise<void> {
  const of = nodes.map((node) => urlOfDatabase(node, database))
  await onEachNode(of, (client) => client.query('CREATE EXTENSION citus'))
  await onEachNode(of.slice(0, 1), async (client) => {
    const hostAndPort = (node: string) => [new URL(node).hostname, Number(new URL(node).port)]
    await client.query('SELECT citus_set_coordinator_host($1, $2)', hostAndPort(nodes[0] as string))
    for (const node of nodes.slice(1)) await client.query('SELECT citus_add_node($1, $2)', hostAndPort(node))
  })
}

/** The distribution of a test's database. */
export const distributionOf = async (connectionString: string): Promise<Distribution> =>
  isOnCitus() ? findDistribution(connectionString) : new Distribution()

/** The distribution of any database. */
export async function findDistribution(connectionString: string): Promise<Distribution> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await readDistribution({ query: async ({ text }) => (await client.query(text)).rows })
  } finally {
    await client.end()
  }
}
