import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstCheckFrom } from '../support/check-time.ts'
import { contractWith } from '../support/contracts.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { movedBy } from '../support/moved-times.ts'
import { newCandidate, newCustomer } from '../support/new-records.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { startTestService } from '../support/test-service.ts'
import { doctor } from './run-doctor.ts'

test('the doctor finds and names changed claims', async (t) => {
  const { api, app, sql, databaseUrl } = await startTestService(t)
  const settings = { DATABASE_URL: databaseUrl, CLAIMKEEPER_ALLOW_UNSAFE_DATABASE: 'true' }
  const customer = (await newCustomer(api)).id
  const claims: string[] = []
  for (let i = 0; i < 8; i++) {
    const contract = contractWith({ activity_window: 1, review_window: i < 4 ? 1 : 3600 })
    const { id } = await api.claim(customer, contract)
    await api.post('/v1/events', { claim_id: id, id: 'a', type: 'seen', note: 'ö' })
    if (i % 2 === 0) await api.post('/v1/events', { claim_id: id, id: 'b', type: 'done' })
    claims.push(id)
  }
  await newCandidate(api)
  const first = firstCheckFrom(new Date(Date.now() + 1_000))
  await runScheduledCheck(app, first)
  await runScheduledCheck(app, new Date(first.getTime() + 120_000))
  const open = (await api.claim(customer, contractWith())).id
  await api.post('/v1/events', { claim_id: open, id: 'a', type: 'seen' })
  const well = await doctor(['--all'], settings)
  assert.deepEqual([...well.faults], [])
  assert.match(well.checks.find(({ what }) => what === 'Claims')?.found ?? '', /^10 of 10 /)

  const [turned, shortened, moved, price] = claims as [string, string, string, string]
  await sql("UPDATE claims SET status = 'FAILED', scheduled_outcome = 'FAILED' WHERE id = $1", [turned])
  await sql('DELETE FROM claim_events WHERE claim_id = $1 AND seq = 1', [shortened])
  const anHourEarlier = movedBy('-1 hour', ['created_at'])
  await sql(`UPDATE claim_events SET ${anHourEarlier} WHERE claim_id = $1 AND seq = 2`, [moved])
  await sql('UPDATE claims SET price = price + 1 WHERE id = $1', [price])
  await sql(
    'UPDATE claims SET log_digest = set_byte(log_digest, 4, get_byte(log_digest, 4) # 1) WHERE id = $1',
    [open],
  )
  const found = (await doctor([], settings)).faults.get('Claims') ?? ''
  assert.match(found, /^5 of 10 do not match their contracts and logs: /)
  assert.ok(found.includes(`${turned}: its status is FAILED, and by its contract and log CONFIRMED`), found)
  assert.ok(found.includes(`${shortened}: item 1 of its log is missing`), found)
  assert.ok(found.includes(`${moved}: item 2 of its log is older than what is before it`), found)
  assert.ok(found.includes(`${price}: its contract was changed`), found)
  assert.ok(found.includes(`${open}: its log_digest is not that of its log`), found)
})

test('the doctor finds a wrong setting and a missing database', async (t) => {
  const wrong = await doctor([], { PORT: 'none' })
  assert.match(wrong.faults.get('Settings') ?? '', /^PORT must be /)
  const CLAIMKEEPER_DATA_DIR = await newDataFolder(t)
  const absent = await doctor([], { CLAIMKEEPER_DATA_DIR })
  assert.match(absent.faults.get('Database') ?? '', /^There is no database of Claimkeeper in /)
})
