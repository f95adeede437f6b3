import assert from 'node:assert/strict'
import { after } from 'node:test'
import { eventually } from '../../support/eventually.ts'
import { newCustomer } from '../../support/new-records.ts'
import { disableEndpoint, presentNotification, WebhookSender } from '../../support/source/webhooks.ts'
import { faultsOfChain, startWebhookReceiver } from '../../support/webhook-receiver.ts'
import type { Operation } from '../fault-table.ts'
import { NEVER_SETTLED } from '../testbed.ts'

const CLAIMS = 3

const disabling: Operation = {
  name: 'disabling a webhook endpoint',
  begin: async ({ service }) => {
    const api = await service.newAccount()
    const { id: userId } = (await api.get('/v1/me')).body
    const url = 'https://example.com/hook'
    const { id } = (await api.post('/v1/webhook_endpoints', { url })).body
    const disable = () => disableEndpoint(service.app.db.writes.for(userId), { userId, id, url }, 'gone')
    const found = async () => {
      const { disabled_reason } = (await api.get(`/v1/webhook_endpoints/${id}`)).body
      const { data } = (await api.get('/v1/notifications')).body
      return [disabled_reason, data.map((one: { reason: string }) => one.reason)]
    }
    return {
      run: () => disable().catch(() => {}),
      finish: async () => {
        const [reason, reasons] = await found()
        assert.deepEqual(reasons, reason === null ? [] : [reason])
        await disable()
        assert.deepEqual(await found(), ['gone', ['gone']])
      },
    }
  },
}

const sending: Operation = {
  name: 'sending webhooks',
  begin: async ({ service }) => {
    const receiver = await startWebhookReceiver({ after })
    const seen = new Set<unknown>()
    receiver.answer((response, { headers }) => {
      // Each delivery fails once, so that it is sent again.
      response.statusCode = seen.has(headers['webhook-id']) ? 200 : 500
      seen.add(headers['webhook-id'])
      response.end()
    })
    const api = await service.newAccount()
    const { id: customer_id } = await newCustomer(api)
    const url = 'https://example.com/hook'
    const { id } = (await api.post('/v1/webhook_endpoints', { url })).body
    await service.sql('UPDATE webhook_endpoints SET url = $2 WHERE id = $1', [id, receiver.url])
    const claims = Array.from({ length: CLAIMS }, () => ({ customer_id, contract: NEVER_SETTLED }))
    assert.equal((await api.post('/v1/claims/batch', { claims })).status, 200)
    const succeeded = async () => {
      const rows = await service.sql(
        `SELECT number FROM webhook_deliveries WHERE endpoint_id = $1 AND status = 'succeeded'`,
        [id],
      )
      return rows.length === CLAIMS
    }
    return {
      run: async () => {
        const sender = new WebhookSender({
          app: service.app,
          present: (notification) => presentNotification(notification).text,
          delaysMs: [10, 10, 10],
          restMs: 50,
          allowPrivate: true,
          onDisabled: () => {},
          onError: () => {},
        })
        await sender.start()
        await eventually(succeeded, { seconds: 120 })
        // If the stop fails, another sender takes over the endpoint after a timeout.
        await sender.stop().catch(() => {})
      },
      finish: async () => {
        assert.deepEqual(faultsOfChain(receiver.received), [])
        const { data } = (await api.get('/v1/notifications')).body
        const arrived = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
        assert.deepEqual(arrived, new Set(data.map((one: { id: string }) => one.id)))
        const [recorded] = await service.sql(
          `SELECT count(*)::int AS attempts, (SELECT sum(attempts)::int FROM webhook_deliveries WHERE endpoint_id = $1) AS counted
           FROM webhook_attempts WHERE endpoint_id = $1`,
          [id],
        )
        assert.deepEqual(recorded, { attempts: receiver.received.length, counted: receiver.received.length })
        assert.equal(receiver.received.length, 2 * CLAIMS)
      },
    }
  },
}

export const WEBHOOK_OPERATIONS: readonly Operation[] = [disabling, sending]
