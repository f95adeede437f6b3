import { withDatabaseAsItIs } from '../platform/database/with-database.ts'
import { type RestoredBackup, type RestoreOptions, restoreBackup } from './restore-backup.ts'

/** An empty database of one's own or, with null, an embedded one, which is made if there is none. */
export interface RestoreTarget {
  databaseUrl: string | null
  dataDir: string
}

/**
 * Restores into this database. If that fails, an embedded one that was made for it stays, empty: by then another process may
 * have come to use it.
 * @throws OperatorError
 */
export function restoreInto(
  { databaseUrl, dataDir }: RestoreTarget,
  file: AsyncIterable<Buffer>,
  options: RestoreOptions,
): Promise<RestoredBackup> {
  const { report, signal } = options
  return withDatabaseAsItIs(
    { databaseUrl, dataDir, mayCreate: true, report, signal },
    ({ connectionString }) => restoreBackup(file, connectionString, options),
  )
}
