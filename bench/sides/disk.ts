import type { Side } from './side.ts'

/** Sizes in bytes, with indexes. */
export interface DiskSizes {
  claims: number
  events: number
}

export async function diskSizes(side: Side): Promise<DiskSizes> {
  const size = side.distribution.isOn ? 'citus_total_relation_size' : 'pg_total_relation_size'
  const { rows } = await side.database.sql.query<DiskSizes>(
    `SELECT ${size}('claims')::float8 AS claims, ${size}('claim_events')::float8 AS events`,
  )
  return rows[0] as DiskSizes
}

/** Bytes per row, without the size of the empty table. */
export async function bytesOfRow(
  side: Side,
  empty: DiskSizes,
  table: 'claims' | 'claim_events',
): Promise<number> {
  const { rows } = await side.database.sql.query<{ count: string }>(`SELECT count(*) AS count FROM ${table}`)
  const which = table === 'claims' ? 'claims' : 'events'
  const grown = (await diskSizes(side))[which] - empty[which]
  return grown / Math.max(Number(rows[0]?.count), 1)
}
