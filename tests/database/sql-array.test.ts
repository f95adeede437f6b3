import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { textArray } from '../../src/platform/database/sql-array.ts'
import { HOSTILE_STRINGS } from '../support/hostile-strings.ts'
import { text } from '../support/json-arbitraries.ts'
import { createTestDatabase } from '../support/test-database.ts'

const client = new pg.Client({ connectionString: await createTestDatabase({ after }) })
client.on('error', () => {})
await client.connect()
after(() => client.end())

/** In one statement. */
async function comeBack(arrays: string[][]): Promise<void> {
  const columns = arrays.map((_, i) => `$${i + 1}::text[] AS "${i}"`)
  const { rows } = await client.query(`SELECT ${columns}`, arrays.map(textArray))
  assert.deepEqual(Object.values(rows[0]), arrays)
}

test('an array of any texts reaches PostgreSQL unchanged', async () => {
  await comeBack([
    [],
    ['', 'NULL', '{}', '{"a":1}', ',', '"', '\\', '\\"', '\n', '\t\b\f\r', '\u2028\u2029', '\u007f'],
    HOSTILE_STRINGS,
    ...HOSTILE_STRINGS.map((text) => [text, JSON.stringify({ [text]: text })]),
  ])
  const json = fc.json().map((some) => some.replaceAll('\0', ''))
  const arrays = fc.array(fc.oneof(fc.array(text), fc.array(json)), { minLength: 1, maxLength: 40 })
  await fc.assert(fc.asyncProperty(arrays, comeBack), { numRuns: 30 })
})

test('half a surrogate pair is left to the driver, as ever', () => {
  const texts = ['\ud800']
  assert.equal(textArray(texts), texts)
})
