import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { type CuttingProxy, startCuttingProxy } from '../support/cutting-proxy.ts'
import { startTestService } from '../support/test-service.ts'

/* The connection to the database breaks in the middle of a write. */

let proxy: CuttingProxy
const { api } = await startTestService(
  { after },
  {
    throughUrl: async (databaseUrl) => {
      proxy = await startCuttingProxy({ after }, databaseUrl)
      return proxy.url
    },
  },
)
const customer = await api.customer('acme')
const openClaim = async (): Promise<string> => (await api.claim(customer, contractWith())).id
const logOf = async (id: string) => (await api.readClaim(id)).events.map((event: { id: string }) => event.id)

// The name of the statement that writes is sent with each execution; its text only once a connection.
const WRITE = 'append_event'

test('a write that took effect while its answer was lost is found by the event’s id and answered 201', async () => {
  const id = await openClaim()
  proxy.cutNext(WRITE, 'after it took effect, before the answer')
  const answer = await api.post('/v1/events', { claim_id: id, id: 'lost', type: 'done' })
  assert.equal(answer.status, 201)
  assert.equal(answer.headers.get('Idempotent-Replayed'), null)
  assert.equal(answer.body.claim.status, 'PENDING')
  assert.deepEqual(await logOf(id), ['lost'])
})

test('a write that never reached the database is made again', async () => {
  const id = await openClaim()
  proxy.cutNext(WRITE, 'before it reaches the database')
  const answer = await api.post('/v1/events', { claim_id: id, type: 'other' })
  assert.equal(answer.status, 201)
  assert.deepEqual(await logOf(id), [answer.body.event.id])
})

test('where it cannot be found out the answer is 503 and says so, with the id that makes a retry safe', async () => {
  const id = await openClaim()
  const submission = { claim_id: id, id: 'unknown', type: 'done' }
  proxy.cutNext(WRITE, 'after it took effect, before the answer', { staysDown: true })
  const answer = await api.post('/v1/events', submission)
  proxy.comeBack()
  assert.equal(answer.status, 503)
  assert.match(answer.body.error.message, /not known\. Send it again with the id "unknown"/)
  assert.ok(answer.headers.get('Retry-After'))

  const again = await api.post('/v1/events', submission)
  assert.equal(again.status, 200)
  assert.deepEqual(await logOf(id), ['unknown'])
})
