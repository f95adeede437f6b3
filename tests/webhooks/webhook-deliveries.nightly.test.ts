import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { holdWebhookEndpoints } from '../support/held-rows.ts'
import { newClaim } from '../support/new-records.ts'
import { readFeed } from '../support/read-pages.ts'
import { sharedWebhookService } from '../support/shared.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { newEndpoint } from '../support/webhook-endpoint.ts'
import { faultsOfChain } from '../support/webhook-receiver.ts'

const service = await sharedWebhookService()

test('all deliveries arrive without a gap at a receiver that fails at random', async () => {
  const api = await service.newAccount()
  const { receiver, id } = await newEndpoint(api)
  let n = 0
  receiver.answer((response) => {
    response.statusCode = n++ % 10 < 3 ? 503 : 200
    response.end()
  })
  for (let i = 0; i < 300; i++) await newClaim(api)
  await runScheduledCheck(service.app, new Date(Date.now() + 3600_000 * 24 * 400))
  const { data: all } = await readFeed(api, { limit: 100 })
  assert.ok(all.length >= 600)
  const arrived = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  // These are about 860 attempts.
  await eventually(async () => arrived().size === all.length, { seconds: 300 })
  assert.deepEqual(faultsOfChain(receiver.received), [])
  await eventually(async () => (await api.get(`/v1/webhook_endpoints/${id}`)).body.health.waiting === 0)
  const { last_delivery } = (await api.get(`/v1/webhook_endpoints/${id}`)).body
  assert.equal(last_delivery.number, all.length)
})

/** How long the endpoints cannot be read. Without its bound the pause after that would outlast `eventually`: 72 s. */
const HELD_SECONDS = 8

test('webhooks continue soon after the database was busy', async (t) => {
  const api = await service.newAccount()
  const { receiver } = await newEndpoint(api)
  const held = await holdWebhookEndpoints(t, service.databaseUrl)
  await held.untilStatementsWait()
  await held.run('SELECT pg_sleep($1)', [HELD_SECONDS])
  await held.release()
  // Answered once the poll that waited is over.
  await api.get('/v1/webhook_endpoints')
  await newClaim(api)
  await eventually(async () => receiver.received.length === 1)
})
