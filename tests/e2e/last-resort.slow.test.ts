import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { clientOf } from '../support/client-of.ts'
import { contractWith } from '../support/contracts.ts'
import { hasRunningDatabase, madeDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { FULL } from '../support/full-disk.ts'
import { holdClaims } from '../support/held-rows.ts'
import { MAIN, runNode, startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

const NODE_OPTIONS = `--import ${new URL('../support/fault-on-signal.ts', import.meta.url).href}`
const LAST_RESORT = new URL('../../src/cli/run-service.ts', import.meta.url).href

describe('an uncaught exception', { concurrency: true }, () => {
  test('a rejection: what is in flight is finished, new requests are refused, and the status is 1', async (t) => {
    const DATABASE_URL = await createTestDatabase(t)
    const served = await startServeProcess(t, { DATABASE_URL, NODE_OPTIONS })
    const api = await clientOf(served)
    const { id } = await api.claim(await api.customer('acme'), contractWith())
    const held = await holdClaims(t, DATABASE_URL, [id])
    const inFlight = api.post('/v1/events', { claim_id: id, id: 'in flight', type: 'other' })
    await held.untilStatementsWait()

    served.child.kill('SIGUSR2')
    await eventually(async () => served.output().includes('finishing requests in flight'))
    const pending = api.get(`/v1/claims/${id}`).catch(() => null)
    await held.release()
    assert.equal((await inFlight).status, 201)
    const refused = await pending
    if (refused) assert.equal(refused.status, 503)
    assert.equal(await served.ended(), 1)
    assert.match(served.output(), /"level":60.*fault-on-signal.*uncaught exception/)

    const again = await clientOf({ ...(await startServeProcess(t, { DATABASE_URL })), token: served.token })
    assert.deepEqual(await again.eventIds(id), ['in flight'])
  })

  test('an exception: the embedded database is stopped as at any stop', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
    const served = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR, NODE_OPTIONS, FAULT: 'exception' })
    served.child.kill('SIGUSR2')
    assert.equal(await served.ended(), 1)
    assert.equal(hasRunningDatabase(CLAIMKEEPER_DATA_DIR), false)
  })

  test('ends in a stop also where the log is on a full disk', { skip: FULL === null }, async (t) => {
    const DATABASE_URL = await createTestDatabase(t)
    const served = await startServeProcess(t, { DATABASE_URL, NODE_OPTIONS }, MAIN, FULL as number)
    served.child.kill('SIGUSR2')
    assert.equal(await served.ended(), 1)
  })

  test('another one while it stops ends it at once', async (t) => {
    const DATABASE_URL = await createTestDatabase(t)
    const served = await startServeProcess(t, { DATABASE_URL, NODE_OPTIONS })
    const api = await clientOf(served)
    const { id } = await api.claim(await api.customer('acme'), contractWith())
    const held = await holdClaims(t, DATABASE_URL, [id])
    const inFlight = api.post('/v1/events', { claim_id: id, type: 'other' }).catch(() => null)
    await held.untilStatementsWait()
    served.child.kill('SIGUSR2')
    await eventually(async () => served.output().includes('finishing requests in flight'))
    served.child.kill('SIGUSR2')
    assert.equal(await served.ended(), 1)
    assert.equal(await inFlight, null)
    assert.doesNotMatch(served.output(), /Stopped\./)
  })

  test('a stop that does not end is left', async () => {
    const script = `import { pino } from 'pino'
      import { listenForFaults } from '${LAST_RESORT}'
      const signal = listenForFaults(pino(pino.destination({ dest: 2, sync: true })), 50)
      signal.addEventListener('abort', () => console.log('stopping'))
      setInterval(() => {}, 1_000)
      Promise.reject('no error, even')`
    const { status, stdout, stderr } = await runNode(['--input-type=module', '-e', script], {})
    assert.deepEqual([status, stdout], [1, 'stopping\n'])
    assert.match(stderr, /no error, even/)
    assert.match(stderr, /the stop has timed out/)
  })
})
