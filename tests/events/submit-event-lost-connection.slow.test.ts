import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { LAST_WRITE, LAST_WRITE_OF_CHANGE } from '../support/event-writes.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import { Database } from '../support/source/database.ts'
import { createApp } from '../support/source/service.ts'
import { requestFor } from '../support/submissions.ts'

/* The connection to the database breaks in the middle of a write. */

const { api, app: served, databaseUrl, proxy } = await startProxiedService({ after })
const customer = await api.customer('acme')
const openClaim = async (): Promise<string> => (await api.claim(customer, contractWith())).id

const WRITE = { statement: LAST_WRITE }
const WRITE_OF_CHANGE = { statement: LAST_WRITE_OF_CHANGE }

test('where it cannot be found out the answer is 503 and says so, with the id that makes a retry safe', async () => {
  const id = await openClaim()
  const submission = { claim_id: id, id: 'unknown', type: 'done' }
  proxy.inject({ ...WRITE_OF_CHANGE, staysDown: true }, 'cut during')
  const answer = await api.post('/v1/events', submission)
  proxy.comeBack()
  assert.equal(answer.status, 503)
  assert.match(answer.body.error.message, /not known\. Send it again with the id "unknown"/)
  assert.ok(answer.headers.get('Retry-After'))

  const again = await api.post('/v1/events', submission)
  assert.equal(again.status, 200)
  assert.deepEqual(await api.eventIds(id), ['unknown'])
})

test('a connection that goes silent during a write answers 503 in time, and is not reused', async (t) => {
  const quiet = await startFaultProxy(t, databaseUrl)
  // The driver gives up five seconds after the statement's own time.
  const { distribution } = served.db
  const db = new Database({
    connectionString: quiet.url,
    poolSize: 2,
    statementTimeoutMs: 1_000,
    distribution,
  })
  t.after(() => db.close())
  const app = createApp(db)
  const claim = await api.claim(customer, contractWith())
  const submit = (id: string) => app.submissions.submit(requestFor(claim, id, { type: 'other' }))
  await submit('1')
  quiet.inject(WRITE, 'silence before')
  await assert.rejects(submit('2'), { code: 'UNAVAILABLE', message: /not known/ })
  // On the dead connection it would be refused, too.
  await submit('3')
  assert.deepEqual(await api.eventIds(claim.id), ['1', '3'])
})
