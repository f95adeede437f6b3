import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../platform/database/embedded/is-alive.ts'
import { destroyEmbeddedDatabase } from '../platform/database/embedded/open-embedded-database.ts'
import { type OpenDatabase, withDatabaseAsItIs } from '../platform/database/open-database.ts'
import { type RestoredBackup, type RestoreOptions, restoreBackup } from './restore-backup.ts'

/** The name contains the id of the process that created the folder. */
const TRIAL_FOLDER = /^claimkeeper-trial-(\d+)-/
/** PostgreSQL may run as another user, who must be able to enter its own folder below. */
const FOLDER_MODE = 0o711

/**
 * Restores into a temporary embedded database, runs `work` on it and removes it. Also removes databases of killed runs.
 * @throws OperatorError
 */
export async function withRestored<T>(
  file: AsyncIterable<Buffer>,
  options: Omit<RestoreOptions, 'disablesWebhooks'>,
  work: (database: OpenDatabase, restored: RestoredBackup) => Promise<T>,
): Promise<T> {
  await removeLeftovers()
  const folder = await mkdtemp(join(tmpdir(), `claimkeeper-trial-${process.pid}-`))
  const dataDir = join(folder, 'data')
  const { report, signal } = options
  try {
    await chmod(folder, FOLDER_MODE)
    return await withDatabaseAsItIs(
      { databaseUrl: null, dataDir, mayCreate: true, report, signal },
      async (database) => {
        const restored = await restoreBackup(file, database.connectionString, {
          ...options,
          disablesWebhooks: true,
        })
        return work(database, restored)
      },
    )
  } finally {
    await remove(folder)
  }
}

async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(TRIAL_FOLDER.exec(name)?.[1] ?? 0)
    const folder = join(tmpdir(), name)
    if (pid > 0 && !isAlive(pid) && (await isOwn(folder))) await remove(folder).catch(() => {})
  }
}

/** Ignores links and folders of other users: removing the target of a link could destroy another database. */
async function isOwn(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null)
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}

async function remove(folder: string): Promise<void> {
  await destroyEmbeddedDatabase(join(folder, 'data'))
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/**
 * Restores into the database of `databaseUrl` or, if it is null, into the embedded database of `dataDir`, which is created if it
 * does not exist. If the restoration fails, the created database stays, empty: another process may already use it.
 * @throws OperatorError
 */
export function restoreInto(
  { databaseUrl, dataDir }: { databaseUrl: string | null; dataDir: string },
  file: AsyncIterable<Buffer>,
  options: RestoreOptions,
): Promise<RestoredBackup> {
  const { report, signal } = options
  return withDatabaseAsItIs(
    { databaseUrl, dataDir, mayCreate: true, report, signal },
    ({ connectionString }) => restoreBackup(file, connectionString, options),
  )
}
