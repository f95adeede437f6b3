import { cp, glob, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { billOfMaterials, licensesText, mergePackages, readPackages } from './bundled-packages.ts'
import { replaceDirectory } from './replace-directory.ts'

/*
 * Bundles src/ and its packages into dist/: for the npm package, which contains no other code, and for `npm start`, because
 * loading two thousand modules takes twice as long as loading a few.
 *
 *   node scripts/build.ts
 *   node scripts/build.ts --if-stale    only if a source has changed since
 */

/** An optional addon that is not installed. */
const EXTERNAL = ['pg-native']
/** Vite's list of the packages in the dashboard's scripts. Missing if the dashboard is not built. */
const DASHBOARD_LICENSES = 'dashboard/dist/licenses.json'
/** Of the dashboard's styles. */
const STYLES = 'node_modules/tailwindcss/index.css'
const SOURCES = ['package-lock.json', 'scripts/{build,bundled-packages}.ts', DASHBOARD_LICENSES, 'src/**']

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
/** Beside its place first: a build that is cut off leaves nothing half-made there. */
const FRESH = at(`dist.new-${process.pid}`)

async function isStale(): Promise<boolean> {
  const built = await stat(at('dist/main.js')).catch(() => null)
  if (!built) return true
  for await (const path of glob(SOURCES, { cwd: at('.') })) {
    if ((await stat(at(path))).mtimeMs > built.mtimeMs) return true
  }
  return false
}

async function build(): Promise<void> {
  await rm(FRESH, { recursive: true, force: true })
  const bundle = await rolldown({ input: at('src/main.ts'), platform: 'node', external: EXTERNAL })
  const { output } = await bundle.write({ dir: FRESH, format: 'esm', chunkFileNames: '[name]-[hash].js' })
  await bundle.close()
  await cp(at('src/platform/database/migrations'), `${FRESH}/platform/database/migrations`, {
    recursive: true,
  })
  await writeNotices(output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])))
  await replaceDirectory(at('dist'), FRESH)
}

/** What a distributor owes for the code of others: licences and a bill of materials, the dashboard's packages included. */
async function writeNotices(moduleIds: readonly string[]): Promise<void> {
  const dashboard = await readFile(at(DASHBOARD_LICENSES), 'utf8').catch(() => '[]')
  const packages = mergePackages(await readPackages([...moduleIds, at(STYLES)]), JSON.parse(dashboard))
  const { name, version } = JSON.parse(await readFile(at('package.json'), 'utf8'))
  await writeFile(`${FRESH}/licenses.txt`, licensesText(packages))
  await writeFile(`${FRESH}/sbom.cdx.json`, JSON.stringify(billOfMaterials(name, version, packages), null, 2))
}

if (!process.argv.includes('--if-stale') || (await isStale())) await build()
