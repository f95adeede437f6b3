import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { parseTime, TYPES } from '../../src/platform/database/parse-time.ts'
import { createTestDatabase } from '../support/test-database.ts'

const TIMESTAMPTZ = pg.types.builtins.TIMESTAMPTZ
const ofDriver = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => unknown

test('times are read as the driver reads them, in any form that PostgreSQL writes', async (t) => {
  const client = new pg.Client({ connectionString: await createTestDatabase(t) })
  // The database may be dropped under it.
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  const microseconds = fc.bigInt({ min: -62_000_000_000_000_000n, max: 300_000_000_000_000_000n })
  const times = fc.sample(microseconds, 500).map(String)
  const edges = [
    '-infinity',
    'infinity',
    '0044-03-15 BC',
    '0001-01-01Z',
    '0099-12-31T23:59:59.999999Z',
    '0100-01-01Z',
    '9999-12-31T23:59:59.9Z',
    '10000-01-01Z',
    '2024-02-29T12:00:00.5Z',
  ]
  for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'Africa/Monrovia']) {
    await client.query(`SET timezone = '${zone}'`)
    const { rows } = await client.query<{ text: string }>(
      `SELECT at::text AS text FROM (
         SELECT to_timestamp(0) + micros::bigint * interval '1 microsecond' AS at FROM unnest($1::text[]) AS micros
         UNION ALL SELECT date_trunc('second', to_timestamp(0) + micros::bigint * interval '1 microsecond') FROM unnest($1::text[]) AS micros
         UNION ALL SELECT edge::timestamptz FROM unnest($2::text[]) AS edge
       ) AS times`,
      [times, edges],
    )
    assert.equal(rows.length, 2 * times.length + edges.length)
    for (const { text } of rows) assert.deepEqual(parseTime(text), ofDriver(text), text)
  }
})

test('no other type is read otherwise', () => {
  for (const oid of Object.values(pg.types.builtins)) {
    if (oid === TIMESTAMPTZ) continue
    assert.equal(TYPES.getTypeParser(oid, 'text'), pg.types.getTypeParser(oid, 'text'))
  }
  assert.equal(TYPES.getTypeParser(TIMESTAMPTZ, 'binary'), pg.types.getTypeParser(TIMESTAMPTZ, 'binary'))
})
