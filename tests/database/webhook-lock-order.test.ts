import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import pg from 'pg'
import { eventually } from '../support/eventually.ts'
import { sharedService } from '../support/shared.ts'
import type { Connection } from '../support/source/database.ts'
import { recordAttempts, redeliverBatch, removeDeliveries } from '../support/source/webhooks.ts'

/* Who changes several deliveries locks them in the order of their numbers: two who do so never wait for each other in a circle. */

const service = await sharedService()
const FROM = new Date(0)
const TO = new Date(Date.now() + 86_400_000)

const attemptOf = (number: number) => ({
  due: { number, attempts: 0, redeliveryRequests: 0 },
  agoMs: 5,
  durationMs: 5,
  status: 200,
  answer: '',
  error: null,
  nextStatus: 'succeeded' as const,
  waitMs: null,
})

const WRITERS: Record<string, (db: Connection, id: string) => Promise<unknown>> = {
  'attempts that are written down': (db, id) => recordAttempts(db, id, [3, 2, 1].map(attemptOf)),
  'deliveries that are asked for again': (db, id) =>
    redeliverBatch(db, id, { from: FROM, to: TO, status: null, after: 0 }),
  'deliveries that are removed': (db, id) => removeDeliveries(db, id, null),
}

/** For rows that others have locked; other databases of the server have such sessions too. */
const WAITING = `SELECT count(*)::integer AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event = 'transactionid'`

describe('deliveries are locked in the order of their numbers', () => {
  for (const [what, write] of Object.entries(WRITERS)) {
    test(`by ${what}`, async (t) => {
      const id = randomUUID()
      // Stored the other way round.
      await service.sql(
        `INSERT INTO webhook_deliveries (endpoint_id, number, notification_id, subject_id, type, created_at, body, bytes,
           hash, previous_hash, next_attempt_at)
         SELECT $1, 5001 - n, $1, $1, 'claim.created', now(), '{}', 2, '', '', now() FROM generate_series(1, 5000) AS n`,
        [id],
      )
      await service.sql('ANALYZE webhook_deliveries')
      const client = new pg.Client({ connectionString: service.databaseUrl })
      await client.connect()
      t.after(() => client.end())
      const lock = (number: number) =>
        client.query(
          'SELECT number FROM webhook_deliveries WHERE endpoint_id = $1 AND number = $2 FOR UPDATE NOWAIT',
          [id, number],
        )
      await client.query('BEGIN')
      await lock(2)
      const writing = write(service.app.db, id)
      await eventually(async () => {
        const [row] = await service.sql(WAITING)
        return row?.waiting === 1
      })
      await lock(3)
      await client.query('COMMIT')
      await writing
    })
  }

  test('by an answer that comes when the delivery was just asked for again: it waits on', async (t) => {
    const id = randomUUID()
    await service.sql(
      `INSERT INTO webhook_deliveries (endpoint_id, number, notification_id, subject_id, type, created_at, body, bytes,
         hash, previous_hash, next_attempt_at)
       VALUES ($1, 1, $1, $1, 'claim.created', now(), '{}', 2, '', '', now())`,
      [id],
    )
    const client = new pg.Client({ connectionString: service.databaseUrl })
    await client.connect()
    t.after(() => client.end())
    await client.query('BEGIN')
    await client.query('UPDATE webhook_deliveries SET tries = 0, asked = asked + 1 WHERE endpoint_id = $1', [
      id,
    ])
    const writing = recordAttempts(service.app.db, id, [attemptOf(1)])
    await eventually(async () => {
      const [row] = await service.sql(WAITING)
      return row?.waiting === 1
    })
    await client.query('COMMIT')
    await writing
    const rows = await service.sql(
      'SELECT status, attempts, tries FROM webhook_deliveries WHERE endpoint_id = $1',
      [id],
    )
    assert.deepEqual(rows, [{ status: 'waiting', attempts: 1, tries: 0 }])
  })
})
