import type { Connection, Statement } from '../connection.ts'
import { isPassing } from '../database-unavailable.ts'
import { plainArray } from '../sql-array.ts'
import type { OfShard } from './distribution.ts'
import { readShards } from './read-distribution.ts'

export interface ShardStatement extends Pick<Statement, 'readOnly'> {
  name: string
  /** Its tables stand in double braces, {{claims}}; each of its parameters has a cast, since they come as texts. */
  text: string
  /** Those of its rows, each with its type. */
  columns: string
  /** The key of the lock that is taken on that machine too; see `announceOfAccount`. */
  announced?: string | null
}

/** What belongs to claims, by their machines and shards as these are now: see `Distribution.byMachineNow`. */
export async function machinesOf<T>(
  db: Connection,
  items: readonly T[],
  claimIdOf: (item: T) => string,
): Promise<OfShard<T>[][]> {
  const { distribution } = db
  if (distribution.isStale) distribution.takeOver(await readShards(db))
  return distribution.byMachineNow(items, claimIdOf)
}

/**
 * Runs a statement about claims in their shards, machine by machine, past Citus's planner: see
 * `migrations/0025-in-shards.sql`. Outside of a transaction each machine commits by itself. Returns the rows of all.
 * @param valuesOf of what belongs to one shard
 */
export async function queryInShards<Row, T>(
  db: Connection,
  statement: ShardStatement,
  machines: readonly (readonly OfShard<T>[])[],
  valuesOf: (items: readonly T[]) => readonly unknown[],
): Promise<Row[]> {
  const rows: Row[] = []
  for (const shards of machines) rows.push(...(await queryMachine<Row, T>(db, statement, shards, valuesOf)))
  return rows
}

async function queryMachine<Row, T>(
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
    // A shard may have been moved since Citus looked, or split. It is tried again, and looked for then.
    if (isPassing(error)) db.distribution.isStale = true
    throw error
  }
}

/**
 * Reads what is asked of claims: on distributed tables machine by machine, else of all at once. If a shard was moved or split
 * just then, once more: so not in a transaction, which would be over.
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
  const read = async () =>
    queryInShards<Row, T>(db, inShards, await machinesOf(db, items, claimIdOf), valuesOf)
  try {
    return await read()
  } catch (error) {
    if (!isPassing(error)) throw error
    return read()
  }
}
