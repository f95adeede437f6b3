import { createHash } from 'node:crypto'
import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unlessAborted } from '../platform/concurrency/unless-aborted.ts'
import { isAlive } from '../platform/database/embedded/is-alive.ts'
import { destroyEmbeddedDatabase } from '../platform/database/embedded/open-embedded-database.ts'
import { type OpenDatabase, withDatabaseAsItIs } from '../platform/database/open-database.ts'
import {
  type BackupEnd,
  damaged,
  formatRowCount,
  type Header,
  readComment,
  readLine,
  type TableEnd,
} from './backup-format.ts'
import { BackupReader } from './backup-reader.ts'
import { beginRestoration, type Restoration } from './restoration-store.ts'

interface RestoreOptions {
  /** Sends nothing to the endpoints, which the original may still serve. */
  disablesWebhooks: boolean
  /** Receives a text for each step. */
  report: (step: string) => void
  /** Aborts the restoration. */
  signal: AbortSignal
}

interface RestoredBackup extends Header {
  rows: number
}

/**
 * Restores a backup into an empty database and migrates the tables from the backup's version to the version of this code, in one
 * transaction. If the file is damaged, nothing is restored.
 * @throws OperatorError
 */
export async function restoreBackup(
  file: AsyncIterable<Buffer>,
  connectionString: string,
  { disablesWebhooks, report, signal }: RestoreOptions,
): Promise<RestoredBackup> {
  const reader = await BackupReader.open(file)
  try {
    const { header } = reader
    const restoration = await beginRestoration(connectionString, header.migration, report)
    try {
      const rows = await unlessAborted(signal, fillTables(reader, restoration, report))
      report('Migrating the tables')
      await unlessAborted(signal, restoration.finish({ disablesWebhooks }))
      return { ...header, rows }
    } finally {
      await restoration.close()
    }
  } finally {
    await reader.close()
  }
}

/** Returns the number of rows. */
async function fillTables(
  reader: BackupReader,
  restoration: Restoration,
  report: (step: string) => void,
): Promise<number> {
  let [tables, rows] = [0, 0]
  for (;;) {
    const line = await reader.nextLine()
    if (line === null) throw damaged('its end is missing')
    const read = readLine(line)
    if (read.kind === 'end') {
      await requireComplete(reader, read.end, tables, rows)
      return rows
    }
    reader.addToHash(line)
    if (read.kind === 'sequence') {
      await restoration.setSequence(read.sequence)
    } else {
      tables++
      rows += await fillTable(reader, restoration, read, report)
    }
  }
}

async function fillTable(
  reader: BackupReader,
  restoration: Restoration,
  { table, columns }: { table: string; columns: string[] },
  report: (step: string) => void,
): Promise<number> {
  const hash = createHash('sha256')
  const rows = reader.rows(hash)
  const isKnown = restoration.hasTable(table)
  const count = isKnown ? await restoration.copyRows(table, columns, rows) : await discard(rows)
  const line = (await reader.nextLine()) ?? ''
  const end = readComment<TableEnd>(line)
  if (end.table !== table || end.sha256 !== hash.digest('hex')) {
    throw damaged(`the rows of the table ${table} were changed`)
  }
  if (isKnown && end.rows !== count) throw damaged(`the table ${table} has ${count} rows, not ${end.rows}`)
  reader.addToHash(line)
  if (!isKnown) report(`Skipped the table ${table}, which is not a table of Claimkeeper`)
  else if (count > 0) report(formatRowCount(table, count))
  return end.rows
}

async function requireComplete(
  reader: BackupReader,
  end: BackupEnd,
  tables: number,
  rows: number,
): Promise<void> {
  if (end.sha256 !== reader.hash) throw damaged('its content was changed')
  if (end.tables !== tables || end.rows !== rows) throw damaged('tables or rows are missing')
  if ((await reader.nextLine()) !== null) throw damaged('its end is followed by other bytes')
}

/** Reads the rows, because the hashes cover them. */
async function discard(rows: AsyncIterable<Buffer>): Promise<number> {
  for await (const _ of rows);
  return 0
}

/** The name contains the id of the process that created the folder. */
const TRIAL_FOLDER = /^claimkeeper-trial-(\d+)-/
/** PostgreSQL may run as another user. That user must have access to the data folder inside this folder. */
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
