import type { Connection } from '../../platform/database/connection.ts'
import { plainArray } from '../../platform/database/sql-array.ts'

/** What is left in the database of a claim that was archived. */
export interface ArchivedClaim {
  id: string
  userId: string
  isCandidate: boolean
  status: string
  eventCount: number
  fileId: string
  archivedAt: Date
  /** When it came back; null if it did not. */
  restoredAt: Date | null
}

interface ArchivedRow {
  id: string
  user_id: string
  is_candidate: boolean
  status: string
  event_count: number
  file_id: string
  archived_at: Date
  restored_at: Date | null
}

/** Those of these claims that were archived, also those that were restored since; of any accounts. */
export async function findArchivedClaims(db: Connection, ids: readonly string[]): Promise<ArchivedClaim[]> {
  const rows = await db.query<ArchivedRow>({
    name: 'find_archived_claims',
    text: `-- find_archived_claims
      SELECT id, user_id, is_candidate, status, event_count, file_id, archived_at, restored_at
      FROM archived_claims WHERE id = ANY ($1::uuid[])`,
    values: [plainArray(ids)],
    readOnly: true,
  })
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    isCandidate: row.is_candidate,
    status: row.status,
    eventCount: row.event_count,
    fileId: row.file_id,
    archivedAt: row.archived_at,
    restoredAt: row.restored_at,
  }))
}

/** The position that an archived claim or candidate had in its account's list; null if there is none. */
export async function findArchivedPosition(
  db: Connection,
  userId: string,
  kind: 'claim' | 'candidate',
  id: string,
): Promise<string | null> {
  const [row] = await db.query<{ position: string }>({
    name: 'find_archived_position',
    text: `-- find_archived_position
      SELECT position FROM archived_claims WHERE id = $1 AND user_id = $2 AND is_candidate = $3`,
    values: [id, userId, kind === 'candidate'],
    readOnly: true,
  })
  return row?.position ?? null
}
