import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { prepareCluster } from '../../src/platform/database/embedded/cluster.ts'
import { findBinaries } from './source/embedded.ts'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))
const HOW_IT_IS_MADE = new URL('../../src/platform/database/embedded/create-cluster.ts', import.meta.url)
let source: Promise<string> | undefined

/**
 * Gives the data folder a cluster as a first start makes it, on which no server has run. To make one costs ten times
 * what a copy does: for the tests that are about something else than the first start.
 */
export async function copyNewCluster(dataDir: string): Promise<void> {
  source ??= prepareSource()
  const cluster = await source
  await mkdir(dataDir)
  // Root's PostgreSQL runs as another user, who must get in.
  await chmod(dataDir, 0o755)
  // With its owner.
  await promisify(execFile)('cp', ['-a', cluster, join(dataDir, 'postgres')])
}

/** Made once, and again when it would be made otherwise. No server ever runs on it. */
async function prepareSource(): Promise<string> {
  const { version } = await findBinaries()
  const key = createHash('sha256')
    .update(await readFile(HOW_IT_IS_MADE))
    .update(version)
    .digest('hex')
  const folder = join(CACHE, `claimkeeper-new-cluster-${key.slice(0, 12)}`)
  return (await prepareCluster(folder, () => {}, new AbortController().signal)).dir
}
