import { join } from 'node:path'
import {
  type BackupTarget,
  createBackupFile,
  type WrittenBackup,
  writeBackup,
} from '../../backup/write-backup.ts'
import { readConfig } from '../../config/config.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { withDatabaseAsItIs } from '../../platform/database/open-database.ts'
import { refuseFileIn, write } from '../../platform/terminal/output.ts'
import { listenForStop, withStopTimeout } from '../../platform/terminal/stop-signal.ts'
import { lowerPriority, reportTo } from '../run-command.ts'
import { contentsInWords, Progress } from './progress.ts'

/** `claimkeeper backup`. @param path "-" for standard output */
export async function runBackup(path: string, mayReplace: boolean): Promise<void> {
  lowerPriority()
  const { databaseUrl, dataDir, archiveDir } = readConfig()
  if (path !== '-')
    await refuseFileIn(path, [join(dataDir, 'postgres'), ...(archiveDir === null ? [] : [archiveDir])])
  const signal = listenForStop()
  const report = reportTo(process.stderr)
  const target = path === '-' ? toStandardOutput() : await createBackupFile(path, mayReplace)
  const progress = new Progress('Backing up')
  try {
    const work = withDatabaseAsItIs({ databaseUrl, dataDir, mayCreate: false, report, signal }, (database) =>
      writeTo(target, database.connectionString, progress, signal),
    )
    const { written, bytes } = await withStopTimeout(signal, work)
    progress.end()
    console.error(`The backup is ${path === '-' ? 'written' : `in ${path}`}, ${inMegabytes(bytes)} MB.`)
    console.error(contentsInWords(written))
    console.error('Keep it secret: it contains the hashes of passwords and tokens, and the keys of webhooks.')
  } catch (error) {
    progress.end()
    await target.discard()
    throw error
  }
}

async function writeTo(
  target: BackupTarget,
  connectionString: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<{ written: WrittenBackup; bytes: number }> {
  let bytes = 0
  const write = async (chunk: Buffer) => {
    await target.write(chunk)
    bytes += chunk.length
  }
  const written = await writeBackup(connectionString, write, progress, signal)
  signal.throwIfAborted()
  await target.finish()
  return { written, bytes }
}

/** A backup has an end mark, so the reader of the pipe detects an incomplete backup. */
function toStandardOutput(): BackupTarget {
  if (process.stdout.isTTY)
    throw new OperatorError(
      'Standard output is a terminal. Give a file, or pipe the backup into another program.',
    )
  return { write, finish: async () => {}, discard: async () => {} }
}

const inMegabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1)
