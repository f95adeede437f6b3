import { execFileSync } from 'node:child_process'
import { cp, glob, rm, stat } from 'node:fs/promises'
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
const NOT_IN_IT = [/^node:/, '@scalar/fastify-api-reference', 'pg-native']

/**
 * V8 keeps the text of all that it runs, two bytes for each character if one of them is beyond Latin-1. Names and lines stay,
 * for traces of errors. Licences stand in the packages, which the npm package has beside it.
 */
const SHORT = {
  comments: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
} as const

/** Of undici, what sends requests: its index brings fetch, WebSockets, caches and mocks along. */
const UNDICI_INDEX = /\/undici\/index\.js$/
const SENDS_REQUESTS = `
  Object.assign(require('./lib/dispatcher/dispatcher').prototype, { request: require('./lib/api/api-request') })
  exports.Agent = require('./lib/dispatcher/agent')
  exports.buildConnector = require('./lib/core/connect')
  exports.errors = require('./lib/core/errors')
`
const lessOfUndici: Plugin = {
  name: 'less-of-undici',
  transform: { filter: { id: UNDICI_INDEX }, handler: () => SENDS_REQUESTS },
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
    plugins: [lessOfUndici],
  })
  await bundle.write({ dir: FRESH, format: 'esm', chunkFileNames: '[name]-[hash].js', ...SHORT })
  await bundle.close()
  await cp(at('src/storage/migrations'), `${FRESH}/storage/migrations`, { recursive: true })
  await replaceDirectory(at('dist'), FRESH)
}

if (!process.argv.includes('--if-stale')) {
  await build()
  execFileSync(process.execPath, [at('dashboard/build.js')], { stdio: 'inherit' })
} else if (await isStale()) await build()
