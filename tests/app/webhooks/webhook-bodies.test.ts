import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { tellEndpoint } from '../../../src/app/webhooks/tell-endpoint.ts'
import { presentNotification } from '../../../src/http/notifications/present-notification.ts'
import { type TakenEndpoint, takeEndpoint } from '../../../src/storage/webhooks/sending.ts'
import { LARGE_CONTRACT } from '../../abuse/stage.ts'
import { startTestService } from '../../support/test-service.ts'

const SENDER = '01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42'

test('deliveries are made of a few hundred kilobytes at a time, and none is passed over', async () => {
  const { app, api } = await startTestService({ after }, { allowPrivateWebhooks: true })
  const endpoint = await api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/', enabled: false })
  const { id } = endpoint.body as { id: string }
  const customer = await api.post('/v1/customers', { external_id: 'large' })
  const claims = Array.from({ length: 40 }, () => ({
    customer_id: customer.body.id,
    contract: LARGE_CONTRACT,
  }))
  assert.equal((await api.post('/v1/claims/batch', { claims })).status, 200)
  await api.patch(`/v1/webhook_endpoints/${id}`, { enabled: true })
  const taken = (await takeEndpoint(app.db, SENDER, id, 30_000)) as TakenEndpoint
  const steps: number[] = []
  for (let hasMore = true; hasMore; ) {
    let bytes = 0
    const told = await tellEndpoint(app, taken, (notification) => {
      const text = presentNotification(notification).parts.join('')
      bytes += text.length
      return text
    })
    assert.ok(told)
    steps.push(bytes)
    taken.place = told.place
    hasMore = told.hasMore
  }
  assert.ok(Math.max(...steps) < 350_000, `at most ${Math.max(...steps)} bytes at a time`)
  assert.equal(taken.place.lastNumber, claims.length)
})
