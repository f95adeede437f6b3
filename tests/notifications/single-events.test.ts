import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { EVENT_TYPES, NOTIFICATION_TYPES } from '../../src/core/notification-types.ts'
import { awaitNotifications, type FeedRequest } from '../../src/notifications/read-notifications.ts'
import type { ApiClient } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { eventually } from '../support/eventually.ts'
import { newCandidate, newClaim, newCustomer } from '../support/new-records.ts'
import { readFeed } from '../support/read-pages.ts'
import { sharedWebhookService } from '../support/shared.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { oldNotifications } from '../support/source/webhooks.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'

const service = await sharedWebhookService()
const ALL = NOTIFICATION_TYPES.join(',')

const setEventNotifications = async (api: ApiClient, isOn: boolean) => {
  const answer = await api.patch('/v1/notification_settings', { event_recorded: isOn })
  assert.deepEqual([answer.status, answer.body], [200, { event_recorded: isOn }])
}
const asking = async () => {
  const api = await service.newAccount()
  await setEventNotifications(api, true)
  return api
}
const submit = async (api: ApiClient, claimId: string, id: string, type = 'progress') => {
  const { status, body } = await api.post(`/v1/claims/${claimId}/events`, { id, type })
  assert.equal(status, 201, JSON.stringify(body))
}

const readAll = async (api: ApiClient, types = ALL, limit = 100) =>
  (await readFeed(api, { types, limit })).data
const notificationsOf = async (api: ApiClient) =>
  (await readAll(api)).map(({ type, sequence, event }) =>
    [type, sequence, event?.id].filter((part) => part !== undefined).join(' '),
  )

test('event notifications are off by default (§4.13 rule 5)', async () => {
  const api = await service.newAccount()
  assert.deepEqual((await api.get('/v1/notification_settings')).body, { event_recorded: false })
  const { id } = await newClaim(api)
  await submit(api, id, 'e1')
  assert.deepEqual(await notificationsOf(api), ['claim.created 0'])
})

