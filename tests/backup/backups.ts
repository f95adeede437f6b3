import { ask } from '../support/embedded-data-folder.ts'
import { writeBackup } from '../support/source/backup.ts'
import { createTestDatabase, type Scope } from '../support/test-database.ts'

const never = new AbortController().signal
const silent = { begin: () => {}, advance: () => {}, note: () => {} }

/** Options of a restore, without progress reports. */
export const quietly = { disablesWebhooks: false, report: () => {}, signal: never }

export const emptyDatabase = (t: Scope) => createTestDatabase(t, { migrated: false })

export async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

export async function backupOf(url: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  await writeBackup(url, async (piece) => void pieces.push(Buffer.from(piece)), silent, never)
  return Buffer.concat(pieces)
}

export const tablesIn = (url: string) =>
  ask(
    url,
    "SELECT relname FROM pg_class WHERE relkind IN ('r', 'S') AND relnamespace = 'public'::regnamespace",
  )
