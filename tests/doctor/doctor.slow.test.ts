import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { newDataFolder } from '../support/data-folder.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { newClaim } from '../support/new-records.ts'
import { runCli } from '../support/serve-process.ts'
import { startTestService } from '../support/test-service.ts'
import { doctor } from './run-doctor.ts'

test('the doctor restores a backup into a temporary database, reports its recovery point and removes the database', {
  skip: isOnCitus(),
}, async (t) => {
  const { api, databaseUrl: DATABASE_URL } = await startTestService(t)
  const folder = await newDataFolder(t)
  const temporary = dirname(folder)
  const file = join(temporary, 'file')
  const { id } = await newClaim(api)
  const { event } = (await api.post('/v1/events', { claim_id: id, id: 'last', type: 'seen' })).body
  assert.equal((await runCli(['backup', file], { DATABASE_URL })).status, 0)
  const { ok, recovers_to: point } = await doctor(['--backup', file], {
    DATABASE_URL: '',
    CLAIMKEEPER_DATA_DIR: folder,
    TMPDIR: temporary,
  })
  assert.equal(ok, true)
  assert.deepEqual(point?.last_event, { at: event.created_at, claim: id, event: 'last' })
  assert.deepEqual(await readdir(temporary), ['file'])
})
