import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { oldDeliveries } from '../../src/retention/retention-jobs.ts'
import { redeliverWebhooks } from '../../src/webhooks/webhook-deliveries.ts'
import type { ApiClient } from '../support/api-client.ts'
import { contractWith } from '../support/contracts.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { eventually } from '../support/eventually.ts'
import { newClaim } from '../support/new-records.ts'
import { sharedWebhookService } from '../support/shared.ts'
import { newEndpoint } from '../support/webhook-endpoint.ts'
import { faultsOfChain, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

const service = await sharedWebhookService()
const { app, sql } = service

const readEndpoint = async (api: ApiClient, id: string) => (await api.get(`/v1/webhook_endpoints/${id}`)).body
const readDelivery = async (api: ApiClient, id: string, number = 1) =>
  (await api.get(`/v1/webhook_deliveries/${id}.${number}`)).body

/** Leaves requests open until they are let go. */
function hold(receiver: WebhookReceiver): { held: ServerResponse[]; release: (status?: number) => void } {
  const held: ServerResponse[] = []
  receiver.answer((response) => held.push(response))
  return {
    held,
    release: (status = 200) => {
      receiver.answer((response) => response.writeHead(200).end())
      for (const response of held) response.writeHead(status).end()
    },
  }
}

const numbers = ({ received }: WebhookReceiver) =>
  received.map(({ headers }) => Number(headers['claimkeeper-delivery-number']))
const kinds = ({ received }: WebhookReceiver) => received.map(({ body }) => JSON.parse(body).type as string)
const answerWith = (receiver: WebhookReceiver, status: number, headers = {}) =>
  receiver.answer((response) => response.writeHead(status, headers).end())
/** Waits until the sender knows the changes before this call. */
const takenAgain = (id: string, at: Date) =>
  eventually(async () => {
    const text = `SELECT sender_until - interval '30 seconds' > $2 AS again FROM webhook_endpoints WHERE id = $1`
    return (await sql(text, [id, at]))[0]?.again
  })
const removeOld = (days: number) => oldDeliveries(app, days).removeBatches(() => false)

describe('a hanging endpoint', () => {
  test('a slow endpoint does not delay another endpoint of the account', async () => {
    const api = await service.newAccount()
    const dead = await newEndpoint(api)
    const fast = await newEndpoint(api)
    const { held } = hold(dead.receiver)
    for (let i = 0; i < 6; i++) await newClaim(api)
    await eventually(async () => held.length === 4)
    await newClaim(api)
    await eventually(async () => fast.receiver.received.length === 7)
    assert.equal(held.length, 4)
    assert.ok(!held.some(({ closed }) => closed), 'an attempt that hangs has ended')
    assert.deepEqual(faultsOfChain(fast.receiver.received), [])
  })
})

describe('deliveries of one claim', () => {
  test('deliveries of a claim are sent one after another, in order (§4.14 rule 3)', async () => {
    const api = await service.newAccount()
    const customer = await api.customer('acme')
    const { receiver } = await newEndpoint(api)
    const open = new Map<string, number>()
    const faults: string[] = []
    const seen = new Map<string, number>()
    receiver.answer(async (response, { body }) => {
      const { claim, sequence } = JSON.parse(body)
      if (open.has(claim.id)) faults.push(`${claim.id}: two at a time`)
      if ((seen.get(claim.id) ?? -1) >= sequence) faults.push(`${claim.id}: ${sequence} is late`)
      open.set(claim.id, sequence)
      seen.set(claim.id, sequence)
      await new Promise((resolve) => setTimeout(resolve, 30))
      open.delete(claim.id)
      response.end()
    })
    const claims = await Promise.all(Array.from({ length: 8 }, () => api.claim(customer, contractWith())))
    for (const { id } of claims)
      assert.equal((await api.post('/v1/events', { claim_id: id, id: 'goal', type: 'done' })).status, 201)
    await eventually(async () => receiver.received.length === 16)
    assert.deepEqual(faults, [])
    assert.deepEqual(faultsOfChain(receiver.received), [])
  })
})

describe('an endpoint is disabled', () => {
  test('a 410 disables the endpoint at once, and the feed has a notification of it (§4.14 rule 6)', async () => {
    const api = await service.newAccount()
    const gone = await newEndpoint(api, { description: 'old' })
    const other = await newEndpoint(api, { types: ['webhook_endpoint.disabled'] })
    answerWith(gone.receiver, 410)
    await newClaim(api)
    await eventually(async () => !(await readEndpoint(api, gone.id)).enabled)
    assert.equal((await readEndpoint(api, gone.id)).disabled_reason, 'gone')
    await eventually(async () => other.receiver.received.length === 1)
    const { delivery: _, ...notification } = JSON.parse(other.receiver.received[0]?.body as string)
    const { data } = (await api.get('/v1/notifications')).body
    assert.deepEqual(data.at(-1), notification)
    assert.equal(notification.reason, 'gone')
    assert.deepEqual(notification.webhook_endpoint, {
      id: gone.id,
      url: `${gone.receiver.url}/hook`,
      description: 'old',
    })
    const enabled = await newEndpoint(api)
    await newClaim(api)
    await newClaim(api)
    await eventually(async () => enabled.receiver.received.length === 2)
    assert.equal(gone.receiver.received.length, 1)
  })

  test('a 410 of the previous URL does not disable the endpoint', async () => {
    const api = await service.newAccount()
    const { receiver, id } = await newEndpoint(api)
    const { held, release } = hold(receiver)
    const next = await startWebhookReceiver({ after })
    await newClaim(api)
    await eventually(async () => held.length === 1)
    await api.patch(`/v1/webhook_endpoints/${id}`, { url: next.url })
    await takenAgain(id, new Date())
    release(410)
    await eventually(async () => next.received.length === 1)
    await eventually(async () => (await readDelivery(api, id)).status === 'succeeded')
    assert.equal((await readEndpoint(api, id)).enabled, true)
  })

  test('five days with only failures disable the endpoint, and not earlier (§4.14 rule 6)', async () => {
    const api = await service.newAccount()
    const { receiver, id } = await newEndpoint(api)
    answerWith(receiver, 500)
    const failSince = async (daysAgo: number): Promise<number> => {
      await sql(
        `UPDATE webhook_endpoints SET failing_since = now() - $2 * interval '1 hour', paused_until = NULL WHERE id = $1`,
        [id, daysAgo * 24],
      )
      return (await api.post(`/v1/webhook_endpoints/${id}/test`, undefined)).body.number
    }
    // What was sent before may have it paused again.
    const goOn = () => sql('UPDATE webhook_endpoints SET paused_until = NULL WHERE id = $1', [id])
    for (const days of [0, 4.9]) {
      const number = await failSince(days)
      await eventually(async () => {
        await goOn()
        return (await readDelivery(api, id, number)).attempts.length > 0
      })
    }
    assert.equal((await readEndpoint(api, id)).enabled, true)
    await failSince(5.1)
    await eventually(async () => {
      await goOn()
      return (await readEndpoint(api, id)).disabled_reason === 'failing'
    })
    // Where machines commit apart, the endpoint may be seen disabled before the notification is seen.
    const notifications = await eventually(async () => {
      const { data } = (await api.get('/v1/notifications')).body
      return (data.length > 0 || !isOnCitus()) && data
    })
    assert.deepEqual(
      notifications.map(({ type, reason }: Record<string, string>) => [type, reason]),
      [['webhook_endpoint.disabled', 'failing']],
    )
    // Once it is well it goes on where it was, and nothing of that is held against it.
    answerWith(receiver, 200)
    const { body } = await api.patch(`/v1/webhook_endpoints/${id}`, { enabled: true })
    assert.deepEqual([body.disabled_reason, body.health.failing_since], [null, null])
    await eventually(async () => (await readEndpoint(api, id)).health.waiting === 0)
    assert.deepEqual(faultsOfChain(receiver.received), [])
  })
})

describe('an endpoint that fails', () => {
  test('five failures in a row pause the endpoint (§4.14 rule 6)', async () => {
    const api = await service.newAccount()
    const { receiver, id } = await newEndpoint(api)
    answerWith(receiver, 500)
    for (let i = 0; i < 20; i++) await api.post(`/v1/webhook_endpoints/${id}/test`, undefined)
    const { health } = await eventually(async () => {
      const endpoint = await readEndpoint(api, id)
      return endpoint.health.paused_until !== null && endpoint
    })
    assert.equal(health.succeeded, 0)
    assert.ok(Date.parse(health.paused_until) > Date.parse(health.failing_since))
    const { length } = receiver.received
    assert.ok(length >= 5, `${length}`)
    await api.post(`/v1/webhook_endpoints/${id}/test`, undefined)
    answerWith(receiver, 200)
    await eventually(async () => (await readEndpoint(api, id)).health.failing_since === null)
    // Until then nothing came, whatever was made or due. The database's clock is this machine's too.
    const pausedUntil = Date.parse(health.paused_until)
    const early = receiver.received
      .slice(length)
      .filter(({ at }) => performance.timeOrigin + at < pausedUntil - 50)
    assert.deepEqual(early, [])
    assert.equal((await readEndpoint(api, id)).health.paused_until, null)
  })

  test('a delivery that failed its last try is not sent until a redelivery is requested', async () => {
    const api = await service.newAccount()
    const { receiver, id } = await newEndpoint(api)
    answerWith(receiver, 500)
    await newClaim(api)
    const failed = await eventually(async () => {
      const delivery = await readDelivery(api, id)
      return delivery.status === 'failed' && delivery
    })
    assert.equal(failed.next_attempt_at, null)
    assert.equal(failed.attempts.length, 10)
    assert.equal(receiver.received.length, 10)
    assert.deepEqual(new Set(numbers(receiver)), new Set([1]))
    answerWith(receiver, 200)
    await api.post(`/v1/webhook_deliveries/${id}.1/redeliver`, undefined)
    await eventually(async () => (await readDelivery(api, id)).status === 'succeeded')
    assert.deepEqual(faultsOfChain(receiver.received), [])
  })

  test('Retry-After delays the next attempt, by a day at most', async () => {
    const api = await service.newAccount()
    const { receiver, id } = await newEndpoint(api)
    for (const [i, [seconds, hours]] of [
      ['3600', 1],
      ['9'.repeat(30), 24],
    ].entries() as Iterable<[number, [string, number]]>) {
      answerWith(receiver, 503, { 'Retry-After': seconds })
      const { body } = await api.post(`/v1/webhook_endpoints/${id}/test`, undefined)
      const { next_attempt_at } = await eventually(async () => {
        const delivery = await readDelivery(api, id, body.number)
        return delivery.attempts.length === 1 && delivery
      })
      const left = Date.parse(next_attempt_at) - Date.now()
      assert.ok(Math.abs(left - hours * 3_600_000) < 60_000, `${i}: ${left} ms`)
    }
  })
})

describe('a rotated secret', () => {
  test('a rotated secret signs together with the previous secret', async () => {
    const api = await service.newAccount()
    const { receiver, id, secret } = await newEndpoint(api)
    await newClaim(api)
    await eventually(async () => receiver.received.length === 1)
    const next = (await api.post(`/v1/webhook_endpoints/${id}/rotate_secret`, undefined)).body.secret
    // Within seconds: the sender reads the change when it takes the endpoint again.
    const both = await eventually(async () => {
      await newClaim(api)
      return receiver.received.find(({ headers }) => `${headers['webhook-signature']}`.includes(' '))
    })
    for (const one of [secret, next])
      new Webhook(one).verify(both.body, both.headers as Record<string, string>)
    await sql(`UPDATE webhook_endpoints SET old_secret_until = now() - interval '1 second' WHERE id = $1`, [
      id,
    ])
    const alone = await eventually(async () => {
      await newClaim(api)
      const last = receiver.received.at(-1)
      return `${last?.headers['webhook-signature']}`.includes(' ') ? null : last
    })
    new Webhook(next).verify(alone.body, alone.headers as Record<string, string>)
    assert.throws(() => new Webhook(secret).verify(alone.body, alone.headers as Record<string, string>))
  })
})

describe('an endpoint that is changed', () => {
  test('a disabled endpoint gets nothing, and after it is enabled everything without a gap (§4.14 rule 7)', async () => {
    const api = await service.newAccount()
    const { receiver, id } = await newEndpoint(api)
    await newClaim(api)
    await eventually(async () => receiver.received.length === 1)
    await api.patch(`/v1/webhook_endpoints/${id}`, { enabled: false })
    // A run in progress reads the change within 2 s. A run ends when nothing is left to send.
    const [row] = await sql('SELECT last_number FROM webhook_endpoints WHERE id = $1', [id])
    assert.equal(row?.last_number, '1')
    for (let i = 0; i < 3; i++) await newClaim(api)
    await api.patch(`/v1/webhook_endpoints/${id}`, { enabled: true })
    await eventually(async () => receiver.received.length === 4)
    assert.deepEqual(numbers(receiver).toSorted(), [1, 2, 3, 4])
    assert.deepEqual(faultsOfChain(receiver.received), [])
  })

  test('waiting deliveries go to the new URL of the endpoint (§4.14 rule 7)', async () => {
    const api = await service.newAccount()
    const { receiver, id } = await newEndpoint(api)
    const { held, release } = hold(receiver)
    for (let i = 0; i < 12; i++) await newClaim(api)
    await eventually(async () => held.length === 4)
    const next = await startWebhookReceiver({ after })
    await api.patch(`/v1/webhook_endpoints/${id}`, { url: next.url })
    // Those that are on their way hold the endpoint's places.
    await takenAgain(id, new Date())
    release()
    await eventually(async () => next.received.length >= 8)
    assert.deepEqual(faultsOfChain([...receiver.received, ...next.received]), [])
    assert.deepEqual(numbers(receiver).toSorted(), [1, 2, 3, 4])
  })

  test('an endpoint deleted during deliveries leaves no rows behind', async () => {
    const api = await service.newAccount()
    const { receiver, id } = await newEndpoint(api)
    const { held, release } = hold(receiver)
    for (let i = 0; i < 12; i++) await newClaim(api)
    await eventually(async () => held.length === 4)
    await api.delete(`/v1/webhook_endpoints/${id}`)
    await eventually(async () => {
      await removeOld(30)
      return (await sql('SELECT id FROM webhook_endpoints WHERE id = $1', [id])).length === 0
    })
    release()
    const again = await newEndpoint(api)
    await newClaim(api)
    await eventually(async () => again.receiver.received.length === 1)
    for (const table of ['webhook_deliveries', 'webhook_attempts'])
      assert.deepEqual(await sql(`SELECT number FROM ${table} WHERE endpoint_id = $1`, [id]), [], table)
  })
})

describe('retention', () => {
  test('old deliveries are removed with their attempts, and newer deliveries stay', async () => {
    const api = await service.newAccount()
    const { receiver, id } = await newEndpoint(api)
    for (let i = 0; i < 6; i++) await api.post(`/v1/webhook_endpoints/${id}/test`, undefined)
    await eventually(async () => (await readEndpoint(api, id)).health.succeeded === 6)
    await sql(
      `UPDATE webhook_deliveries SET created_at = created_at - interval '31 days' WHERE endpoint_id = $1 AND number <= 4`,
      [id],
    )
    assert.ok((await removeOld(30)) >= 4)
    const { data } = (await api.get(`/v1/webhook_deliveries?endpoint_id=${id}&order=asc`)).body
    assert.deepEqual(
      data.map(({ number }: { number: number }) => number),
      [5, 6],
    )
    assert.equal((await readEndpoint(api, id)).health.attempts, 2)
    // The chain goes on.
    await newClaim(api)
    await eventually(async () => receiver.received.length === 7)
    assert.deepEqual(faultsOfChain(receiver.received), [])
  })

  test('the history of a deleted endpoint is removed, including an attempt recorded meanwhile', async () => {
    const api = await service.newAccount()
    const { id } = await newEndpoint(api)
    await api.delete(`/v1/webhook_endpoints/${id}`)
    await sql(
      `INSERT INTO webhook_attempts (endpoint_id, number, attempt, started_at, duration_ms) VALUES ($1, 7, 1, now(), 5)`,
      [id],
    )
    await removeOld(30)
    const left = `SELECT id FROM webhook_endpoints WHERE id = $1
      UNION ALL SELECT endpoint_id FROM webhook_attempts WHERE endpoint_id = $1`
    assert.deepEqual(await sql(left, [id]), [])
  })

  test('a delivery reports notifications that were removed while the endpoint was disabled (§4.14 rule 7)', async () => {
    const api = await service.newAccount()
    const { receiver, id } = await newEndpoint(api, { enabled: false })
    await newClaim(api)
    await newClaim(api)
    const [row] = await sql('SELECT user_id FROM webhook_endpoints WHERE id = $1', [id])
    await sql(
      `WITH gone AS (DELETE FROM notifications WHERE user_id = $1 RETURNING number)
       INSERT INTO notification_removals SELECT $1, max(number) FROM gone`,
      [row?.user_id],
    )
    await newClaim(api)
    await api.patch(`/v1/webhook_endpoints/${id}`, { enabled: true })
    await eventually(async () => receiver.received.length === 2)
    assert.deepEqual(kinds(receiver).toSorted(), ['claim.created', 'webhook_endpoint.notifications_removed'])
    assert.deepEqual(faultsOfChain(receiver.received), [])
    await newClaim(api)
    await eventually(async () => receiver.received.length === 3)
  })
})

describe('redelivery', () => {
  test('a redelivery sends the same body, even after success', async () => {
    const api = await service.newAccount()
    const { receiver, id } = await newEndpoint(api)
    await newClaim(api)
    await eventually(async () => (await readDelivery(api, id)).status === 'succeeded')
    await api.post(`/v1/webhook_deliveries/${id}.1/redeliver`, undefined)
    await eventually(async () => (await readDelivery(api, id)).attempts.length === 2)
    const [first, second] = receiver.received
    assert.equal(second?.body, first?.body)
    assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
  })

  test('a redelivery requested during an attempt is sent, whatever the result of the attempt', async () => {
    for (const status of [200, 500]) {
      const api = await service.newAccount()
      const { receiver, id } = await newEndpoint(api)
      const { held, release } = hold(receiver)
      await newClaim(api)
      await eventually(async () => held.length === 1)
      const again = await api.post(`/v1/webhook_deliveries/${id}.1/redeliver`, undefined)
      assert.deepEqual([again.status, again.body.status], [202, 'waiting'])
      release(status)
      await eventually(async () => receiver.received.length >= 2)
      await eventually(async () => (await readDelivery(api, id)).status === 'succeeded')
      assert.deepEqual(faultsOfChain(receiver.received), [])
    }
  })
})

test('a redelivery of a range ends when its caller disconnects', async () => {
  const api = await service.newAccount()
  const { id: userId } = (await api.get('/v1/me')).body
  const url = 'http://127.0.0.1:1024/'
  const { id } = (await api.post('/v1/webhook_endpoints', { url, enabled: false })).body
  await api.post(`/v1/webhook_endpoints/${id}/test`, undefined)
  await service.sql(
    "UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL WHERE endpoint_id = $1",
    [id],
  )
  const range = { userId, endpointId: id, from: new Date(0), to: new Date('2999-01-01'), status: null }
  const gone = new Error('gone')
  await assert.rejects(redeliverWebhooks(service.app, range, AbortSignal.abort(gone)), gone)
  assert.equal((await api.get(`/v1/webhook_deliveries/${id}.1`)).body.status, 'failed')
  assert.equal(await redeliverWebhooks(service.app, range, new AbortController().signal), 1)
})
