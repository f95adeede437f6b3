import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import type { App } from '../app.ts'
import {
  type ArchivedClaim,
  type ArchiveFile,
  findArchivedClaims,
  findArchiveFiles,
  listArchiveFiles,
} from '../claims/archived/archived-claim-store.ts'
import { claimIdOf } from '../claims/claim-ids.ts'
import type { ClaimAddress } from '../core/claims/claim.ts'
import { OperatorError } from '../kernel/operator-error.ts'
import { requireHash } from './archive-file.ts'
import { firstOfLine } from './archived-record.ts'

const NEWLINE = 0x0a
/** A file is noted long before. */
const WRITTEN_WITHIN_MS = 3_600_000

/** A claim in the archive: what the database says of it, and its line in the file. */
export interface FoundLine {
  archived: ArchivedClaim
  file: ArchiveFile
  line: string
}

/**
 * The line of this claim or candidate of any account, in the file where it is, or last was.
 * @throws OperatorError if it was never archived, or the file is gone or was changed
 */
export async function findArchivedLine(app: App, folder: string, address: ClaimAddress): Promise<FoundLine> {
  const id = claimIdOf(address)
  const [archived] = await findArchivedClaims(app.db, [id])
  if (!archived) throw new OperatorError(`No ${nameOf(address)} is in the archive.`)
  const [file] = await findArchiveFiles(app.db, [archived.fileId])
  if (!file) throw new OperatorError(`The database does not know the file of the ${nameOf(address)}.`)
  const path = join(folder, file.path)
  await requireHash(path, file.sha256)
  // Let go as soon as it is found.
  const source = createReadStream(path).on('error', (error) => input.destroy(error))
  const input = source.pipe(createGunzip()).on('error', () => {})
  try {
    const line = await findLine(input, Buffer.from(firstOfLine(id)))
    if (line !== null) return { archived, file, line }
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${(error as Error).message}.`, { cause: error })
  } finally {
    source.destroy()
  }
  throw new OperatorError(`${path} has no ${nameOf(address)}.`)
}

/** The line that begins so, to its end: a newline, and nothing else that Unicode or others take for one. */
async function findLine(pieces: AsyncIterable<Buffer>, beginning: Buffer): Promise<string | null> {
  /** Of the line that is being read, if it is the one, or may be. */
  let held: Buffer[] = []
  let isSought: boolean | null = null
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const newline = piece.indexOf(NEWLINE, at)
      const end = newline < 0 ? piece.length : newline
      if (isSought !== false) held.push(piece.subarray(at, end))
      if (isSought === null) {
        const read = Buffer.concat(held)
        if (read.length >= beginning.length || newline >= 0)
          isSought = read.subarray(0, beginning.length).equals(beginning)
      }
      if (newline >= 0 && isSought) return Buffer.concat(held).toString()
      if (newline >= 0 || isSought === false) held = []
      if (newline >= 0) isSought = null
      at = end + 1
    }
  }
  return null
}

export const nameOf = (address: ClaimAddress): string =>
  address.kind === 'claim'
    ? `claim with the id ${address.id}`
    : `candidate with the alias ${JSON.stringify(address.alias)}`

export const listArchive = (app: App): Promise<ArchiveFile[]> => listArchiveFiles(app.db)

export interface ArchiveFaults {
  files: number
  /** What is wrong, a sentence for each file. */
  faults: string[]
  /** Paths of files of over an hour ago that no claim is in by the database's word: they may be deleted. */
  spare: string[]
}

/** Whether no server can be at it any more, or about to note it. */
async function isLeft(file: string): Promise<boolean> {
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
  return mtimeMs < Date.now() - WRITTEN_WITHIN_MS
}

/** Reads all files of the archive, and compares them with what the database knows. */
export async function checkArchive(app: App, folder: string): Promise<ArchiveFaults> {
  const faults: string[] = []
  const found = new Set<string>()
  for (const year of await readdir(folder, { withFileTypes: true })) {
    if (!year.isDirectory()) continue
    for (const name of await readdir(join(folder, year.name))) {
      const path = join(year.name, name)
      if (await isLeft(join(folder, path))) found.add(path)
    }
  }
  const files = await listArchiveFiles(app.db)
  for (const { path, sha256 } of files) {
    found.delete(path)
    await requireHash(join(folder, path), sha256).catch((error: Error) => faults.push(error.message))
  }
  return { files: files.length, faults, spare: [...found].sort() }
}
