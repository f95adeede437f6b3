import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OverdueLag } from '../../src/checks/lag-store.ts'
import { contractWith } from '../support/contracts.ts'
import { startTestService } from '../support/test-service.ts'

const { app, api, sql } = await startTestService({ after })
const { id } = await api.claim(await api.customer('acme'), contractWith({ activity_window: 3600 }))
const dueSince = (seconds: number) =>
  sql(`UPDATE claims SET due_at = now() - $2 * interval '1 second' WHERE id = $1`, [id, seconds])

const near = (seconds: number, expected: number) =>
  assert.ok(seconds >= expected && seconds < expected + 60, `${seconds} s`)

test('the overdue lag is read, but not during a check', async () => {
  const overdue = new OverdueLag()
  assert.equal(await overdue.seconds(app.db), 0)
  await dueSince(3_000)
  near(await overdue.seconds(app.db), 3_000)
  await overdue.during(app.db, async () => {
    await dueSince(6_000)
    near(await overdue.seconds(app.db), 3_000)
  })
  near(await overdue.seconds(app.db), 6_000)
})

test('during a check, the lag starts from the oldest due claim and grows with time', async () => {
  const overdue = new OverdueLag()
  await dueSince(3_000)
  await overdue.during(app.db, async () => {
    const first = await overdue.seconds(app.db)
    near(first, 3_000)
    assert.ok((await overdue.seconds(app.db)) > first)
  })
})

test('after a failed check, the lag is read again', async () => {
  const overdue = new OverdueLag()
  await dueSince(-3_600)
  const failing = overdue.during(app.db, async () => {
    const first = await overdue.seconds(app.db)
    assert.ok(first > 0 && first < 60, `${first} s`)
    throw new Error('away')
  })
  await assert.rejects(failing, { message: 'away' })
  assert.equal(await overdue.seconds(app.db), 0)
})

test('if the lag cannot be read, the checks run, and the lag is estimated from the last reading', async () => {
  const overdue = new OverdueLag()
  await dueSince(3_000)
  near(await overdue.seconds(app.db), 3_000)
  const away = { query: () => Promise.reject(new Error('away')) } as unknown as typeof app.db
  await overdue.during(away, async () => near(await overdue.seconds(app.db), 3_000))
})
