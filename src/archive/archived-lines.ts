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
import { claimPrefix } from './archived-record.ts'
import { MIN_ORPHAN_AGE_MS } from './limits.ts'

const NEWLINE = 0x0a

/** An archived claim: its record in the database and its line in the file. */
interface FoundLine {
  archived: ArchivedClaim
  file: ArchiveFile
  line: string
}

/**
 * The line of a claim or candidate of any account, in the file to which it was last archived.
 * @throws OperatorError if it was never archived, or if the file is missing or was changed
 */
export async function findArchivedLine(app: App, folder: string, address: ClaimAddress): Promise<FoundLine> {
  const id = claimIdOf(address)
  const [archived] = await findArchivedClaims(app.db, [id])
  if (!archived) throw new OperatorError(`No ${describeAddress(address)} is in the archive.`)
  const [file] = await findArchiveFiles(app.db, [archived.fileId])
  if (!file)
    throw new OperatorError(`The database does not know the file of the ${describeAddress(address)}.`)
  const path = join(folder, file.path)
  await requireHash(path, file.sha256)
  // Not a pipeline: reading stops once the line is found.
  const source = createReadStream(path).on('error', (error) => input.destroy(error))
  const input = source.pipe(createGunzip()).on('error', () => {})
  try {
    const line = await findLine(input, Buffer.from(claimPrefix(id)))
    if (line !== null) return { archived, file, line }
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${(error as Error).message}.`, { cause: error })
  } finally {
    source.destroy()
  }
  throw new OperatorError(`${path} has no ${describeAddress(address)}.`)
}

/**
 * The line that begins with these bytes. Only U+000A ends a line, unlike in Node's readline, and other lines are not kept in
 * memory: a line may have 64 MiB.
 */
async function findLine(chunks: AsyncIterable<Buffer>, prefix: Buffer): Promise<string | null> {
  /** The parts of the current line. Empty if the line does not match. */
  let parts: Buffer[] = []
  /** Null until enough of the line was read. */
  let isMatch: boolean | null = null
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, at)
      const end = newline < 0 ? chunk.length : newline
      if (isMatch !== false) parts.push(chunk.subarray(at, end))
      if (isMatch === null) {
        const read = Buffer.concat(parts)
        if (read.length >= prefix.length || newline >= 0)
          isMatch = read.subarray(0, prefix.length).equals(prefix)
      }
      if (newline >= 0 && isMatch) return Buffer.concat(parts).toString()
      if (newline >= 0 || isMatch === false) parts = []
      if (newline >= 0) isMatch = null
      at = end + 1
    }
  }
  return null
}

export const describeAddress = (address: ClaimAddress): string =>
  address.kind === 'claim'
    ? `claim with the ID ${address.id}`
    : `candidate with the alias ${JSON.stringify(address.alias)}`

export const listArchive = (app: App): Promise<ArchiveFile[]> => listArchiveFiles(app.db)

interface ArchiveFaults {
  files: number
  /** A sentence for each missing, unreadable or changed file. */
  faults: string[]
  /** Paths of files that the database does not know. They may be deleted. */
  orphans: string[]
}

/** Whether the file is so old that no server is about to record it. */
async function isOld(file: string): Promise<boolean> {
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
  return mtimeMs < Date.now() - MIN_ORPHAN_AGE_MS
}

/** Reads all files of the archive and compares them with the database's records. */
export async function checkArchive(app: App, folder: string): Promise<ArchiveFaults> {
  const faults: string[] = []
  const found = new Set<string>()
  for (const year of await readdir(folder, { withFileTypes: true })) {
    if (!year.isDirectory()) continue
    for (const name of await readdir(join(folder, year.name))) {
      const path = join(year.name, name)
      if (await isOld(join(folder, path))) found.add(path)
    }
  }
  const files = await listArchiveFiles(app.db)
  for (const { path, sha256 } of files) {
    found.delete(path)
    await requireHash(join(folder, path), sha256).catch((error: Error) => faults.push(error.message))
  }
  return { files: files.length, faults, orphans: [...found].sort() }
}
