import { setPriority } from 'node:os'
import { withDatabase } from '../../app/backup/with-database.ts'
import { type WrittenBackup, writeBackup } from '../../app/backup/write-backup.ts'
import { readConfig } from '../../config.ts'
import { reportTo } from '../run-command.ts'
import { killedAfter, listenForStop } from '../stop-signal.ts'
import { type BackupTarget, backupToStream, createBackupFile } from './backup-file.ts'
import { contentsInWords } from './contents-in-words.ts'
import { Progress } from './progress.ts'

/** The service goes first. */
const NICENESS = 10

/** `claimkeeper backup`. @param path "-" for standard output */
export async function runBackup(path: string, mayReplace: boolean): Promise<void> {
  setPriority(NICENESS)
  const { databaseUrl, dataDir } = readConfig()
  const signal = listenForStop()
  const report = reportTo(process.stderr)
  const target = path === '-' ? backupToStream(process.stdout) : await createBackupFile(path, mayReplace)
  const progress = new Progress('Backing up')
  try {
    const work = withDatabase({ databaseUrl, dataDir, mayCreate: false, report, signal }, (database) =>
      writeTo(target, database.connectionString, progress, signal),
    )
    const { written, bytes } = await killedAfter(signal, work)
    progress.end()
    console.error(`The backup is ${path === '-' ? 'written' : `in ${path}`}, ${inMegabytes(bytes)} MB.`)
    console.error(contentsInWords(written))
    console.error('Keep it secret: it holds the hashes of passwords and tokens, and the keys of webhooks.')
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
  const write = async (piece: Buffer) => {
    await target.write(piece)
    bytes += piece.length
  }
  const written = await writeBackup(connectionString, write, progress, signal)
  signal.throwIfAborted()
  await target.finish()
  return { written, bytes }
}

const inMegabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1)
