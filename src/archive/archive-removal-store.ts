import { NOW, readClock } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray, textArray } from '../platform/database/sql-array.ts'
import { METADATA_DIGEST, type ReadClaim } from './claims-to-archive-store.ts'

/**
 * Their contracts may be without claims from now on (`unused-contracts.ts`). To be called before the claims leave: whoever
 * looks for uses does so a day after the mark.
 */
export async function markContractsUnused(db: Connection, hashes: readonly string[]): Promise<void> {
  const values = [textArray(hashes.map((hash) => `\\x${hash}`))]
  if (db.distribution.isOn) {
    await db.query({
      name: 'mark_contracts_of_archived_on_machines',
      text: `-- mark_contracts_of_archived_on_machines
        UPDATE contracts SET unused_since = $2 WHERE hash = ANY ($1::bytea[])`,
      values: [...values, await readClock(db)],
    })
    return
  }
  await db.query({
    name: 'mark_contracts_of_archived',
    text: `-- mark_contracts_of_archived
      WITH free AS MATERIALIZED (
        SELECT hash FROM contracts WHERE hash = ANY ($1::bytea[]) ORDER BY hash FOR NO KEY UPDATE SKIP LOCKED
      )
      UPDATE contracts SET unused_since = ${NOW} WHERE hash = ANY (ARRAY(SELECT hash FROM free))`,
    values,
  })
}

/**
 * Removes these claims with their logs, and keeps in which file each of them is: all of that, or nothing. Those that stand no
 * more as they were found are left alone, and those that were restored since `before`. Call it with claims of one shard. Returns how many went.
 */
export async function removeArchivedClaims(
  db: Connection,
  claims: readonly ReadClaim[],
  fileId: string,
  before: Date,
): Promise<number> {
  const inOrder = claims.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const archivedAt = await readClock(db)
  const removing = db.transaction(async (connection) => {
    const kept = await connection.query<{ id: string }>({
      name: 'keep_archived_claims',
      text: KEEP_ARCHIVED_CLAIMS,
      values: [
        plainArray(inOrder.map(({ id }) => id)),
        plainArray(inOrder.map(({ status }) => status)),
        plainArray(inOrder.map(({ eventCount }) => eventCount)),
        fileId,
        archivedAt,
        before,
        plainArray(inOrder.map(({ metadataDigest }) => metadataDigest)),
      ],
    })
    if (kept.length === 0) return 0
    const digests = new Map(claims.map(({ id, metadataDigest }) => [id, metadataDigest]))
    const ids = plainArray(kept.map(({ id }) => id))
    const removed = await connection.query<{ id: string; digest: string | null }>({
      name: 'remove_archived_claims',
      text: `-- remove_archived_claims
        DELETE FROM claims WHERE id = ANY ($1::uuid[]) RETURNING id, ${METADATA_DIGEST} AS digest`,
      values: [ids],
    })
    // Whoever else removed one of them has kept a row of it, or its clock's deletion was on the way: all is taken back.
    if (removed.length !== kept.length) throw new Error('Claims were removed while they were archived.')
    if (removed.some(({ id, digest }) => digest !== digests.get(id))) throw new NotedMeanwhile()
    await connection.query({
      name: 'remove_archived_logs',
      text: `-- remove_archived_logs
        DELETE FROM claim_events WHERE claim_id = ANY ($1::uuid[])`,
      values: [ids],
    })
    await connection.query({
      name: 'remove_archived_metadata',
      text: `-- remove_archived_metadata
        DELETE FROM claim_metadata WHERE claim_id = ANY ($1::uuid[])`,
      values: [ids],
    })
    return removed.length
  })
  return removing.catch((error) => {
    if (error instanceof NotedMeanwhile) return 0
    throw error
  })
}

/** The metadata of one has changed in this very moment: they are archived the next time. */
class NotedMeanwhile extends Error {}

const KEEP_ARCHIVED_CLAIMS = `-- keep_archived_claims
      INSERT INTO archived_claims AS kept (id, user_id, is_candidate, position, status, event_count, file_id, archived_at)
      SELECT c.id, c.user_id, c.candidate_alias IS NOT NULL, c.position, c.status, c.event_count, $4, $5
      FROM claims c
      JOIN unnest($1::uuid[], $2::text[], $3::integer[], $7::bigint[]) AS seen (id, status, event_count, digest) ON seen.id = c.id
      WHERE c.id = ANY ($1::uuid[]) AND c.status = seen.status AND c.event_count = seen.event_count
        AND ${METADATA_DIGEST} IS NOT DISTINCT FROM seen.digest
        AND c.test_clock_id IS NULL
      ORDER BY c.id
      ON CONFLICT (id) DO UPDATE
      SET file_id = excluded.file_id, archived_at = excluded.archived_at, restored_at = NULL
      WHERE kept.restored_at <= $6
      RETURNING id`
