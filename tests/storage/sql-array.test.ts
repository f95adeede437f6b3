import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { textArray } from '../../src/storage/database/sql-array.ts'
import { HOSTILE_STRINGS } from '../support/hostile-strings.ts'
import { createTestDatabase } from '../support/test-database.ts'

const client = new pg.Client({ connectionString: await createTestDatabase({ after }) })
client.on('error', () => {})
await client.connect()
after(() => client.end())

async function comesBack(texts: string[]): Promise<void> {
  const { rows } = await client.query('SELECT $1::text[] AS texts', [textArray(texts)])
  assert.deepEqual(rows[0].texts, texts)
}

test('an array of texts comes to PostgreSQL as it is, whatever they hold', async () => {
  await comesBack([])
  await comesBack([
    '',
    'NULL',
    '{}',
    '{"a":1}',
    ',',
    '"',
    '\\',
    '\\"',
    '\n',
    '\t\b\f\r',
    '\u2028\u2029',
    '\u007f',
  ])
  await comesBack(HOSTILE_STRINGS)
  for (const text of HOSTILE_STRINGS) await comesBack([text, JSON.stringify({ [text]: text })])
  const text = fc.string({ unit: 'binary' }).map((some) => some.replaceAll('\0', ''))
  await fc.assert(fc.asyncProperty(fc.array(text), comesBack), { numRuns: 300 })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.json()), (payloads) =>
      comesBack(payloads.map((payload) => payload.replaceAll('\0', ''))),
    ),
  )
})

test('half a surrogate pair is left to the driver, as ever', () => {
  const texts = ['\ud800']
  assert.equal(textArray(texts), texts)
})
