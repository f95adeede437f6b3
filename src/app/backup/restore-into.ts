import { hasCluster } from '../../storage/embedded/cluster.ts'
import { destroyEmbeddedDatabase } from '../../storage/embedded/destroy-embedded-database.ts'
import { withDatabaseAsItIs } from '../with-database.ts'
import { type RestoredBackup, type RestoreOptions, restoreBackup } from './restore-backup.ts'

/** An empty database of one's own or, with null, an embedded one, which is made if there is none. */
export interface RestoreTarget {
  databaseUrl: string | null
  dataDir: string
}

/**
 * Restores into this database. What was made for it is removed again if that fails.
 * @throws OperatorError
 */
export async function restoreInto(
  { databaseUrl, dataDir }: RestoreTarget,
  file: AsyncIterable<Buffer>,
  options: RestoreOptions,
): Promise<RestoredBackup> {
  const { report, signal } = options
  const isMade = databaseUrl === null && !(await hasCluster(dataDir))
  try {
    return await withDatabaseAsItIs(
      { databaseUrl, dataDir, mayCreate: true, report, signal },
      ({ connectionString }) => restoreBackup(file, connectionString, options),
    )
  } catch (error) {
    if (isMade) await destroyEmbeddedDatabase(dataDir)
    throw error
  }
}
