import type { ClaimState, Status } from '../../core/claims/lifecycle.ts'
import { type ClaimNotification, notifyInShards } from '../../outbox/outbox-store.ts'
import { machinesOf, queryInShards, type ShardStatement } from '../../platform/database/citus/in-shards.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { plainArray, textArray } from '../../platform/database/sql-array.ts'
import { WHAT_IT_BECOMES } from './guarded-write-store.ts'

/** The new state of a claim. The fields are the columns of `guarded-write-store.ts`. */
export interface ClaimWrite {
  id: string
  seenStatus: Status
  seen: number
  added: number
  bytes: number
  digest: string | null
  at: Date
  /** Null if the claim stays what it is. */
  becomes: ClaimState | null
}

/** What a claim's log gains with that. */
export interface LogWrite {
  claimId: string
  seq: number
  id: string
  type: string
  /** As JSON. */
  payload: string
  system: boolean
  at: Date
}

/** The guarded write in the tables of a shard. */
const WRITE_TO = `WITH written AS (
        UPDATE {{claims}} c
        SET ${WHAT_IT_BECOMES}
        FROM (
          SELECT *, decode(hex_digest, 'hex') AS digest
          FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::integer[], $5::integer[], $6::text[], $7::timestamptz[],
            $8::text[], $9::text[], $10::timestamptz[])
            AS d (id, seen_status, seen, added, bytes, hex_digest, at, status, outcome, due)
        ) AS d
        WHERE c.id = ANY ($1::uuid[]) AND c.id = d.id AND c.status = d.seen_status AND c.event_count = d.seen
        RETURNING c.id
      ),
      logged AS (
        INSERT INTO {{claim_events}} (claim_id, seq, id, type, payload, system, created_at)
        SELECT e.*
        FROM unnest($11::uuid[], $12::integer[], $13::text[], $14::text[], $15::json[], $16::boolean[], $17::timestamptz[])
          AS e (claim_id, seq, id, type, payload, system, at)
        JOIN written w ON w.id = e.claim_id
      )
      SELECT id FROM written`

const WRITE: ShardStatement = { name: 'write_to_shards', text: WRITE_TO, columns: 'id uuid' }

/**
 * The guarded write (see `guarded-write-store.ts`) on distributed tables. Runs without a transaction block if all claims are on one machine
 * and there are no notifications, else in a transaction. Returns the ids of the claims that were
 * written.
 * @param announced the key, if the transaction has announced its notifications; else null
 */
export async function writeToShards(
  db: Connection,
  writes: readonly ClaimWrite[],
  items: readonly LogWrite[],
  notifications: readonly ClaimNotification[],
  announced: string | null,
): Promise<Set<string>> {
  const machines = await machinesOf(db, writes, ({ id }) => id)
  const itemsOf = Map.groupBy(items, ({ claimId }) => claimId)
  const notificationsOf = Map.groupBy(notifications, ({ subjectId }) => subjectId)
  const write = async (connection: Connection) => {
    const rows = await queryInShards<{ id: string }, ClaimWrite>(connection, WRITE, machines, (ofShard) => {
      const inOrder = ofShard.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      return valuesOf(
        inOrder,
        inOrder.flatMap(({ id }) => itemsOf.get(id) ?? []),
      )
    })
    const told = rows.flatMap(({ id }) => notificationsOf.get(id) ?? [])
    await notifyInShards(connection, told, announced)
    return new Set(rows.map(({ id }) => id))
  }
  return machines.length === 1 && notifications.length === 0 ? write(db) : db.transaction(write)
}

const valuesOf = (writes: readonly ClaimWrite[], items: readonly LogWrite[]) => [
  plainArray(writes.map(({ id }) => id)),
  plainArray(writes.map(({ seenStatus }) => seenStatus)),
  plainArray(writes.map(({ seen }) => seen)),
  plainArray(writes.map(({ added }) => added)),
  plainArray(writes.map(({ bytes }) => bytes)),
  plainArray(writes.map(({ digest }) => digest)),
  plainArray(writes.map(({ at }) => at)),
  plainArray(writes.map(({ becomes }) => becomes?.status ?? null)),
  plainArray(writes.map(({ becomes }) => becomes?.scheduledOutcome ?? null)),
  plainArray(writes.map(({ becomes }) => becomes?.dueAt ?? null)),
  plainArray(items.map(({ claimId }) => claimId)),
  plainArray(items.map(({ seq }) => seq)),
  textArray(items.map(({ id }) => id)),
  textArray(items.map(({ type }) => type)),
  textArray(items.map(({ payload }) => payload)),
  plainArray(items.map(({ system }) => `${system}`)),
  plainArray(items.map(({ at }) => at)),
]
