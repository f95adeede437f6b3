import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import type { ClaimAddress } from '../../domain/claims/claim.ts'
import { OperatorError } from '../../operator-error.ts'
import { type ArchiveFile, findArchiveFiles, listArchiveFiles } from '../../storage/archive/archive-files.ts'
import { type ArchivedClaim, findArchivedClaims } from '../../storage/archive/archived-claims.ts'
import { claimIdOf } from '../../storage/claims/candidate-id.ts'
import type { App } from '../app.ts'
import { requireHash } from './archive-file.ts'
import { isLineOf } from './archived-record.ts'

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
  const source = createReadStream(path).on('error', () => {})
  const input = source.pipe(createGunzip()).on('error', () => {})
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      if (isLineOf(line, id)) return { archived, file, line }
  } finally {
    source.destroy()
  }
  throw new OperatorError(`${path} has no ${nameOf(address)}.`)
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
  /** Paths of files that no claim is in by the database's word: they may be deleted. */
  spare: string[]
}

/** Reads all files of the archive, and compares them with what the database knows. */
export async function checkArchive(app: App, folder: string): Promise<ArchiveFaults> {
  const faults: string[] = []
  const found = new Set<string>()
  for (const year of await readdir(folder, { withFileTypes: true })) {
    if (!year.isDirectory()) continue
    for (const name of await readdir(join(folder, year.name))) found.add(join(year.name, name))
  }
  const files = await listArchiveFiles(app.db)
  for (const { path, sha256 } of files) {
    found.delete(path)
    await requireHash(join(folder, path), sha256).catch((error: Error) => faults.push(error.message))
  }
  return { files: files.length, faults, spare: [...found].sort() }
}
