import { resolve } from 'node:path'
import { restoreInto } from '../../backup/restore-backup.ts'
import { readConfig } from '../../config/config.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { inputName, openInput, STANDARD_INPUT, statInput } from '../../platform/terminal/input-file.ts'
import { reportChange } from '../../platform/terminal/output.ts'
import { listenForStop, withStopTimeout } from '../../platform/terminal/stop-signal.ts'
import { READ_CHUNK_BYTES } from '../limits.ts'
import { contentsInWords, Progress } from './progress.ts'

/** `claimkeeper restore`. */
export async function runRestore(
  path: string,
  { disablesWebhooks }: { disablesWebhooks: boolean },
): Promise<void> {
  const { databaseUrl, dataDir } = readConfig()
  const signal = listenForStop()
  const progress = new Progress('Restoring')
  const source = await openBackup(path, (bytes) => progress.advance(bytes))
  progress.begin(source.bytes)
  try {
    const report = (step: string) => progress.note(step)
    const work = restoreInto({ databaseUrl, dataDir }, source.chunks, { disablesWebhooks, report, signal })
    const restored = await withStopTimeout(signal, work)
    progress.end()
    const where = databaseUrl === null ? `in ${resolve(dataDir)}` : `at ${new URL(databaseUrl).host}`
    await reportChange(
      [
        `The backup is restored, into the database ${where}.`,
        contentsInWords(restored),
        'Tokens that were revoked after the backup are valid again. All users must sign in again.',
      ].join('\n'),
    )
  } finally {
    progress.end()
  }
}

/** A backup that is read in chunks. */
interface BackupSource {
  /** 0 for a pipe, whose size is unknown. */
  bytes: number
  chunks: AsyncGenerator<Buffer>
}

/**
 * @param path "-" for standard input
 * @param advance receives the number of bytes of each chunk
 * @throws OperatorError if there is no such file
 */
export async function openBackup(path: string, advance: (bytes: number) => void): Promise<BackupSource> {
  const found = await statInput(path).catch((error) => {
    throw unreadable(path, error)
  })
  if (found.isDirectory()) throw new OperatorError(`${inputName(path)} is a folder, not a backup.`)
  if (path === STANDARD_INPUT && process.stdin.isTTY)
    throw new OperatorError(
      'Standard input is a terminal. Give a file, or pipe the backup into this command.',
    )
  return { bytes: found.isFile() ? found.size : 0, chunks: readChunks(path, advance) }
}

async function* readChunks(path: string, advance: (bytes: number) => void): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of openInput(path, READ_CHUNK_BYTES)) {
      yield chunk
      advance(chunk.length)
    }
  } catch (error) {
    throw (error as { syscall?: unknown }).syscall ? unreadable(path, error) : error
  }
}

const unreadable = (path: string, error: unknown) =>
  new OperatorError(`The backup ${inputName(path)} cannot be read: ${(error as Error).message}`, {
    cause: error,
  })
