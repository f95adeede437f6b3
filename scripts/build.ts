import { execFileSync } from 'node:child_process'
import { cp, glob, rm, stat } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { replaceDirectory } from './replace-directory.ts'

/*
 * Makes dist/, JavaScript that any Node runs as it is: for the npm package, where Node strips no types, and for
 * `npm start`, where the compiler that strips them would stay in memory. The packages that it uses are in it: to find and
 * load two thousand modules takes longer, and more memory, than a few.
 *
 *   node scripts/build.ts               and the dashboard's files with it
 *   node scripts/build.ts --if-stale    dist/ alone, and only where the source has changed since
 */

/** What looks for files of its own, and what nobody has. */
const NOT_IN_IT = ['@scalar/fastify-api-reference', 'pg-native']

/**
 * V8 keeps the text of all that it runs, two bytes for each character if one of them is beyond Latin-1. Names and lines stay,
 * for traces of errors. Licences stand in the packages, which the npm package has beside it.
 */
const SHORT = {
  comments: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
} as const

const OF_NODE = '\0node:'
/**
 * Whoever imports a module of Node's has Node ask for all that it exports; that of `node:http` loads a WebSocket and a fetch, eleven
 * megabytes. This asks for what is used.
 */
const modulesOfNode: Plugin = {
  name: 'modules-of-node',
  // But for what the bundle begins with, which this needs.
  resolveId: (id, importer) =>
    isBuiltin(id) && !importer?.startsWith('\0rolldown/') ? OF_NODE + id.replace(/^node:/, '') : null,
  load: (id) =>
    id.startsWith(OF_NODE) ? `module.exports = process.getBuiltinModule('${id.slice(1)}')` : null,
}

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
  const bundle = await rolldown({
    input: at('src/main.ts'),
    platform: 'node',
    external: NOT_IN_IT,
    plugins: [modulesOfNode],
  })
  const codeSplitting = { groups: [{ name: 'node', test: (id: string) => id.startsWith(OF_NODE) }] }
  await bundle.write({
    dir: FRESH,
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting,
    ...SHORT,
  })
  await bundle.close()
  await cp(at('src/storage/migrations'), `${FRESH}/storage/migrations`, { recursive: true })
  await replaceDirectory(at('dist'), FRESH)
}

if (!process.argv.includes('--if-stale')) {
  await build()
  execFileSync(process.execPath, [at('dashboard/build.js')], { stdio: 'inherit' })
} else if (await isStale()) await build()
