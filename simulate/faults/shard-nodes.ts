import type { Postgres } from '../stage/postgres.ts'
import { possible, type RealFault, seconds, someTime, wait } from './moments.ts'

/** Whoever asks of a node for the coordinator. */
const INTERNAL = "application_name LIKE 'citus_internal%'"

/** One of the nodes that have the shards, in the middle of everything: none of its shards can be reached meanwhile. */
export const shardNodeKilled: RealFault = {
  name: 'shard-node-killed',
  need: 'shard nodes',
  unavailable: possible,
  strike: (stage, random, signal) =>
    stage.postgres.alone(async () => {
      const number = random.int(0, stage.shardNodes.length - 1)
      const node = stage.shardNodes[number] as Postgres
      const how = random.pick(['killed', 'immediate'] as const)
      const comeBack = stage.untilCalm(() => node.start())
      try {
        if (!(await node.stop(how))) return null
        const awayMs = someTime(random)
        await wait(awayMs, signal)
        return `shard node ${number + 1} ended (${how}), away for ${seconds(awayMs)}`
      } finally {
        await comeBack()
      }
    }),
}

/** All connections from the coordinator to a node, or some. */
export const shardNodeCut: RealFault = {
  name: 'shard-node-cut',
  need: 'shard nodes',
  unavailable: possible,
  strike: async (stage, random) => {
    const node = random.pick(stage.shardNodes)
    const ended = await node.sql<{ was_there: boolean }>(
      `SELECT pg_terminate_backend(pid) AS was_there FROM pg_stat_activity WHERE ${INTERNAL} AND random() <= $1`,
      [random.pick([0.1, 0.5, 1])],
    )
    const count = ended.filter(({ was_there }) => was_there).length
    return count === 0 ? null : `${count} connections to a shard node ended`
  },
}

/** Of a transaction over several nodes, of which one has prepared it and never hears whether it is committed. */
export const shardCommitCut: RealFault = {
  name: 'shard-commit-cut',
  need: 'shard nodes',
  unavailable: possible,
  strike: async (stage, random) => {
    const node = random.pick(stage.shardNodes)
    const client = await node.connectAsSuperuser().catch(() => null)
    if (client === null) return null
    const letGo = stage.untilCalm(() => client.end())
    try {
      await client.query(CUT_BETWEEN)
      const { rows } = await client.query('SELECT gid FROM pg_prepared_xacts')
      return rows.length === 0 ? null : `${rows.length} transactions left prepared on a shard node`
    } catch {
      // Another fault was first.
      return null
    } finally {
      await letGo()
    }
  },
}

/** On the node, since the moment is short. */
const CUT_BETWEEN = `DO $$
  DECLARE until timestamptz := clock_timestamp() + interval '3 seconds';
  BEGIN
    WHILE clock_timestamp() < until LOOP
      IF EXISTS (SELECT FROM pg_prepared_xacts WHERE database = current_database()) THEN
        -- Some before the others have prepared it too, some after.
        PERFORM pg_sleep(random() * 0.004);
        PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${INTERNAL};
        RETURN;
      END IF;
      PERFORM pg_sleep(0.0002);
    END LOOP;
  END $$`

const A_SHARD = `
  SELECT s.shardid::text AS shard, p.nodename AS host, p.nodeport::integer AS port, n.nodename AS "toHost", n.nodeport AS "toPort"
  FROM pg_dist_shard s JOIN pg_dist_shard_placement p USING (shardid)
  JOIN pg_dist_node n ON n.groupid > 0 AND (n.nodename, n.nodeport::bigint) <> (p.nodename, p.nodeport)
  WHERE s.logicalrelid = 'claims'::regclass ORDER BY random() LIMIT 1`

/** To another node, with the shard of the events that belong to it. */
export const shardsMove: RealFault = {
  name: 'shards-move',
  need: 'shard nodes',
  unavailable: possible,
  strike: async (stage, random) => {
    const mode = random.pick(['block_writes', 'force_logical'])
    const client = await stage.postgres.connectAsSuperuser().catch(() => null)
    if (client === null) return null
    const letGo = stage.untilCalm(() => client.end())
    const since = performance.now()
    try {
      const [found] = (await client.query(A_SHARD)).rows
      if (!found) return null
      const { shard, host, port, toHost, toPort } = found
      await client.query('SELECT citus_move_shard_placement($1, $2, $3, $4, $5, $6)', [
        shard,
        host,
        port,
        toHost,
        toPort,
        mode,
      ])
      return `shard ${shard} moved from node to node (${mode}) in ${seconds(performance.now() - since)}`
    } catch (error) {
      stage.log(`a shard was not moved (${mode}): ${(error as Error).message}`)
      return null
    } finally {
      await letGo()
    }
  },
}
