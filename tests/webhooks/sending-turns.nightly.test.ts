import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { eventually } from '../support/eventually.ts'
import { newClaim } from '../support/new-records.ts'
import type { TestService } from '../support/test-service.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { startWebhookService } from '../support/webhook-service.ts'

/* Endpoints that are slow, however many of however many accounts, keep those of others waiting for some seconds at most. */

async function newEndpoints(api: ApiClient, url: string, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const { status, body } = await api.post('/v1/webhook_endpoints', { url })
    assert.equal(status, 201, JSON.stringify(body))
    ids.push(body.id)
  }
  return ids
}

/** Gives each endpoint a number of deliveries. */
const addDeliveries = ({ sql }: TestService, ids: string[], each: number) =>
  sql(
    `WITH updated AS (UPDATE webhook_endpoints SET last_number = $2 WHERE id = ANY ($1::uuid[]) RETURNING id)
     INSERT INTO webhook_deliveries (endpoint_id, number, notification_id, subject_id, type, created_at, body, bytes, hash,
       previous_hash, next_attempt_at)
     SELECT id, n, gen_random_uuid(), gen_random_uuid(), 'webhook_endpoint.test', now(), '{}', 2, '', '', now()
     FROM updated, generate_series(1, $2::integer) AS n`,
    [ids, each],
  )

describe('others are sent to', { timeout: 120_000 }, () => {
  test('an endpoint is served while all endpoints of two other accounts hang', async (t) => {
    const service = await startWebhookService(t)
    const slow = await startWebhookReceiver(t)
    slow.answer(() => {})
    for (const api of [await service.newAccount(), await service.newAccount()])
      await addDeliveries(service, await newEndpoints(api, slow.url, 45), 2)
    await eventually(async () => slow.open > 30)

    const api = await service.newAccount()
    const fast = await startWebhookReceiver(t)
    await newEndpoints(api, fast.url, 1)
    await newClaim(api)
    // Sooner than an attempt that hangs ends.
    await eventually(async () => fast.received.length === 1, { seconds: 14 })
    assert.ok(slow.received.length > 0)
  })

  test('an endpoint is served although more slow endpoints wait than attempts may run', async (t) => {
    const service = await startWebhookService(t)
    const slow = await startWebhookReceiver(t)
    slow.answer((response) => setTimeout(() => response.end(), 700))
    for (let i = 0; i < 5; i++) {
      const api = await service.newAccount()
      await addDeliveries(service, await newEndpoints(api, slow.url, 16), 150)
    }
    await eventually(async () => slow.open > 100)

    const api = await service.newAccount()
    const fast = await startWebhookReceiver(t)
    await newEndpoints(api, fast.url, 1)
    await newClaim(api)
    // The slow ones take more than a minute for all that they have.
    await eventually(async () => fast.received.length === 1, { seconds: 30 })
    assert.ok(slow.open > 0, 'they are not done')
  })
})

// Citus makes more transactions of each.
const COUNTS = { skip: isOnCitus() && 'transactions are counted on one PostgreSQL' }

test('no statements are sent for an endpoint whose attempts all hang', COUNTS, async (t) => {
  const service = await startWebhookService(t)
  const slow = await startWebhookReceiver(t)
  slow.answer(() => {})
  await newEndpoints(service.api, slow.url, 1)
  for (let i = 0; i < 5; i++) await newClaim(service.api)
  await eventually(async () => slow.open === 4)
  const transactions = async () => {
    const [row] = await service.sql(
      'SELECT xact_commit::integer AS count FROM pg_stat_database WHERE datname = current_database()',
    )
    return row?.count as number
  }
  // What a connection did is counted about a second later.
  const passed = (ms: number, since = performance.now()) =>
    eventually(async () => performance.now() > since + ms)
  await passed(1_500)
  const before = await transactions()
  await passed(2_500)
  const created = (await transactions()) - before
  // The look of the sender, ten times a second, is two statements at most.
  assert.ok(created < 70, `${created} statements`)
})
