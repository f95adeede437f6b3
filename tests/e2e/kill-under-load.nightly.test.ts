import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf } from '../support/client-of.ts'
import { databaseProcess, embeddedUrl, madeDataFolder } from '../support/data-folder.ts'
import { startEventLoad } from '../support/event-load.ts'
import { eventually } from '../support/eventually.ts'
import { startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

/*
 * What always holds (ARCHITECTURE.md), in the middle of a load through two servers: every acknowledged event is in
 * its log exactly once, a client that sends an event again with its id has no doubles, and contract and log
 * determine the state.
 */

/** Enough claims that some are still open once another server has started. */
const CLAIMS = 300

test('a server is killed in the middle of a load and started again: nothing is lost, nothing doubled', async (t) => {
  const DATABASE_URL = await createTestDatabase(t)
  const first = await startServeProcess(t, { DATABASE_URL })
  const second = await startServeProcess(t, { DATABASE_URL })
  const api = await clientOf(first)
  const load = await startEventLoad(api, [first.url, second.url], CLAIMS)

  await load.acknowledges(400)
  await second.end('SIGKILL')
  await load.acknowledges(200)
  const third = await startServeProcess(t, { DATABASE_URL })
  load.setServers([first.url, third.url])
  await load.acknowledges(200)
  await first.end('SIGKILL')
  await load.acknowledges(200)
  await load.stop()
  assert.ok(load.retries() > 0, 'the kills were felt')
  await load.verify(await clientOf({ url: third.url, token: first.token }))
})

test('the database is stopped at once in the middle of a load, and the service brings it back: nothing is lost, nothing doubled', async (t) => {
  const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
  const first = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
  const DATABASE_URL = await embeddedUrl(CLAIMKEEPER_DATA_DIR)
  const second = await startServeProcess(t, { DATABASE_URL })
  const api = await clientOf(first)
  const load = await startEventLoad(api, [first.url, second.url], CLAIMS)

  await load.acknowledges(400)
  const stopped = await databaseProcess(CLAIMKEEPER_DATA_DIR)
  // As `pg_ctl stop -m immediate`: no statement is finished, nothing is written out.
  process.kill(stopped, 'SIGQUIT')
  await eventually(async () => (await databaseProcess(CLAIMKEEPER_DATA_DIR).catch(() => stopped)) !== stopped)
  await load.acknowledges(400)
  await load.stop()
  assert.ok(load.retries() > 0, 'the stop was felt')
  await load.verify(api)
})
