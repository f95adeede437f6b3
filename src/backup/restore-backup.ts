import { createHash } from 'node:crypto'
import { unlessAborted } from '../platform/database/unless-aborted.ts'
import {
  type BackupEnd,
  damaged,
  type Header,
  readLine,
  readNote,
  rowsInWords,
  type TableEnd,
} from './backup-format.ts'
import { BackupReader } from './backup-reader.ts'
import { beginRestoration, type Restoration } from './restoration-store.ts'

export interface RestoreOptions {
  /** So that nothing is sent to those who were told by the original. */
  disablesWebhooks: boolean
  /** Hears what is being done. */
  report: (step: string) => void
  /** Then nothing is restored. */
  signal: AbortSignal
}

export interface RestoredBackup extends Header {
  rows: number
}

/**
 * Fills an empty database with what a backup holds, in the tables of its version, and brings them to that of this code: all of
 * it or, if the file turns out to be damaged at its last byte, nothing.
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
      report('Bringing the tables up to date')
      await unlessAborted(signal, restoration.finish({ disablesWebhooks }))
      return { ...header, rows }
    } finally {
      await restoration.close()
    }
  } finally {
    await reader.close()
  }
}

/** Returns how many rows there are. */
async function fillTables(
  reader: BackupReader,
  restoration: Restoration,
  report: (step: string) => void,
): Promise<number> {
  let [tables, rows] = [0, 0]
  for (;;) {
    const line = await reader.nextLine()
    if (line === null) throw damaged('it is cut short')
    const read = readLine(line)
    if (read.kind === 'end') {
      await requireWhole(reader, read.end, tables, rows)
      return rows
    }
    reader.passed(line)
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
  const isOurs = restoration.knows(table)
  const count = isOurs ? await restoration.fill(table, columns, rows) : await leaveOut(rows)
  const line = (await reader.nextLine()) ?? ''
  const end = readNote<TableEnd>(line)
  if (end.table !== table || end.sha256 !== hash.digest('hex')) {
    throw damaged(`the rows of the table ${table} are not those that were written`)
  }
  if (isOurs && end.rows !== count) throw damaged(`the table ${table} has ${count} rows, not ${end.rows}`)
  reader.passed(line)
  if (!isOurs) report(`Left out the table ${table}, which is none of Claimkeeper’s`)
  else if (count > 0) report(rowsInWords(table, count))
  return end.rows
}

async function requireWhole(
  reader: BackupReader,
  end: BackupEnd,
  tables: number,
  rows: number,
): Promise<void> {
  if (end.sha256 !== reader.hash) throw damaged('it does not hold what was written')
  if (end.tables !== tables || end.rows !== rows) throw damaged('it does not hold all that was written')
  if ((await reader.nextLine()) !== null) throw damaged('something follows its end')
}

/** They still count for the hashes. */
async function leaveOut(rows: AsyncIterable<Buffer>): Promise<number> {
  for await (const _ of rows);
  return 0
}
