import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { OperatorError } from '../../operator-error.ts'

/** A backup's file as it is read, piece by piece. */
export interface BackupSource {
  bytes: number
  pieces: AsyncGenerator<Buffer>
}

const PIECE_BYTES = 256 * 1024

/**
 * @param advance hears how many bytes were read
 * @throws OperatorError if there is no such file
 */
export async function openBackup(path: string, advance: (bytes: number) => void): Promise<BackupSource> {
  const found = await stat(path).catch((error) => {
    throw unreadable(path, error)
  })
  if (!found.isFile()) throw new OperatorError(`${path} is no file.`)
  return { bytes: found.size, pieces: readPieces(path, advance) }
}

async function* readPieces(path: string, advance: (bytes: number) => void): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
      yield piece
      advance(piece.length)
    }
  } catch (error) {
    throw (error as { syscall?: unknown }).syscall ? unreadable(path, error) : error
  }
}

const unreadable = (path: string, error: unknown) =>
  new OperatorError(`The backup ${path} cannot be read: ${(error as Error).message}`, { cause: error })
