import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { EndpointRun, type Sending } from '../../src/webhooks/endpoint-run.ts'
import { makeDeliveries } from '../../src/webhooks/make-deliveries.ts'
import type { ApiClient } from '../support/api-client.ts'
import { contractWith } from '../support/contracts.ts'
import { largeContract } from '../support/large-records.ts'
import { newCustomer } from '../support/new-records.ts'
import {
  AttemptLimit,
  leaseEndpoint,
  presentNotification,
  WebhookClient,
} from '../support/source/webhooks.ts'
import { startTestService } from '../support/test-service.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'

const service = await startTestService({ after }, { allowPrivateWebhooks: true })
const { app, sql } = service
const receiver = await startWebhookReceiver({ after })
const client = new WebhookClient({ allowPrivate: true })
after(() => client.stop())

const present: Sending['present'] = (notification) => presentNotification(notification).text
const sending: Sending = {
  app,
  sender: randomUUID(),
  client,
  attempts: new AttemptLimit(() => false),
  present,
  delaysMs: [50],
  onDisabled: () => {},
}

async function newEndpoint(api: ApiClient, settings: object = {}): Promise<{ id: string; userId: string }> {
  const { status, body } = await api.post('/v1/webhook_endpoints', { url: receiver.url, ...settings })
  assert.equal(status, 201, JSON.stringify(body))
  const [row] = await sql('SELECT user_id FROM webhook_endpoints WHERE id = $1', [body.id])
  return { id: body.id, userId: row?.user_id as string }
}

async function newClaims(api: ApiClient, count: number, contract = contractWith()): Promise<void> {
  const { id } = await newCustomer(api)
  await Promise.all(Array.from({ length: count }, () => api.claim(id, contract)))
}

test('deliveries of large contracts are created a few at a time, and none is skipped', async () => {
  const api = await service.newAccount()
  const { id, userId } = await newEndpoint(api)
  await newClaims(api, 24, largeContract())
  let created = 0
  for (;;) {
    const taken = await leaseEndpoint(app.db.writes.for(userId), sending.sender, id, 30_000)
    assert.ok(taken)
    let bytes = 0
    const next = await makeDeliveries(app, taken, (notification) => {
      const text = present(notification)
      bytes += text.length
      return text
    })
    assert.ok(next)
    const count = next.cursor.lastNumber - taken.cursor.lastNumber
    if (count === 0) break
    created += count
    assert.equal(next.hasMore, created < 24)
    assert.ok(count <= 10 && bytes < 350_000, `${count} with ${bytes} bytes`)
  }
  assert.equal(created, 24)
})

test('a run reads all new notifications, even if few match the endpoint', async () => {
  const api = await service.newAccount()
  const { id, userId } = await newEndpoint(api, { types: ['test_clock.advanced'] })
  await sql(
    `INSERT INTO notifications (number, user_id, subject_id, kind, sequence, status_since, created_at)
     SELECT nextval('notification_numbers'), $1, $2, 'created', 0, now(), now() FROM generate_series(1, 3500)`,
    [userId, randomUUID()],
  )
  await new EndpointRun(sending, id, userId).run()
  const [row] = await sql(
    `SELECT count(*)::integer AS left FROM notifications n JOIN webhook_endpoints e ON e.user_id = n.user_id
     WHERE e.id = $1 AND n.number > e.told_up_to`,
    [id],
  )
  assert.deepEqual(row, { left: 0 })
})
