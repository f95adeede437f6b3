import type { Connection, Statement } from '../connection.ts'
import { isTransient } from '../database-unavailable.ts'
import { plainArray } from '../sql-array.ts'
import type { OfShard } from './distribution.ts'
import { readShards } from './read-distribution.ts'

export interface ShardStatement extends Pick<Statement, 'readOnly'> {
  name: string
  /** Table names are in double braces, {{claims}}. Each parameter needs a cast, because parameters are passed as texts. */
  text: string
  /** The columns of the result with their types. */
  columns: string
  /** The key of a lock that the statement also takes on the node; see `announceOfAccount`. */
  announced?: string | null
}

/** `Distribution.byNodeAndShard` with current shards. */
export async function nodesOf<T>(
  db: Connection,
  items: readonly T[],
  claimIdOf: (item: T) => string,
): Promise<OfShard<T>[][]> {
  const { distribution } = db
  if (distribution.isStale) distribution.update(await readShards(db))
  return distribution.byNodeAndShard(items, claimIdOf)
}

/**
 * Runs a statement about claims in their shards, node by node, without Citus's planner: see `migrations/0025-in-shards.sql`. Outside a
 * transaction each node commits separately. Returns the rows of all nodes.
 * @param valuesOf the parameters for the items of one shard
 */
export async function queryInShards<Row, T>(
  db: Connection,
  statement: ShardStatement,
  nodes: readonly (readonly OfShard<T>[])[],
  valuesOf: (items: readonly T[]) => readonly unknown[],
): Promise<Row[]> {
  const rows: Row[] = []
  for (const shards of nodes) rows.push(...(await queryNode<Row, T>(db, statement, shards, valuesOf)))
  return rows
}

async function queryNode<Row, T>(
  db: Connection,
  { name, text, columns, announced = null, readOnly }: ShardStatement,
  shards: readonly OfShard<T>[],
  valuesOf: (items: readonly T[]) => readonly unknown[],
): Promise<Row[]> {
  const values = shards.flatMap(({ items }) => valuesOf(items))
  const parameters = values.map((_, i) => `$${i + 5}::text`).join(', ')
  const ids = plainArray(shards.map(({ shard }) => shard.id))
  try {
    return await db.query<Row>({
      name: `${name}/${shards.length}`,
      text: `-- ${name}
      SELECT * FROM in_shards($1::uuid, $2::bigint[], $3::bigint, $4::text, ARRAY[${parameters}]::text[]) AS found (${columns})`,
      values: [shards[0]?.claimId, ids, announced, text, ...values],
      ...(readOnly ? { readOnly } : { commitsElsewhere: true }),
    })
  } catch (error) {
    // A shard may have moved or been split. The retry reads the shards again.
    if (isTransient(error)) db.distribution.isStale = true
    throw error
  }
}

/**
 * Reads from claims, on Citus node by node, otherwise in one statement. Repeats the read if a shard was moved or split. Not for
 * transactions, which an error ends.
 */
export async function readInShards<Row, T>(
  db: Connection,
  statement: Omit<ShardStatement, 'announced' | 'readOnly'>,
  items: readonly T[],
  claimIdOf: (item: T) => string,
  valuesOf: (items: readonly T[]) => readonly unknown[],
): Promise<Row[]> {
  if (!db.distribution.isOn) {
    const { name, text } = statement
    const all = `-- ${name}
      ${text.replaceAll(/{{(\w+)}}/g, '$1')}`
    return db.query<Row>({ name, text: all, values: valuesOf(items), readOnly: true })
  }
  const inShards = { ...statement, readOnly: true } as const
  const read = async () => queryInShards<Row, T>(db, inShards, await nodesOf(db, items, claimIdOf), valuesOf)
  try {
    return await read()
  } catch (error) {
    if (!isTransient(error)) throw error
    return read()
  }
}
