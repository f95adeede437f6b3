import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

/* Every path in a document exists. After a move, the test lists the documents to change. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** In backquotes: a path that begins with a folder of the project, or a path or name of a source file. */
const PATH =
  /`((?:\.ci|bench|dashboard|deploy|docs|examples|scripts|simulate|src|tests)\/[\w./*-]*|[\w./-]+\.(?:tsx?|cjs|sql|sh))`/g
/** Files that the reader writes or that a run makes. */
const NOT_IN_REPOSITORY =
  /NNNN-what-it-does\.sql$|^(?:verify|chain)\.ts$|^bench\/results\/|^dashboard\/dist\//

const findFiles = async (pattern: string | string[]) => {
  const files: string[] = []
  for await (const file of glob(pattern, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] }))
    files.push(file)
  return files
}

const files = await findFiles([
  '*',
  '{.ci,bench,bin,dashboard,deploy,docs,examples,scripts,simulate,src,tests}/**',
])
const paths = new Set(files)
for (const file of files)
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) paths.add(folder)

/** A document may give only the end of a path, if its heading names the folder. */
function pathExists(name: string): boolean {
  const path = name.replace(/\/$/, '')
  return paths.has(path) || [...paths].some((other) => other.endsWith(`/${path}`))
}

test('every path in a document exists', async () => {
  // The change log names files of earlier versions.
  const documents = (await findFiles(['*.md', 'docs/**/*.md', 'bench/**/*.md'])).filter(
    (name) => name !== 'CHANGELOG.md',
  )
  assert.ok(documents.length > 50)
  const missing: string[] = []
  for (const document of documents.sort()) {
    const text = await readFile(`${ROOT}${document}`, 'utf8')
    for (const [, name = ''] of text.matchAll(PATH))
      if (!name.includes('*') && !NOT_IN_REPOSITORY.test(name) && !pathExists(name))
        missing.push(`${document}: ${name}`)
  }
  assert.deepEqual(missing, [])
})
