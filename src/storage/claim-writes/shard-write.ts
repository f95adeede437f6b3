import type { ClaimState, Status } from '../../domain/claims/lifecycle.ts'
import type { Connection } from '../database/connection.ts'
import { plainArray, textArray } from '../database/sql-array.ts'
import { type ClaimNotification, notifyInShard } from '../notifications/notify.ts'
import { WHAT_IT_BECOMES } from './guarded-write.ts'

/** What a claim becomes; see `guarded-write.ts`, whose columns these are. */
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

const UPDATE_SHARD = `-- update_shard
      UPDATE claims c
      SET ${WHAT_IT_BECOMES}
      FROM (
        SELECT *, decode(hex_digest, 'hex') AS digest
        FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::integer[], $5::integer[], $6::text[], $7::timestamptz[],
          $8::text[], $9::text[], $10::timestamptz[])
          AS d (id, seen_status, seen, added, bytes, hex_digest, at, status, outcome, due)
      ) AS d
      WHERE c.id = ANY ($1::uuid[]) AND c.id = d.id AND c.status = d.seen_status AND c.event_count = d.seen
      RETURNING c.id, c.user_id`

const LOG_TO_SHARD = `-- log_to_shard
      INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
      SELECT c.id, e.seq, e.id, e.type, e.payload, e.system, e.at
      FROM claims c
      JOIN unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::json[], $6::boolean[], $7::timestamptz[])
        AS e (claim_id, seq, id, type, payload, system, at) ON e.claim_id = c.id
      WHERE c.id = ANY ($1::uuid[])`

/**
 * The guarded write (see `guarded-write.ts`) on distributed tables, for which Citus has no quick way to do it in one
 * statement: claims are updated, and then the logs of those that were gain their items. Call it in a transaction, of
 * claims of one shard if it may be: then it is committed on one machine alone. Returns the ids of those that were written.
 * @param announced the key, if the transaction has announced its notifications; else null
 */
export async function writeToShards(
  db: Connection,
  writes: readonly ClaimWrite[],
  items: readonly LogWrite[],
  notifications: readonly ClaimNotification[],
  announced: string | null,
): Promise<Set<string>> {
  const written = new Set<string>()
  const itemsOf = Map.groupBy(items, ({ claimId }) => claimId)
  const notificationsOf = Map.groupBy(notifications, ({ subjectId }) => subjectId)
  for (const ofShard of db.distribution.byShard(writes, ({ id }) => id)) {
    const rows = await updateShard(
      db,
      ofShard.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    )
    await logToShard(
      db,
      rows.flatMap(({ id }) => itemsOf.get(id) ?? []),
    )
    await notifyInShard(
      db,
      rows.flatMap(({ id, user_id: userId }) =>
        (notificationsOf.get(id) ?? []).map((one) => ({ ...one, userId })),
      ),
      announced,
    )
    for (const { id } of rows) written.add(id)
  }
  return written
}

interface WrittenRow {
  id: string
  user_id: string
}

function updateShard(db: Connection, writes: readonly ClaimWrite[]): Promise<WrittenRow[]> {
  return db.query<WrittenRow>({
    name: 'update_shard',
    text: UPDATE_SHARD,
    values: [
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
    ],
  })
}

async function logToShard(db: Connection, items: readonly LogWrite[]): Promise<void> {
  if (items.length === 0) return
  await db.query({
    name: 'log_to_shard',
    text: LOG_TO_SHARD,
    values: [
      plainArray(items.map(({ claimId }) => claimId)),
      plainArray(items.map(({ seq }) => seq)),
      textArray(items.map(({ id }) => id)),
      textArray(items.map(({ type }) => type)),
      textArray(items.map(({ payload }) => payload)),
      plainArray(items.map(({ system }) => `${system}`)),
      plainArray(items.map(({ at }) => at)),
    ],
  })
}
