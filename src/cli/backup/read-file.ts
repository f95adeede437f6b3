import { OperatorError } from '../../kernel/operator-error.ts'
import { inputName, openInput, STANDARD_INPUT, statInput } from '../../platform/terminal/input-file.ts'

/** A backup that is read in pieces. */
export interface BackupSource {
  /** 0 for a pipe, whose size is unknown. */
  bytes: number
  pieces: AsyncGenerator<Buffer>
}

const PIECE_BYTES = 256 * 1024

/**
 * @param path "-" for standard input
 * @param advance hears how many bytes were read
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
  return { bytes: found.isFile() ? found.size : 0, pieces: readPieces(path, advance) }
}

async function* readPieces(path: string, advance: (bytes: number) => void): AsyncGenerator<Buffer> {
  try {
    for await (const piece of openInput(path, PIECE_BYTES)) {
      yield piece
      advance(piece.length)
    }
  } catch (error) {
    throw (error as { syscall?: unknown }).syscall ? unreadable(path, error) : error
  }
}

const unreadable = (path: string, error: unknown) =>
  new OperatorError(`The backup ${inputName(path)} cannot be read: ${(error as Error).message}`, {
    cause: error,
  })
