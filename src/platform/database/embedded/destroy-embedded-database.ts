import { readdir, realpath, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { stopPostmaster } from './postmaster.ts'

/** Whoever used it has ended. */
const STOP_MS = 20_000
const OURS = /^postgres$|^postgres\.log(\.1)?$|^postgres\.new-\d+-[0-9a-f]+$/

/**
 * Stops the server of a data folder if one runs and removes all that `openEmbeddedDatabase` put there; the folder
 * too when nothing else is in it. The data is gone: for what was made on the way to something that failed, and for tests.
 */
export async function destroyEmbeddedDatabase(dataDir: string): Promise<void> {
  const dir = await realpath(join(dataDir, 'postgres')).catch(() => undefined)
  if (dir !== undefined) await stopPostmaster(dir, STOP_MS)
  for (const name of await readdir(dataDir).catch(() => [])) {
    if (OURS.test(name)) await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })
  }
  await rmdir(dataDir).catch(() => undefined)
}
