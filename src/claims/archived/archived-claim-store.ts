import { NOW } from '../../platform/database/clock.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { plainArray } from '../../platform/database/sql-array.ts'

/** The remainder of an archived claim in the database. */
export interface ArchivedClaim {
  id: string
  userId: string
  isCandidate: boolean
  status: string
  eventCount: number
  fileId: string
  archivedAt: Date
  /** Time of the restore. Null if the claim was not restored. */
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

/** The archived claims among these, of any account, including restored ones. */
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

/** The position of an archived claim or candidate in its account's list. Null if there is none. */
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

/** A file of the archive. */
export interface ArchiveFile {
  id: string
  /** The account of all claims in the file. */
  userId: string
  /** Relative to the archive's folder. */
  path: string
  /** SHA-256 of the uncompressed content, in hexadecimal. */
  sha256: string
  claims: number
  /** Compressed size. */
  bytes: number
  writtenAt: Date
}

interface FileRow {
  id: string
  user_id: string
  path: string
  sha256: string
  claims: number
  bytes: string
  written_at: Date
}

const COLUMNS = 'id, user_id, path, sha256, claims, bytes, written_at'

const toFile = (row: FileRow): ArchiveFile => ({
  id: row.id,
  userId: row.user_id,
  path: row.path,
  sha256: row.sha256,
  claims: row.claims,
  bytes: Number(row.bytes),
  writtenAt: row.written_at,
})

/** Registers a file before any claim is removed for it. Idempotent. */
export async function noteArchiveFile(db: Connection, file: Omit<ArchiveFile, 'writtenAt'>): Promise<void> {
  await db.query({
    name: 'note_archive_file',
    text: `-- note_archive_file
      INSERT INTO archive_files (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, ${NOW})
      ON CONFLICT (id) DO NOTHING`,
    values: [file.id, file.userId, file.path, file.sha256, file.claims, file.bytes],
  })
}

/** The existing files among these. */
export async function findArchiveFiles(db: Connection, ids: readonly string[]): Promise<ArchiveFile[]> {
  const rows = await db.query<FileRow>({
    name: 'find_archive_files',
    text: `-- find_archive_files
      SELECT ${COLUMNS} FROM archive_files WHERE id = ANY ($1::uuid[])`,
    values: [plainArray(ids)],
    readOnly: true,
  })
  return rows.map(toFile)
}

/** All files, in the order of their paths. */
export async function listArchiveFiles(db: Connection): Promise<ArchiveFile[]> {
  const rows = await db.query<FileRow>({
    text: `-- list_archive_files
      SELECT ${COLUMNS} FROM archive_files ORDER BY path COLLATE "C", id`,
    readOnly: true,
  })
  return rows.map(toFile)
}
