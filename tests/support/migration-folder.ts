import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Migration, readMigrations } from './source/database.ts'
import type { Scope } from './test-database.ts'

const OWN = new URL('../../src/platform/database/migrations/', import.meta.url)

/** The migrations of a next version: the current ones and the given ones, by file name. */
export async function migrationsWith(t: Scope, added: Record<string, string>): Promise<Migration[]> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-migrations-'))
  t.after(() => rm(folder, { recursive: true }))
  await cp(OWN, folder, { recursive: true })
  const url = pathToFileURL(`${folder}/`)
  let version = readMigrations(url).length
  for (const [name, text] of Object.entries(added)) {
    version++
    await writeFile(join(folder, `${String(version).padStart(4, '0')}-${name}.sql`), text)
  }
  return readMigrations(url)
}
