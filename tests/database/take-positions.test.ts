import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import pg from 'pg'
import { TAKE_LIVE_POSITIONS } from '../../src/claims/insert-claims-store.ts'
import { eventually } from '../support/eventually.ts'
import { createTestDatabase } from '../support/test-database.ts'

const databaseUrl = await createTestDatabase({ after })

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  after(() => client.end())
  return client
}

test('claims of several accounts have a time that is taken behind all of their insert barriers', async () => {
  const [slow, reader, both, other] = await Promise.all([connect(), connect(), connect(), connect()])
  const accounts = [randomUUID(), randomUUID()]
  // The order in which the insert barriers are entered.
  const { rows: inOrder } = await slow.query(
    'SELECT id FROM unnest($1::uuid[]) AS id ORDER BY hashtext(id::text)',
    [accounts],
  )
  const [first, second] = inOrder.map(({ id }) => id as string)
  const take = (client: pg.Client, ...ids: (string | undefined)[]) =>
    client.query<{ now: Date }>(TAKE_LIVE_POSITIONS, ['claims', ids])
  const waiting = (count: number) =>
    eventually(async () => {
      const { rows } = await other.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
      )
      return rows.length === count
    })

  await slow.query('BEGIN')
  await take(slow, first)
  const reading = reader.query('SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', ['claims', first])
  await waiting(1)
  await both.query('BEGIN')
  const late = take(both, first, second)
  await waiting(2)
  const shown = (await take(other, second)).rows[0]
  await slow.query('COMMIT')
  await reading
  const { rows } = await late
  await both.query('COMMIT')
  assert.equal(rows.length, 2)
  assert.ok(shown && rows.every(({ now }) => now >= shown.now), 'nobody comes before what was shown')
})
