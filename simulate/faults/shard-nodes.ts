import type pg from 'pg'
import type { LocalTestbed } from '../testbed/local-testbed.ts'
import type { Postgres } from '../testbed/postgres.ts'
import { alwaysAvailable, type LocalFault, outageMs, seconds, wait } from './timing.ts'

/** The sessions of the coordinator on a node. */
const INTERNAL = "application_name LIKE 'citus_internal%'"

const ofShardNodes = (name: string, inject: LocalFault['inject']): LocalFault => ({
  name,
  requires: 'shard nodes',
  unavailable: alwaysAvailable,
  inject,
})

/** Runs the work in a new session on the node. The session ends with the work or at the recovery. Null without a session. */
async function withSession(
  testbed: LocalTestbed,
  node: Postgres,
  work: (client: pg.Client) => Promise<string | null>,
): Promise<string | null> {
  const client = await node.connectAsSuperuser().catch(() => null)
  if (client === null) return null
  const release = testbed.onRecover(() => client.end())
  try {
    return await work(client)
  } finally {
    await release()
  }
}

/** Kills a node with shards. None of its shards can be reached meanwhile. */
export const shardNodeKilled = ofShardNodes('shard-node-killed', (testbed, random, signal) =>
  testbed.postgres.runExclusive(async () => {
    const number = random.int(0, testbed.shardNodes.length - 1)
    const node = testbed.shardNodes[number] as Postgres
    const how = random.pick(['killed', 'immediate'] as const)
    const restart = testbed.onRecover(() => node.start())
    try {
      if (!(await node.stop(how))) return null
      const awayMs = outageMs(random)
      await wait(awayMs, signal)
      return `shard node ${number + 1} ended (${how}), away for ${seconds(awayMs)}`
    } finally {
      await restart()
    }
  }),
)

/** Cuts all or some connections from the coordinator to a node. */
export const shardNodeCut = ofShardNodes('shard-node-cut', async (testbed, random) => {
  const node = random.pick(testbed.shardNodes)
  const ended = await node.sql<{ was_there: boolean }>(
    `SELECT pg_terminate_backend(pid) AS was_there FROM pg_stat_activity WHERE ${INTERNAL} AND random() <= $1`,
    [random.pick([0.1, 0.5, 1])],
  )
  const count = ended.filter(({ was_there }) => was_there).length
  return count === 0 ? null : `${count} connections to a shard node ended`
})

/** Cuts a transaction over several nodes after one node has prepared it. */
export const shardCommitCut = ofShardNodes('shard-commit-cut', (testbed, random) =>
  // If it fails, another fault came first.
  withSession(testbed, random.pick(testbed.shardNodes), async (client) => {
    await client.query(CUT_BETWEEN_PHASES)
    const { rows } = await client.query('SELECT gid FROM pg_prepared_xacts')
    return rows.length === 0 ? null : `${rows.length} transactions left prepared on a shard node`
  }).catch(() => null),
)

/** Runs on the node, because the time window is short. */
const CUT_BETWEEN_PHASES = `DO $$
  DECLARE until timestamptz := clock_timestamp() + interval '3 seconds';
  BEGIN
    WHILE clock_timestamp() < until LOOP
      IF EXISTS (SELECT FROM pg_prepared_xacts WHERE database = current_database()) THEN
        -- Before or after the other nodes have prepared it.
        PERFORM pg_sleep(random() * 0.004);
        PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${INTERNAL};
        RETURN;
      END IF;
      PERFORM pg_sleep(0.0002);
    END LOOP;
  END $$`

const RANDOM_SHARD = `
  SELECT s.shardid::text AS shard, p.nodename AS host, p.nodeport::integer AS port, n.nodename AS "toHost", n.nodeport AS "toPort"
  FROM pg_dist_shard s JOIN pg_dist_shard_placement p USING (shardid)
  JOIN pg_dist_node n ON n.groupid > 0 AND (n.nodename, n.nodeport::bigint) <> (p.nodename, p.nodeport)
  WHERE s.logicalrelid = 'claims'::regclass ORDER BY random() LIMIT 1`

/** Moves a shard to another node, together with the shard of its events. */
export const shardsMove = ofShardNodes('shards-move', async (testbed, random) => {
  const mode = random.pick(['block_writes', 'force_logical'])
  try {
    return await withSession(testbed, testbed.postgres, async (client) => {
      const since = performance.now()
      const [found] = (await client.query(RANDOM_SHARD)).rows
      if (!found) return null
      const { shard, host, port, toHost, toPort } = found
      const values = [shard, host, port, toHost, toPort, mode]
      await client.query('SELECT citus_move_shard_placement($1, $2, $3, $4, $5, $6)', values)
      return `shard ${shard} moved from node to node (${mode}) in ${seconds(performance.now() - since)}`
    })
  } catch (error) {
    testbed.log(`a shard was not moved (${mode}): ${(error as Error).message}`)
    return null
  }
})
