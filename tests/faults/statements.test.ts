import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { NOT_STRUCK, STRUCK } from './statements.ts'

const STORAGE = fileURLToPath(new URL('../../src/storage', import.meta.url))
const NAMED = /^\s*(?:text: |const [A-Z_]+ = |return |[?:] )?`?-- (\w+)$/gm

test('every named statement of the service is struck by faults, or it is said why not', async () => {
  const notStruck = Object.values(NOT_STRUCK).flatMap((names) => names.split(' '))
  const found: string[] = []
  for await (const name of glob('**/*.ts', { cwd: STORAGE })) {
    const text = await readFile(`${STORAGE}/${name}`, 'utf8')
    for (const [, statement] of text.matchAll(NAMED)) found.push(statement as string)
  }
  assert.ok(found.length > 50, 'they are found')
  // Some have a name of their own for each part of the feed.
  const isStruck = (statement: string) =>
    STRUCK.some((name) => name === statement || name.startsWith(`${statement}_of_`))
  const missing = found.filter((statement) => !isStruck(statement) && !notStruck.includes(statement))
  assert.deepEqual(missing, [], 'add it to an operation of tests/faults/statements.ts')
  const gone = notStruck.filter((statement) => !found.includes(statement))
  assert.deepEqual(gone, [], 'these are no more')
})
