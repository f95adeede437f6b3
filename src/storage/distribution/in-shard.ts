import type { Connection, Statement } from '../database/connection.ts'
import { isPassing } from '../database/database-unavailable.ts'
import { readShards } from './read-distribution.ts'
import type { Shard, Tables } from './shards.ts'

const OF_ALL: Tables = {
  claims: 'claims',
  claim_events: 'claim_events',
  notifications: 'notifications',
  contracts: 'contracts',
}

export interface ShardStatement extends Pick<Statement, 'readOnly'> {
  name: string
  /** Each of its parameters has a cast, since they come as texts. */
  text: (tables: Tables) => string
  values: readonly unknown[]
  /** Those of its rows, each with its type. */
  columns: string
  /** The key of the lock that is taken on that machine too; see `announceOfAccount`. */
  announced?: string | null
}

/** What belongs to claims, by their shards as these are now: see `Distribution.byShardNow`. */
export async function shardsOf<T>(
  db: Connection,
  items: readonly T[],
  claimIdOf: (item: T) => string,
): Promise<[Shard, T[]][]> {
  const { distribution } = db
  if (distribution.isStale) distribution.takeOver(await readShards(db))
  return distribution.byShardNow(items, claimIdOf)
}

/**
 * Runs a statement about claims of one shard on the machine that has them, past Citus's planner: see
 * `migrations/0024-in-shard.sql`. Outside of a transaction that machine commits it by itself.
 * @param claimId any of the shard
 */
export async function queryInShard<Row>(
  db: Connection,
  shard: Shard,
  claimId: string,
  { name, text, values, columns, announced = null, readOnly }: ShardStatement,
): Promise<Row[]> {
  const parameters = values.map((_, i) => `, $${i + 5}::text`).join('')
  try {
    return await db.query<Row>({
      name,
      text: `-- ${name}
      SELECT * FROM in_shard($1::uuid, $2::bigint, $3::bigint, $4::text${parameters}) AS found (${columns})`,
      values: [claimId, shard.id, announced, text(shard.tables), ...values],
      ...(readOnly ? { readOnly } : { commitsElsewhere: true }),
    })
  } catch (error) {
    // The shard may have been moved since Citus looked, or split. It is tried again, and looked for then.
    if (isPassing(error)) db.distribution.isStale = true
    throw error
  }
}

/**
 * Reads what is asked of claims: on distributed tables shard by shard, else of all at once. If a shard was moved or split just
 * then, once more: so not in a transaction, which would be over.
 */
export async function readByShard<Row, T>(
  db: Connection,
  items: readonly T[],
  claimIdOf: (item: T) => string,
  statementOf: (items: readonly T[]) => ShardStatement,
): Promise<Row[]> {
  if (!db.distribution.isOn) {
    const { name, text, values } = statementOf(items)
    const all = `-- ${name}
      ${text(OF_ALL)}`
    return db.query<Row>({ name, text: all, values, readOnly: true })
  }
  const read = async () => {
    const rows: Row[] = []
    for (const [shard, ofShard] of await shardsOf(db, items, claimIdOf)) {
      const statement = { ...statementOf(ofShard), readOnly: true as const }
      rows.push(...(await queryInShard<Row>(db, shard, claimIdOf(ofShard[0] as T), statement)))
    }
    return rows
  }
  try {
    return await read()
  } catch (error) {
    if (!isPassing(error)) throw error
    return read()
  }
}