describe('an account with event notifications on (§4.13 rule 5)', () => {
  test('gets a notification of each event with the claim before it, then one of the transition', async () => {
    const api = await asking()
    const claim = await newClaim(api)
    await submit(api, claim.id, 'e1')
    await submit(api, claim.id, 'e2', 'done')
    const data = await readAll(api)
    const { events, ...pending } = await api.readClaim(claim.id)
    const { events: _, ...open } = claim
    assert.deepEqual(
      data.map(({ type, sequence, claim, event }) => ({ type, sequence, claim, event })),
      [
        { type: 'claim.created', sequence: 0, claim: open, event: undefined },
        ...events.map(({ id, type, created_at }: Record<string, string>, i: number) => ({
          type: 'claim.event_recorded',
          sequence: i + 1,
          claim: open,
          event: { id, type, created_at },
        })),
        { type: 'claim.pending', sequence: 2, claim: pending, event: undefined },
      ],
    )
    assert.equal(new Set(data.map(({ id }) => id)).size, 4)
  })

  test('gets one notification of a repeated event, and none of system events', async () => {
    const api = await asking()
    const { id, due_at } = await newClaim(api, { activity_window: 60, review_window: 60 })
    await submit(api, id, 'e1')
    assert.equal((await api.post(`/v1/claims/${id}/events`, { id: 'e1', type: 'progress' })).status, 200)
    await runScheduledCheck(service.app, new Date(Date.parse(due_at) + 60_000))
    assert.deepEqual(await notificationsOf(api), [
      'claim.created 0',
      'claim.event_recorded 1 e1',
      'claim.pending 2',
    ])
  })

  test('gets events that are recorded together in the order of the log', async () => {
    const api = await asking()
    const claims = [await newClaim(api), await newClaim(api)]
    const events = Array.from({ length: 40 }, (_, i) => ({
      claim_id: claims[i % 2]?.id,
      id: `e${i}`,
      type: i < 38 ? 'progress' : 'done',
    }))
    assert.equal((await api.post('/v1/events/batch', { events })).status, 200)
    for (const { id } of claims) {
      const { body } = await api.get(`/v1/notifications?claim_id=${id}&types=${ALL}`)
      const { events } = await api.readClaim(id)
      assert.deepEqual(
        body.data.map(({ type, sequence, event }: Record<string, { id: string }>) => [
          type,
          sequence,
          event?.id,
        ]),
        [
          ['claim.created', 0, undefined],
          ...events.map(({ id }: { id: string }, i: number) => ['claim.event_recorded', i + 1, id]),
          ['claim.pending', 20, undefined],
        ],
      )
    }
  })

  test('gets notifications of candidates, and of claims on test clocks', async () => {
    const api = await asking()
    const { candidate_alias: alias } = await newCandidate(api)
    await api.post(`/v1/candidates/${alias}/events`, { id: 'e1', type: 'progress' })
    const clock = (await api.post('/v1/test_clocks', { frozen_time: '2031-01-01T00:00:00Z' })).body
    const customer = await newCustomer(api)
    const { contract } = await newClaim(api)
    const onClock = await api.post('/v1/claims', {
      ...{ customer_id: customer.id, contract, test_clock_id: clock.id },
    })
    await submit(api, onClock.body.id, 'e2')
    const all = await readAll(api, EVENT_TYPES.join(','))
    assert.deepEqual(
      all.map(({ type, event }) => [type, event.id]),
      [
        ['candidate.event_recorded', 'e1'],
        ['claim.event_recorded', 'e2'],
      ],
    )
    assert.equal(all[1].event.created_at, '2031-01-01T00:00:00.000Z')
  })

  test('gets them only if the request names the type, in pages of any size', async () => {
    const api = await asking()
    const { id } = await newClaim(api)
    const events = Array.from({ length: 150 }, (_, i) => ({ claim_id: id, id: `e${i}`, type: 'progress' }))
    assert.equal((await api.post('/v1/events/batch', { events })).status, 200)
    await submit(api, id, 'last', 'done')
    const unnamed = (await api.get('/v1/notifications?limit=2')).body
    assert.deepEqual(
      unnamed.data.map(({ type }: { type: string }) => type),
      ['claim.created', 'claim.pending'],
    )
    assert.equal(unnamed.has_more, false)
    assert.equal((await readAll(api, 'claim.event_recorded', 7)).length, 151)
    assert.deepEqual(await readAll(api, 'candidate.event_recorded'), [])
  })

  test('stops scanning when the client disconnects', async () => {
    const api = await asking()
    const { id } = await newClaim(api)
    for (const count of [1_000, 200]) {
      const events = Array.from({ length: count }, () => ({ claim_id: id, type: 'progress' }))
      assert.equal((await api.post('/v1/events/batch', { events })).status, 200)
    }
    const request: FeedRequest = {
      userId: (await api.get('/v1/me')).body.id,
      types: new Set(['candidate.event_recorded']),
      ...({ after: null, limit: 1, order: 'asc', address: null, customerId: undefined } as const),
    }
    const gone = AbortSignal.abort(new Error('gone'))
    await assert.rejects(awaitNotifications(service.app, request, 30_000, gone), { message: 'gone' })
    const { body } = await api.get('/v1/notifications?types=candidate.event_recorded')
    assert.deepEqual([body.data, body.has_more], [[], true])
  })

  test('needs no scan for requests that do not name the type', async () => {
    const api = await asking()
    const { id } = await newClaim(api)
    for (const count of [1_000, 200]) {
      const events = Array.from({ length: count }, () => ({ claim_id: id, type: 'progress' }))
      assert.equal((await api.post('/v1/events/batch', { events })).status, 200)
    }
    await submit(api, id, 'last', 'done')
    const { next_cursor } = (await api.get('/v1/notifications?limit=1')).body
    for (const query of [`after=${next_cursor}`, `after=${next_cursor}&wait=30`, 'order=desc&limit=1']) {
      const { body } = await api.get(`/v1/notifications?${query}`)
      assert.deepEqual([body.data.length, body.data[0]?.type], [1, 'claim.pending'])
    }
    const named = `types=claim.pending,claim.event_recorded&order=desc&limit=2`
    const { body } = await api.get(`/v1/notifications?${named}`)
    assert.deepEqual(
      body.data.map(({ type }: { type: string }) => type),
      ['claim.pending', 'claim.event_recorded'],
    )
  })

  test('answers 410 only if notifications of the requested types were removed', async () => {
    const api = await asking()
    const { id, user_id } = await newClaim(api)
    const start = (await api.get('/v1/notifications')).body.next_cursor
    await submit(api, id, 'e1')
    await submit(api, id, 'e2')
    await service.sql(
      "UPDATE notifications SET created_at = '2025-01-01' WHERE user_id = $1 AND sequence = 1",
      [user_id],
    )
    assert.equal(await oldNotifications(service.app, 30).removeBatches(() => false), 1)
    const after = (types: string) => api.get(`/v1/notifications?after=${start}${types}`)
    assert.equal((await after('')).status, 200)
    assert.equal((await after('&types=claim.pending')).status, 200)
    assertError(await after('&types=claim.event_recorded'), 410, 'CURSOR_EXPIRED')
    assertError(await after(`&types=${ALL}`), 410, 'CURSOR_EXPIRED')
    const { body } = await api.get('/v1/notifications?types=claim.event_recorded')
    assert.deepEqual(
      body.data.map(({ event }: { event: { id: string } }) => event.id),
      ['e2'],
    )
  })

  test('gets none after it turns them off, and other accounts get none', async () => {
    const [api, other] = [await asking(), await service.newAccount()]
    const [claim, others] = [await newClaim(api), await newClaim(other)]
    await submit(api, claim.id, 'e1')
    await submit(other, others.id, 'e1')
    await setEventNotifications(api, false)
    await submit(api, claim.id, 'e2')
    assert.deepEqual(await notificationsOf(api), ['claim.created 0', 'claim.event_recorded 1 e1'])
    assert.deepEqual(await notificationsOf(other), ['claim.created 0'])
  })
})

