import { execFileSync } from 'node:child_process'
import { cp, glob, rename, rm, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/*
 * Makes dist/, JavaScript that any Node runs as it is: for the npm package, where Node strips no types, and for
 * `npm start`, where the compiler that strips them would stay in memory.
 *
 *   node scripts/build.ts               and the dashboard's files with it
 *   node scripts/build.ts --if-stale    dist/ alone, and only where the source has changed since
 */

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
/** Beside its place first: a build that is cut off leaves nothing half-made there. */
const FRESH = at(`dist.new-${process.pid}`)

async function isStale(): Promise<boolean> {
  const built = await stat(at('dist/main.js')).catch(() => null)
  if (!built) return true
  for await (const path of glob(['package-lock.json', 'tsconfig*.json', 'src/**'], { cwd: at('.') })) {
    if ((await stat(at(path))).mtimeMs > built.mtimeMs) return true
  }
  return false
}

async function build(): Promise<void> {
  await rm(FRESH, { recursive: true, force: true })
  const tsc = [at('node_modules/typescript/bin/tsc'), '-p', at('tsconfig.build.json'), '--outDir', FRESH]
  execFileSync(process.execPath, tsc, { stdio: 'inherit' })
  await cp(at('src/storage/migrations'), `${FRESH}/storage/migrations`, { recursive: true })
  await rm(at('dist'), { recursive: true, force: true })
  await rename(FRESH, at('dist'))
}

if (!process.argv.includes('--if-stale')) {
  await build()
  execFileSync(process.execPath, [at('dashboard/build.js')], { stdio: 'inherit' })
} else if (await isStale()) await build()
