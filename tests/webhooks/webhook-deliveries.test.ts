import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { newClaim, newCustomer } from '../support/new-records.ts'
import { sharedWebhookService } from '../support/shared.ts'
import { newEndpoint } from '../support/webhook-endpoint.ts'
import { faultsOfChain } from '../support/webhook-receiver.ts'

const service = await sharedWebhookService()

test('a claim that is created is sent to the endpoint, signed and numbered (§4.14 rule 1)', async () => {
  const api = await service.newAccount()
  const { receiver, id, secret } = await newEndpoint(api)
  const claim = await newClaim(api)
  await eventually(async () => receiver.received.length === 1)
  const [{ body, headers, path }] = receiver.received as [(typeof receiver.received)[0]]
  assert.equal(path, '/hook')
  const verified = new Webhook(secret).verify(body, headers as Record<string, string>) as Record<
    string,
    never
  >
  assert.equal(verified.type, 'claim.created')
  assert.equal((verified.claim as unknown as { id: string }).id, claim.id)
  assert.equal(headers['webhook-id'], verified.id)
  assert.throws(() =>
    new Webhook(secret).verify(body.replace('OPEN', 'open'), headers as Record<string, string>),
  )
  const [fed] = (await api.get('/v1/notifications')).body.data
  const { delivery, ...notification } = verified
  assert.deepEqual(notification, fed)
  assert.deepEqual(delivery, { number: 1, previous_hash: '0'.repeat(64) })
  await eventually(async () => {
    const { data } = (await api.get(`/v1/webhook_deliveries?endpoint_id=${id}`)).body
    return data[0]?.status === 'succeeded'
  })
})

test('a delivery that fails is sent again until it succeeds, and each attempt can be read (§4.14 rules 2 and 4)', async () => {
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

test('a redelivery has the original body, with the metadata of its creation (§2.14 rule 4, §4.14 rule 5)', async () => {
  const api = await service.newAccount()
  const { receiver, id } = await newEndpoint(api)
  const { id: customer_id } = await newCustomer(api)
  const claim = { customer_id, contract: contractWith(), metadata: { order: 'A-1' } }
  const { body: original } = await api.post('/v1/claims', claim)
  const isDelivered = async () =>
    (await api.get(`/v1/webhook_deliveries/${id}.1`)).body.status === 'succeeded'
  await eventually(async () => receiver.received.length === 1 && (await isDelivered()))
  await api.patch(`/v1/claims/${original.id}`, { metadata: { order: 'A-2' } })
  assert.equal((await api.post(`/v1/webhook_deliveries/${id}.1/redeliver`, undefined)).status, 202)
  await eventually(async () => receiver.received.length === 2)
  const [first, second] = receiver.received.map(({ body }) => body)
  assert.equal(second, first)
  assert.deepEqual(JSON.parse(first as string).claim.metadata, { order: 'A-1' })
  const { data } = (await api.get('/v1/notifications')).body
  assert.deepEqual(data[0].claim.metadata, { order: 'A-2' })
})
