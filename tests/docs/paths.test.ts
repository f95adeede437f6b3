import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

/* Every file and folder of the project that a document names exists, so a move shows which documents to change. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** In backquotes: a path below a folder of the project, or the name of a source file, with folders before it or not. */
const NAMED =
  /`((?:\.ci|bench|dashboard|deploy|docs|examples|scripts|simulate|src|tests)\/[\w./*-]*|[\w./-]+\.(?:tsx?|cjs|sql|sh))`/g
/** What a document asks its reader to write, or what is made by a run. */
const NOT_OF_THE_PROJECT =
  /NNNN-what-it-does\.sql$|^(?:verify|chain)\.ts$|^bench\/results\/|^dashboard\/dist\//

const found = async (pattern: string | string[]) => {
  const files: string[] = []
  for await (const file of glob(pattern, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] }))
    files.push(file)
  return files
}

const files = await found([
  '*',
  '{.ci,bench,bin,dashboard,deploy,docs,examples,scripts,simulate,src,tests}/**',
])
const paths = new Set(files)
for (const file of files)
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) paths.add(folder)

/** A document may give only the end of a path, where its heading names the folder. */
function isThere(name: string): boolean {
  const path = name.replace(/\/$/, '')
  return paths.has(path) || [...paths].some((one) => one.endsWith(`/${path}`))
}

test('every file of the project that a document names is there', async () => {
  // What the change log names was there then.
  const documents = (await found(['*.md', 'docs/**/*.md', 'bench/**/*.md'])).filter(
    (name) => name !== 'CHANGELOG.md',
  )
  assert.ok(documents.length > 50)
  const gone: string[] = []
  for (const document of documents.sort()) {
    const text = await readFile(`${ROOT}${document}`, 'utf8')
    for (const [, name = ''] of text.matchAll(NAMED))
      if (!name.includes('*') && !NOT_OF_THE_PROJECT.test(name) && !isThere(name))
        gone.push(`${document}: ${name}`)
  }
  assert.deepEqual(gone, [])
})
