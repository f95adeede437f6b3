import { queryOn } from '../support/embedded-data-folder.ts'
import { writeBackup } from '../support/source/backup.ts'
import { createTestDatabase, type Scope } from '../support/test-database.ts'

const never = new AbortController().signal
const silent = { begin: () => {}, advance: () => {}, note: () => {} }

/** Options of a restore, without progress reports. */
export const silentOptions = { disablesWebhooks: false, report: () => {}, signal: never }

export const emptyDatabase = (t: Scope) => createTestDatabase(t, { migrated: false })

export async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

export async function createBackup(url: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  await writeBackup(url, async (chunk) => void chunks.push(Buffer.from(chunk)), silent, never)
  return Buffer.concat(chunks)
}

export const listTables = (url: string) =>
  queryOn(
    url,
    "SELECT relname FROM pg_class WHERE relkind IN ('r', 'S') AND relnamespace = 'public'::regnamespace",
  )
