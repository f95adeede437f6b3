import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchRevocations } from '../../src/accounts/revocation-store.ts'
import { eventually } from '../support/eventually.ts'
import { Database } from '../support/source/database.ts'
import { createTestDatabase } from '../support/test-database.ts'

const LATEST = 1_020
const TIMEOUT_MS = 30_000

test('concurrent revocations are acknowledged one after another: the driver never queues statements', async (t) => {
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => void warnings.push(message)
  process.on('warning', onWarning)
  const db = new Database({ connectionString: await createTestDatabase(t), poolSize: 12 })
  const received: number[] = []
  const watch = await watchRevocations(
    db,
    (hash) => void received.push(hash[0] as number),
    () => {},
  )
  t.after(async () => {
    process.off('warning', onWarning)
    await watch.close()
    await db.close()
  })

  // One transaction: all arrive together.
  await db.query({
    name: 'tell_of_many',
    text: `SELECT pg_notify('claimkeeper_revocations', n || ' ' || lpad(to_hex(n - 1000), 2, '0'))
           FROM generate_series(1001, ${LATEST}) n ORDER BY n`,
  })
  await watch.catchUp(TIMEOUT_MS)

  assert.deepEqual(
    received,
    Array.from({ length: 20 }, (_, i) => i + 1),
  )
  await eventually(async () => (await lockedNumbers(db)).join() === `${LATEST}`)
  assert.deepEqual(warnings, [])
})

async function lockedNumbers(db: Database): Promise<number[]> {
  const rows = await db.query<{ number: number }>({
    name: 'find_locked_numbers',
    text: `SELECT objid::integer AS number FROM pg_locks
           WHERE locktype = 'advisory' AND classid = 1129011299 AND objid > 1000
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  })
  return rows.map(({ number }) => number)
}