describe('a webhook endpoint that names single events (§4.13 rule 5)', () => {
  const newEndpoint = async (api: ApiClient, types: string[] | null) => {
    const receiver = await startWebhookReceiver({ after })
    const { status, body } = await api.post('/v1/webhook_endpoints', { url: receiver.url, types })
    assert.equal(status, 201)
    const sent = () => receiver.received.map(({ body }) => JSON.parse(body).type)
    const events = () => receiver.received.map(({ body }) => JSON.parse(body).event?.id)
    return { id: body.id as string, types: sent, events }
  }

  test('gets them until it is deleted; an endpoint that names none does not', async () => {
    const api = await service.newAccount()
    const [naming, other] = [await newEndpoint(api, ['claim.event_recorded']), await newEndpoint(api, null)]
    const { id } = await newClaim(api)
    await submit(api, id, 'e1')
    await submit(api, id, 'e2', 'done')
    await eventually(async () => naming.types().length === 2 && other.types().length === 2)
    assert.deepEqual(naming.types(), ['claim.event_recorded', 'claim.event_recorded'])
    assert.deepEqual(other.types(), ['claim.created', 'claim.pending'])

    assert.equal((await api.delete(`/v1/webhook_endpoints/${naming.id}`)).status, 204)
    const later = await newClaim(api)
    await submit(api, later.id, 'e1')
    const { body } = await api.get(`/v1/notifications?claim_id=${later.id}&types=${ALL}`)
    assert.deepEqual(
      body.data.map(({ type }: { type: string }) => type),
      ['claim.created'],
    )
  })

  test('gets none that were recorded before it named them', async () => {
    const api = await asking()
    const endpoint = await newEndpoint(api, null)
    const { id } = await newClaim(api)
    await eventually(async () => endpoint.types().length === 1)
    await submit(api, id, 'e1')
    await api.patch(`/v1/webhook_endpoints/${endpoint.id}`, { types: ['claim.event_recorded'] })
    await submit(api, id, 'e2')
    await eventually(async () => endpoint.events().includes('e2'))
    assert.deepEqual(endpoint.events(), [undefined, 'e2'])
  })

  test('gets those that were recorded while it was disabled', async () => {
    const api = await service.newAccount()
    const naming = await newEndpoint(api, ['claim.event_recorded'])
    await api.patch(`/v1/webhook_endpoints/${naming.id}`, { enabled: false })
    const { id } = await newClaim(api)
    await submit(api, id, 'e1')
    await api.patch(`/v1/webhook_endpoints/${naming.id}`, { enabled: true })
    await eventually(async () => naming.types().length === 1)
  })
})
