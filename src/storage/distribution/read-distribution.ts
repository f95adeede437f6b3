import type { Connection } from '../database/connection.ts'
import { Distribution } from './distribution.ts'

type Queries = Pick<Connection, 'query'>

/** How the tables are distributed. */
export async function readDistribution(db: Queries): Promise<Distribution> {
  return new Distribution((await hasCitus(db)) ? await readLowest(db) : null)
}

export async function hasCitus(db: Queries): Promise<boolean> {
  const [row] = await db.query<{ has: boolean }>({
    text: "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS has",
    readOnly: true,
  })
  return row?.has === true
}

/** Null if the tables are not distributed. */
async function readLowest(db: Queries): Promise<number[] | null> {
  const rows = await db.query<{ lowest: number }>({
    text: `-- read_shards
      SELECT shardminvalue::integer AS lowest FROM pg_dist_shard
      WHERE logicalrelid = to_regclass('claims') ORDER BY lowest`,
    readOnly: true,
  })
  return rows.length === 0 ? null : rows.map(({ lowest }) => lowest)
}
