import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../platform/database/embedded/is-alive.ts'
import { destroyEmbeddedDatabase } from '../platform/database/embedded/open-embedded-database.ts'
import { type OpenDatabase, withDatabaseAsItIs } from '../platform/database/open-database.ts'
import { type RestoredBackup, type RestoreOptions, restoreBackup } from './restore-backup.ts'

/** With the number of the process that made it. */
const OURS = /^claimkeeper-trial-(\d+)-/
/** PostgreSQL may run as another user, who must get to its own folder. */
const OTHERS_PASS = 0o711

/**
 * Restores into an embedded database of its own for as long as the work takes, and removes it, however that ends. What a run
 * left behind that was killed outright, the next one removes.
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
    await chmod(folder, OTHERS_PASS)
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
    const pid = Number(OURS.exec(name)?.[1] ?? 0)
    const folder = join(tmpdir(), name)
    if (pid > 0 && !isAlive(pid) && (await isOwn(folder))) await remove(folder).catch(() => {})
  }
}

/** What others put there, a link to a database for instance, is not followed. */
async function isOwn(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null)
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}

async function remove(folder: string): Promise<void> {
  await destroyEmbeddedDatabase(join(folder, 'data'))
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

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
