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
 * Gives the data folder a new cluster, as a first start creates it. A copy takes a tenth of the time of initdb. For
 * tests that are not about the first start.
 */
export async function copyNewCluster(dataDir: string): Promise<void> {
  source ??= prepareSource()
  const cluster = await source
  await mkdir(dataDir)
  // As root, PostgreSQL runs as another user, who needs access.
  await chmod(dataDir, 0o755)
  // Keeps the owner.
  await promisify(execFile)('cp', ['-a', cluster, join(dataDir, 'postgres')])
}

/** Created once, and again if its options change. No server ever runs on it. */
async function prepareSource(): Promise<string> {
  const { version } = await findBinaries()
  const key = createHash('sha256')
    .update(await readFile(HOW_IT_IS_MADE))
    .update(version)
    .digest('hex')
  const folder = join(CACHE, `claimkeeper-new-cluster-${key.slice(0, 12)}`)
  return (await prepareCluster(folder, () => {}, new AbortController().signal)).dir
}
