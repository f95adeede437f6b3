import pg from 'pg'
import { readDistribution } from '../../src/platform/database/citus/read-distribution.ts'
import { Distribution } from './source/database.ts'

/*
 * A test's database lies on one PostgreSQL, or on all machines of a Citus cluster (TEST_CITUS_URL), which find each other
 * by its name.
 */

/** The servers of this run, the coordinator first. */
export const nodesOfRun = (): string[] => JSON.parse(process.env.CLAIMKEEPER_TEST_NODES ?? '[]')

/** Whether tables are distributed in this run. */
export const isOnCitus = (): boolean => nodesOfRun().length > 1

/** Does the same on each server, side by side. */
export async function onEachNode(
  nodes: readonly string[],
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    nodes.map(async (connectionString) => {
      const client = new pg.Client({ connectionString })
      await client.connect()
      try {
        // Each server has the database made and dropped by itself.
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

/** The database as services reach it: as the role TEST_SERVICE_ROLE, if there is one (`npm run test:databases`). */
export function asServiceRole(databaseUrl: string): string {
  const { TEST_SERVICE_ROLE: role } = process.env
  if (!role) return databaseUrl
  const url = new URL(databaseUrl)
  url.username = role
  return url.href
}

/** A test's database on each server, the coordinator's first. */
export const urlsOfDatabase = (databaseUrl: string): string[] =>
  isOnCitus() ? nodesOfRun().map((node) => urlOfDatabase(node, databaseNameOf(databaseUrl))) : [databaseUrl]

/** For sessions of a test's own: in them it may put triggers on distributed tables, which do harm. */
export function withTriggers(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  if (isOnCitus()) url.searchParams.set('options', '-c citus.enable_unsafe_triggers=on')
  return url.href
}

/** The servers of the cluster to which the coordinator's address leads. */
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

/** Makes Citus of a database that is there on each of them. */
export async function joinNodes(nodes: readonly string[], database: string): Promise<void> {
  const of = nodes.map((node) => urlOfDatabase(node, database))
  await onEachNode(of, (client) => client.query('CREATE EXTENSION citus'))
  await onEachNode(of.slice(0, 1), async (client) => {
    const hostAndPort = (node: string) => [new URL(node).hostname, Number(new URL(node).port)]
    await client.query('SELECT citus_set_coordinator_host($1, $2)', hostAndPort(nodes[0] as string))
    for (const node of nodes.slice(1)) await client.query('SELECT citus_add_node($1, $2)', hostAndPort(node))
  })
}

/** Where the claims of a test's database are. */
export const distributionOf = async (connectionString: string): Promise<Distribution> =>
  isOnCitus() ? findDistribution(connectionString) : new Distribution()

/** The same of any database. */
export async function findDistribution(connectionString: string): Promise<Distribution> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await readDistribution({ query: async ({ text }) => (await client.query(text)).rows })
  } finally {
    await client.end()
  }
}
