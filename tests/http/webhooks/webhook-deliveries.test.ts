import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { runScheduledCheck } from '../../../src/app/check/run-scheduled-check.ts'
import { eventually } from '../../support/eventually.ts'
import { newClaim } from '../../support/new-records.ts'
import { faultsOfChain, startWebhookReceiver } from '../../support/webhook-receiver.ts'
import { startWebhookService } from '../../support/webhook-service.ts'

const service = await startWebhookService({ after })

async function newEndpoint(api = service.api, settings: object = {}) {
  const receiver = await startWebhookReceiver({ after })
  const made = await api.post('/v1/webhook_endpoints', { url: `${receiver.url}/hook`, ...settings })
  assert.equal(made.status, 201)
  return { receiver, ...made.body } as { receiver: typeof receiver; id: string; secret: string }
}

test('a claim that is created is told of, signed and numbered', async () => {
  const api = await service.newAccount()
  const { receiver, id, secret } = await newEndpoint(api)
  const claim = await newClaim(api)
  await eventually(async () => receiver.received.length === 1)
  const [{ body, headers, path }] = receiver.received as [(typeof receiver.received)[0]]
  assert.equal(path, '/hook')
  const told = new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, never>
  assert.equal(told.type, 'claim.created')
  assert.equal((told.claim as unknown as { id: string }).id, claim.id)
  assert.equal(headers['webhook-id'], told.id)
  assert.throws(() =>
    new Webhook(secret).verify(body.replace('OPEN', 'open'), headers as Record<string, string>),
  )
  const [fed] = (await api.get('/v1/notifications')).body.data
  const { delivery, ...notification } = told
  assert.deepEqual(notification, fed)
  assert.deepEqual(delivery, { number: 1, previous_hash: '0'.repeat(64) })
  await eventually(async () => {
    const { data } = (await api.get(`/v1/webhook_deliveries?endpoint_id=${id}`)).body
    return data[0]?.status === 'succeeded'
  })
})

test('after failures it is tried again until it arrives, and each attempt can be read', async () => {
  const api = await service.newAccount()
  const { receiver, id } = await newEndpoint(api)
  let tries = 0
  receiver.answer((response) => {
    tries++
    response.statusCode = tries < 4 ? 500 : 204
    response.end(tries < 4 ? 'not now' : undefined)
  })
  const { id: claimId } = await newClaim(api)
  const read = async () => (await api.get(`/v1/webhook_deliveries?claim_id=${claimId}`)).body.data[0]
  await eventually(async () => (await read())?.status === 'succeeded')
  const delivery = await read()
  assert.deepEqual(
    delivery.attempts.map(({ status, error, answer }: Record<string, unknown>) => [status, error, answer]),
    [
      [500, 'The answer is 500.', 'not now'],
      [500, 'The answer is 500.', 'not now'],
      [500, 'The answer is 500.', 'not now'],
      [204, null, ''],
    ],
  )
  assert.equal(delivery.endpoint_id, id)
  assert.deepEqual(faultsOfChain(receiver.received), [])
})

test('many claims, one receiver that fails at random: all arrive, without a hole', async () => {
  const api = await service.newAccount()
  const { receiver, id } = await newEndpoint(api)
  let n = 0
  receiver.answer((response) => {
    response.statusCode = n++ % 10 < 3 ? 503 : 200
    response.end()
  })
  for (let i = 0; i < 300; i++) await newClaim(api)
  await runScheduledCheck(service.app, new Date(Date.now() + 3600_000 * 24 * 400))
  const fed = async () => {
    const ids: string[] = []
    for (let after = ''; ; ) {
      const { data, next_cursor, has_more } = (await api.get(`/v1/notifications?limit=100${after}`)).body
      ids.push(...data.map((one: { id: string }) => one.id))
      if (!has_more) return ids
      after = `&after=${next_cursor}`
    }
  }
  const all = await fed()
  assert.ok(all.length >= 600)
  const arrived = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  await eventually(async () => arrived().size === all.length)
  assert.deepEqual(faultsOfChain(receiver.received), [])
  await eventually(async () => (await api.get(`/v1/webhook_endpoints/${id}`)).body.health.waiting === 0)
  const { last_delivery } = (await api.get(`/v1/webhook_endpoints/${id}`)).body
  assert.equal(last_delivery.number, all.length)
})

test('a database that was slow once does not hold up what comes after', async () => {
  const api = await service.newAccount()
  const { receiver } = await newEndpoint(api)
  await service.sql('DO $$ BEGIN LOCK TABLE webhook_endpoints; PERFORM pg_sleep(1.5); END $$')
  await newClaim(api)
  await eventually(async () => receiver.received.length === 1, { seconds: 5 })
})
