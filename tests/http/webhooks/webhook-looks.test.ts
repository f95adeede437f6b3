import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually } from '../../support/eventually.ts'
import { holdWebhookEndpoints } from '../../support/held-rows.ts'
import { newClaim } from '../../support/new-records.ts'
import { startWebhookReceiver } from '../../support/webhook-receiver.ts'
import { startWebhookService } from '../../support/webhook-service.ts'

const HELD_SECONDS = 1.5

test('webhooks go on soon after the database was busy for a while', async () => {
  const service = await startWebhookService({ after })
  const receiver = await startWebhookReceiver({ after })
  const { status } = await service.api.post('/v1/webhook_endpoints', { url: receiver.url })
  assert.equal(status, 201)
  const held = await holdWebhookEndpoints({ after }, service.databaseUrl)
  await held.keepWaiting()
  await held.run('SELECT pg_sleep($1)', [HELD_SECONDS])
  await held.letGo()
  // By then the look that waited is over.
  await service.api.get('/v1/webhook_endpoints')
  const happenedAt = performance.now()
  await newClaim(service.api)
  await eventually(async () => receiver.received.length === 1)
  const lateMs = performance.now() - happenedAt
  assert.ok(lateMs < 5 * 1_000 * HELD_SECONDS, `it came after ${lateMs} ms`)
})
