import type { Connection } from '../connection.ts'
import { Distribution, type Shard } from './distribution.ts'

type Queries = Pick<Connection, 'query'>

/** The distribution of the tables. */
export async function readDistribution(db: Queries): Promise<Distribution> {
  return (await hasCitus(db)) ? readShards(db) : new Distribution()
}

export async function hasCitus(db: Queries): Promise<boolean> {
  const [row] = await db.query<{ has: boolean }>({
    text: "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS has",
    readOnly: true,
  })
  return row?.has === true
}

/** The same for a database with Citus, whose tables need not be distributed. */
export async function readShards(db: Queries): Promise<Distribution> {
  const rows = await db.query<Shard>({
    text: `-- read_shards
      SELECT DISTINCT ON (lowest) s.shardminvalue::integer AS lowest, groupid AS node, s.shardid::text AS id
      FROM pg_dist_shard s JOIN pg_dist_placement USING (shardid)
      WHERE s.logicalrelid = to_regclass('claims') ORDER BY lowest, placementid`,
    readOnly: true,
  })
  return new Distribution(rows)
}
