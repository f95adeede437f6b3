import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/*
 * Makes dist/, each file also compressed, as the service sends it. With --if-stale only where the source has changed since.
 *
 * It is not TypeScript and does nothing if its packages are missing (npm ci --omit=dev): an installation must not fail
 * under an older Node.
 */

const HERE = fileURLToPath(new URL('./', import.meta.url))
const DIST = `${HERE}dist/`
const COMPRESSED = /\.(?:html|js|css|svg)$/
/** Smaller files gain nothing. */
const LEAST_BYTES = 512

if (!process.argv.includes('--if-stale') || (await isStale())) await build()

/** By the times of what it is made of. Not by `glob`, which an older Node lacks. */
async function isStale() {
  const built = await stat(`${DIST}index.html`).catch(() => null)
  if (!built) return true
  const folders = ['src', 'public', '../src/kernel', '../src/core'].map(async (folder) => {
    const names = await readdir(HERE + folder, { recursive: true })
    return names.map((name) => `${folder}/${name}`)
  })
  const sources = [
    'index.html',
    'package.json',
    'vite.config.ts',
    '../package-lock.json',
    ...(await Promise.all(folders)).flat(),
  ]
  const files = await Promise.all(sources.map((path) => stat(HERE + path)))
  return files.some(({ mtimeMs }) => mtimeMs > built.mtimeMs)
}

async function build() {
  const vite = await import('vite').catch(() => null)
  if (!vite) {
    console.error('The dashboard is not built: its packages are not installed (npm ci without --omit=dev).')
    return
  }
  await vite.build({ configFile: `${HERE}vite.config.ts`, logLevel: 'warn' })
  const names = await readdir(DIST, { recursive: true })
  await Promise.all(names.filter((name) => COMPRESSED.test(name)).map((name) => compress(DIST + name)))
}

/** @param {string} file */
async function compress(file) {
  const bytes = await readFile(file)
  if (bytes.length < LEAST_BYTES) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }))
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
}
