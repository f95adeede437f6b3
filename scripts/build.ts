import { execFileSync } from 'node:child_process'
import { cp, glob, rm, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { replaceDirectory } from './replace-directory.ts'

/*
 * Bundles src/ and its packages into dist/: for the npm package, where Node strips no types, and for `npm start`, because
 * loading two thousand modules takes twice as long as a few.
 *
 *   node scripts/build.ts               and the dashboard's files with it
 *   node scripts/build.ts --if-stale    dist/ alone, and only where the source has changed since
 */

/** The first reads files of its package; the second is an optional addon that is not installed. */
const NOT_IN_IT = ['@scalar/fastify-api-reference', 'pg-native']

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
/** Beside its place first: a build that is cut off leaves nothing half-made there. */
const FRESH = at(`dist.new-${process.pid}`)

async function isStale(): Promise<boolean> {
  const built = await stat(at('dist/main.js')).catch(() => null)
  if (!built) return true
  for await (const path of glob(['package-lock.json', 'scripts/build.ts', 'src/**'], { cwd: at('.') })) {
    if ((await stat(at(path))).mtimeMs > built.mtimeMs) return true
  }
  return false
}

async function build(): Promise<void> {
  await rm(FRESH, { recursive: true, force: true })
  const bundle = await rolldown({ input: at('src/main.ts'), platform: 'node', external: NOT_IN_IT })
  await bundle.write({ dir: FRESH, format: 'esm', chunkFileNames: '[name]-[hash].js' })
  await bundle.close()
  await cp(at('src/platform/database/migrations'), `${FRESH}/platform/database/migrations`, {
    recursive: true,
  })
  await replaceDirectory(at('dist'), FRESH)
}

if (!process.argv.includes('--if-stale')) {
  await build()
  execFileSync(process.execPath, [at('dashboard/build.js')], { stdio: 'inherit' })
} else if (await isStale()) await build()
