import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import type { Answer, ApiClient } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { eventually } from '../support/eventually.ts'
import { HOSTILE_STRINGS } from '../support/hostile-strings.ts'
import { newClaim, newCustomer } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { startTestService } from '../support/test-service.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { startWebhookService } from '../support/webhook-service.ts'

const URL_ = 'https://example.com/hook'
const PATH = '/v1/webhook_endpoints'
const NOBODY = '00000000-0000-7000-8000-000000000000'

const service = await sharedService()
const { sql } = service
const shared = service.api

async function newEndpoint(api: ApiClient, settings: object = {}): Promise<Answer['body']> {
  const { status, body } = await api.post(PATH, { url: URL_, ...settings })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

describe('a webhook endpoint', () => {
  test('an endpoint created with only a URL is enabled, gets all default types, and has no deliveries', async () => {
    const { status, body, headers } = await shared.post(PATH, { url: URL_ })
    assert.equal(status, 201)
    const { id, created_at, secret, ...rest } = body
    assert.equal(headers.get('location'), `${PATH}/${id}`)
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
    assert.deepEqual(rest, {
      url: URL_,
      types: null,
      customer_id: null,
      description: null,
      enabled: true,
      disabled_reason: null,
      last_delivery: { number: 0, hash: '0'.repeat(64) },
      health: {
        attempts: 0,
        succeeded: 0,
        median_ms: null,
        waiting: 0,
        oldest_waiting_at: null,
        failing_since: null,
        paused_until: null,
      },
    })
    const { secret: _, ...shown } = body
    assert.deepEqual((await shared.get(`${PATH}/${id}`)).body, shown)
  })

  test('an endpoint with all fields is created, read, listed, changed and deleted', async () => {
    const api = await service.newAccount()
    const { id: customer_id } = await newCustomer(api)
    const all = { types: ['claim.failed'], customer_id, description: 'billing', enabled: false }
    const { secret, ...posted } = await newEndpoint(api, all)
    assert.ok(secret)
    for (const [name, value] of Object.entries(all)) assert.deepEqual(posted[name], value, name)
    assert.equal(posted.disabled_reason, null)
    const { secret: _, ...second } = await newEndpoint(api)
    const list = (await api.get(PATH)).body
    assert.deepEqual(list, { data: [posted, second], next_cursor: null })
    assert.deepEqual((await api.get(`${PATH}/${posted.id.toUpperCase()}`)).body, posted)

    const changed = await api.patch(`${PATH}/${posted.id}`, {
      url: 'https://EXAMPLE.org:443/a b?c#d',
      types: null,
      customer_id: null,
      description: null,
      enabled: true,
    })
    assert.equal(changed.status, 200)
    const expected = {
      ...posted,
      url: 'https://example.org/a%20b?c',
      types: null,
      customer_id: null,
      description: null,
      enabled: true,
    }
    assert.deepEqual(changed.body, expected)
    assert.deepEqual((await api.patch(`${PATH}/${posted.id}`, {})).body, expected)
    assert.deepEqual((await api.get(`${PATH}/${posted.id}`)).body, expected)

    assert.equal((await api.delete(`${PATH}/${posted.id}`)).status, 204)
    assertError(await api.get(`${PATH}/${posted.id}`), 404, 'WEBHOOK_ENDPOINT_NOT_FOUND')
    assert.deepEqual((await api.get(PATH)).body.data, [second])
  })

  test('an update changes the given fields and keeps the others', async () => {
    const { id: customer_id } = await newCustomer(shared)
    const given = { url: 'https://example.net/', types: ['claim.created'], customer_id, description: 'd' }
    const { id } = await newEndpoint(shared)
    let expected = (await shared.get(`${PATH}/${id}`)).body
    for (const [name, value] of Object.entries({ ...given, enabled: false })) {
      const { status, body } = await shared.patch(`${PATH}/${id}`, { [name]: value })
      expected = { ...expected, [name]: value }
      assert.deepEqual([status, body], [200, expected])
    }
  })
})

describe('a body is refused, and where is said; so is a URL that is not https to a public address (§4.14 rule 8)', () => {
  const BODIES: [path: string, body: object][] = [
    ['url', { url: null }],
    ['url', { url: '' }],
    ['url', { url: 7 }],
    ['url', { url: 'example.com' }],
    ['url', { url: 'https://' }],
    ['url', { url: 'https://[::1' }],
    ['url', { url: 'http://example.com/' }],
    ['url', { url: 'ftp://example.com/' }],
    ['url', { url: 'file:///etc/passwd' }],
    ['url', { url: 'javascript:alert(1)' }],
    ['url', { url: 'https://user@example.com/' }],
    ['url', { url: 'https://user:password@example.com/' }],
    ['url', { url: 'https://:password@example.com/' }],
    ['url', { url: 'https://127.0.0.1/' }],
    ['url', { url: 'https://2130706433/' }],
    ['url', { url: 'https://0x7f.1/' }],
    ['url', { url: 'https://[::ffff:7f00:1]/' }],
    ['url', { url: 'https://169.254.169.254/latest/meta-data/' }],
    ['url', { url: 'https://168.63.129.16/' }],
    ['url', { url: 'https://example.com:25/' }],
    ['url', { url: 'https://example.com:1023/' }],
    ['url', { url: `https://example.com/${'x'.repeat(2_048)}` }],
    ['url', { url: `https://example.com/${'ä'.repeat(1_000)}` }],
    ['url', { url: `https://example.com/${'x'.repeat(50_000)}` }],
    ['types', { types: [] }],
    ['types', { types: 'claim.created' }],
    ['types', { types: ['claim.gone'] }],
    ['types', { types: ['webhook_endpoint.test'] }],
    ['types', { types: ['claim.created', 'claim.created'] }],
    ['types', { types: [null] }],
    ['customer_id', { customer_id: 'somebody' }],
    ['customer_id', { customer_id: '' }],
    ['description', { description: '' }],
    ['description', { description: 'x'.repeat(256) }],
    ['description', { description: 7 }],
    ['enabled', { enabled: null }],
    ['enabled', { enabled: 'yes' }],
    ['secret', { secret: 'whsec_mine' }],
    ['disabled_reason', { disabled_reason: 'gone' }],
    ['id', { id: NOBODY }],
  ]
  for (const [path, body] of BODIES) {
    test(`${JSON.stringify(body).slice(0, 80)}`, async () => {
      const { id } = await newEndpointOnce()
      for (const answer of [
        await shared.post(PATH, { url: URL_, ...body }),
        await shared.patch(`${PATH}/${id}`, body),
      ]) {
        assert.equal(answer.status, 400)
        assert.equal(answer.body.error.code, 'VALIDATION_ERROR')
        const [detail] = answer.body.error.details
        assert.ok(detail.path.startsWith(path), JSON.stringify(answer.body))
        assert.ok(answer.body.error.message.length < 2_000, 'what is refused is not sent back whole')
      }
    })
  }

  test('a port below 1024 other than 80 and 443, unless the operator allows it', async (t) => {
    const { status, body } = await shared.post(PATH, { url: 'https://example.com:25/' })
    const rule =
      'names port 25; the port must be 80, 443 or 1024 or higher, or listed in the setting CLAIMKEEPER_WEBHOOK_PORTS'
    assert.deepEqual([status, body.error.details], [400, [{ path: 'url', message: rule }]])
    const allowing = await startTestService(t, { databaseUrl: service.databaseUrl, webhookPorts: [444] })
    for (const port of [80, 443, 444, 1_024, 65_535])
      assert.equal(
        (await allowing.api.post(PATH, { url: `https://example.com:${port}/` })).status,
        201,
        `${port}`,
      )
    assertError(
      await allowing.api.post(PATH, { url: 'https://example.com:445/' }),
      400,
      'VALIDATION_ERROR',
      'url',
    )
  })

  test('without a url', async () => assertError(await shared.post(PATH, {}), 400, 'VALIDATION_ERROR', 'url'))
  test('that is none', async () => {
    for (const body of [null, [], 'text', 7])
      assertError(await shared.post(PATH, body), 400, 'VALIDATION_ERROR')
  })
})

let once: Promise<Answer['body']> | undefined
const newEndpointOnce = () => {
  once ??= newEndpoint(shared)
  return once
}

describe('hostile strings', () => {
  for (const text of HOSTILE_STRINGS) {
    test(`${JSON.stringify(text)} is a description as it is, and in a URL it is escaped`, async () => {
      const { id } = await newEndpointOnce()
      const changed = await shared.patch(`${PATH}/${id}`, {
        description: text,
        url: `https://example.com/${text}?${text}`,
      })
      assert.equal(changed.status, 200, JSON.stringify(changed.body))
      assert.equal(changed.body.description, text)
      assert.equal(changed.body.url, new URL(changed.body.url).href)
      assert.match(changed.body.url, /^https:\/\/example\.com\/[\x21-\x7e]*$/)
    })
  }

  test('characters that no database stores are refused or escaped', async () => {
    const { id } = await newEndpointOnce()
    for (const text of ['a\0b', 'a\ud800b']) {
      const { status } = await shared.patch(`${PATH}/${id}`, { description: text })
      assert.ok(status === 400, `${status}`)
      const url = await shared.patch(`${PATH}/${id}`, { url: `https://example.com/${text}` })
      assert.ok([200, 400].includes(url.status), `${url.status}`)
      const host = await shared.patch(`${PATH}/${id}`, { url: `https://${text}.example.com/` })
      assert.equal(host.status, 400)
    }
  })
})

describe('a customer', () => {
  test('that is not there, or is another account’s, is refused', async () => {
    const { id } = await newCustomer(await service.newAccount())
    const endpoint = await newEndpointOnce()
    for (const customer_id of [NOBODY, id]) {
      assertError(await shared.post(PATH, { url: URL_, customer_id }), 404, 'CUSTOMER_NOT_FOUND')
      assertError(await shared.patch(`${PATH}/${endpoint.id}`, { customer_id }), 404, 'CUSTOMER_NOT_FOUND')
    }
    assert.equal((await shared.get(`${PATH}/${endpoint.id}`)).body.customer_id, null)
  })

  test('may be written in capitals', async () => {
    const { id } = await newCustomer(shared)
    assert.equal((await newEndpoint(shared, { customer_id: id.toUpperCase() })).customer_id, id)
  })
})

describe('an account', () => {
  test('an account has at most fifty endpoints, not counting deleted endpoints', async () => {
    const api = await service.newAccount()
    for (let i = 0; i < 50; i++) await newEndpoint(api)
    assertError(await api.post(PATH, { url: URL_ }), 422, 'WEBHOOK_ENDPOINT_LIMIT_REACHED')
    const { data } = (await api.get(PATH)).body
    assert.equal(data.length, 50)
    await api.delete(`${PATH}/${data[7].id}`)
    await newEndpoint(api)
    assertError(await api.post(PATH, { url: URL_ }), 422, 'WEBHOOK_ENDPOINT_LIMIT_REACHED')
  })
})

/** Of an endpoint, or of its first delivery. */
const ACTIONS: Record<string, (api: ApiClient, id: string) => Promise<Answer>> = {
  'GET endpoint': (api, id) => api.get(`${PATH}/${id}`),
  'PATCH endpoint': (api, id) => api.patch(`${PATH}/${id}`, { description: 'mine' }),
  'PATCH url': (api, id) => api.patch(`${PATH}/${id}`, { url: 'https://example.org/' }),
  'rotate secret': (api, id) => api.post(`${PATH}/${id}/rotate_secret`, undefined),
  test: (api, id) => api.post(`${PATH}/${id}/test`, undefined),
  redeliver: (api, id) =>
    api.post(`${PATH}/${id}/redeliver`, { from: '2020-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' }),
  'DELETE endpoint': (api, id) => api.delete(`${PATH}/${id}`),
}
const OF_DELIVERY: typeof ACTIONS = {
  'GET delivery': (api, id) => api.get(`/v1/webhook_deliveries/${id}.1`),
  'redeliver one': (api, id) => api.post(`/v1/webhook_deliveries/${id}.1/redeliver`, undefined),
}

describe('what is not the account’s is not there', () => {
  test('of another account', async () => {
    const owner = await service.newAccount()
    const { id } = await newEndpoint(owner)
    await owner.post(`${PATH}/${id}/test`, undefined)
    const stored = () =>
      sql(
        'SELECT e::text, d::text FROM webhook_endpoints e JOIN webhook_deliveries d ON endpoint_id = id WHERE id = $1',
        [id],
      )
    const before = await stored()
    for (const act of Object.values(ACTIONS))
      assertError(await act(shared, id), 404, 'WEBHOOK_ENDPOINT_NOT_FOUND')
    for (const act of Object.values(OF_DELIVERY))
      assertError(await act(shared, id), 404, 'WEBHOOK_DELIVERY_NOT_FOUND')
    const { notification_id } = (await owner.get(`/v1/webhook_deliveries/${id}.1`)).body
    for (const query of [`endpoint_id=${id}`, `notification_id=${notification_id}`, `claim_id=${id}`])
      assert.deepEqual((await shared.get(`/v1/webhook_deliveries?${query}`)).body.data, [], query)
    assert.ok((await shared.get(PATH)).body.data.every((one: { id: string }) => one.id !== id))
    assert.deepEqual(await stored(), before)
  })

  test('or of nobody, or deleted', async () => {
    const { id } = await newEndpoint(shared)
    await shared.post(`${PATH}/${id}/test`, undefined)
    await shared.delete(`${PATH}/${id}`)
    for (const one of [NOBODY, id]) {
      for (const act of Object.values(ACTIONS))
        assertError(await act(shared, one), 404, 'WEBHOOK_ENDPOINT_NOT_FOUND')
      for (const act of Object.values(OF_DELIVERY))
        assertError(await act(shared, one), 404, 'WEBHOOK_DELIVERY_NOT_FOUND')
      assert.deepEqual((await shared.get(`/v1/webhook_deliveries?endpoint_id=${one}`)).body.data, [])
    }
  })

  test('nor what is no id at all', async () => {
    for (const id of ['x', `${NOBODY}x`, '%00', '..%2f..']) {
      const { status } = await shared.get(`${PATH}/${id}`)
      assert.ok([400, 404].includes(status), `${id}: ${status}`)
    }
    const { id } = await newEndpointOnce()
    for (const name of [
      'x',
      id,
      `${id}.`,
      `${id}.0`,
      `${id}.01`,
      `${id}.-1`,
      `${id}.1.1`,
      `${id}.1e3`,
      `${id}.9999999`,
    ])
      assertError(await shared.get(`/v1/webhook_deliveries/${name}`), 404, 'WEBHOOK_DELIVERY_NOT_FOUND')
    for (const name of [`${id}.${'9'.repeat(15)}`, `${id}.${'9'.repeat(40)}`, 'x'.repeat(255)])
      assertError(await shared.get(`/v1/webhook_deliveries/${name}`), 404, 'WEBHOOK_DELIVERY_NOT_FOUND')
  })
})

describe('deliveries', () => {
  test('test deliveries are numbered in order, and can be read and listed in pages', async () => {
    const api = await service.newAccount()
    const { id } = await newEndpoint(api, { enabled: false })
    const sent = []
    for (let i = 0; i < 5; i++) {
      const { status, body } = await api.post(`${PATH}/${id}/test`, undefined)
      assert.equal(status, 202)
      sent.push(body)
    }
    assert.deepEqual(
      sent.map(({ number, type, status, claim_id }) => [number, type, status, claim_id]),
      [1, 2, 3, 4, 5].map((number) => [number, 'webhook_endpoint.test', 'waiting', null]),
    )
    assert.deepEqual(
      sent.map(({ previous_hash }) => previous_hash),
      ['0'.repeat(64), ...sent.map(({ hash }) => hash)].slice(0, 5),
    )
    const endpoint = (await api.get(`${PATH}/${id}`)).body
    assert.deepEqual(endpoint.last_delivery, { number: 5, hash: sent[4].hash })
    assert.equal(endpoint.health.waiting, 5)
    assert.equal(endpoint.health.oldest_waiting_at, sent[0].created_at)

    for (const [order, expected] of [
      ['asc', sent],
      ['desc', sent.toReversed()],
    ] as const) {
      const found = []
      for (let after = ''; ; ) {
        const path = `/v1/webhook_deliveries?endpoint_id=${id}&limit=2&order=${order}${after}`
        const { data, next_cursor } = (await api.get(path)).body
        found.push(...data)
        if (next_cursor === null) break
        after = `&after=${next_cursor}`
      }
      assert.deepEqual(found, expected)
    }
  })

  test('concurrent deliveries have consecutive numbers', async () => {
    const api = await service.newAccount()
    const { id } = await newEndpoint(api, { enabled: false })
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => api.post(`${PATH}/${id}/test`, undefined)),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]))
    const numbers = answers.map(({ body }) => body.number).toSorted((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: 12 }, (_, i) => i + 1),
    )
  })

  test('a list of deliveries can be limited to one subject', async () => {
    const list = '/v1/webhook_deliveries'
    assertError(await shared.get(list), 400, 'VALIDATION_ERROR', 'endpoint_id')
    assertError(
      await shared.get(`${list}?endpoint_id=${NOBODY}&claim_id=${NOBODY}`),
      400,
      'VALIDATION_ERROR',
      'claim_id',
    )
    assertError(await shared.get(`${list}?endpoint_id=x`), 400, 'VALIDATION_ERROR', 'endpoint_id')
    assertError(await shared.get(`${list}?endpoint_id=${NOBODY}&after=x`), 400, 'VALIDATION_ERROR', 'after')
    assertError(
      await shared.get(`${list}?endpoint_id=${NOBODY}&status=gone`),
      400,
      'VALIDATION_ERROR',
      'status',
    )
    assertError(await shared.get(`${list}?endpoint_id=${NOBODY}&limit=101`), 400, 'VALIDATION_ERROR', 'limit')
  })

  test('a redelivery of a range selects by status and end time', async () => {
    const api = await service.newAccount()
    const { id } = await newEndpoint(api, { enabled: false })
    for (let i = 0; i < 4; i++) await api.post(`${PATH}/${id}/test`, undefined)
    await sql(
      `UPDATE webhook_deliveries SET created_at = '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 hour',
         status = (ARRAY['failed', 'succeeded'])[1 + number % 2], next_attempt_at = NULL WHERE endpoint_id = $1`,
      [id],
    )
    const requestRedelivery = (body: object) => api.post(`${PATH}/${id}/redeliver`, body)
    const day = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
    const redelivered = async (body: object) => {
      const answer = await requestRedelivery(body)
      assert.equal(answer.status, 202, JSON.stringify(answer.body))
      return answer.body.redelivered
    }
    assert.equal(await redelivered({ from: '2026-01-01T05:00:00Z', to: '2026-01-02T00:00:00Z' }), 0)
    assert.equal(await redelivered({ ...day, to: '2026-01-01T02:00:00Z', status: 'failed' }), 0)
    assert.equal(
      await redelivered({ ...day, from: '2026-01-01T02:00:00Z', to: '2026-01-01T02:00:00.001Z' }),
      1,
    )
    assert.equal(await redelivered({ ...day, status: 'failed' }), 1)
    assert.equal(await redelivered({ ...day, status: 'succeeded' }), 2)
    assert.equal(await redelivered({ from: '1970-01-01T00:00:00Z', to: '2999-12-31T23:59:59Z' }), 4)
    assertError(await requestRedelivery({ ...day, to: day.from }), 400, 'VALIDATION_ERROR', 'to')
    assertError(await requestRedelivery({ from: day.from }), 400, 'VALIDATION_ERROR', 'to')
    assertError(await requestRedelivery({ ...day, from: 'today' }), 400, 'VALIDATION_ERROR', 'from')
    assertError(await requestRedelivery({ ...day, status: 'gone' }), 400, 'VALIDATION_ERROR', 'status')
    assertError(await requestRedelivery({ ...day, status: null }), 400, 'VALIDATION_ERROR', 'status')
  })
})

describe('a secret', () => {
  test('a secret is shown once, and is neither in the database nor in the log', async (t) => {
    const logged: string[] = []
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        logged.push(String(chunk))
        done()
      },
    })
    const sending = await startWebhookService(t, { log: pino({ level: 'trace' }, stream) })
    const { api } = sending
    const receiver = await startWebhookReceiver(t)
    const posted = await api.post(PATH, { url: receiver.url })
    const { id } = posted.body
    const rotated = await api.post(`${PATH}/${id}/rotate_secret`, undefined)
    assert.equal(rotated.status, 200)
    const until = Date.parse(rotated.body.old_secret_until) - Date.now()
    assert.ok(Math.abs(until - 24 * 3_600_000) < 60_000)
    const secrets: string[] = [posted.body.secret, rotated.body.secret]
    assert.notEqual(secrets[0], secrets[1])

    await newClaim(api)
    await eventually(async () => receiver.received.length > 0)
    const answers = [
      await api.get(PATH),
      await api.get(`${PATH}/${id}`),
      await api.patch(`${PATH}/${id}`, { url: `${receiver.url}/other` }),
      await api.post(`${PATH}/${id}/test`, undefined),
      await api.get(`/v1/webhook_deliveries?endpoint_id=${id}`),
      await api.get(`/v1/webhook_deliveries/${id}.1`),
      await api.post(`/v1/webhook_deliveries/${id}.1/redeliver`, undefined),
      await api.get('/v1/notifications'),
      await api.delete(`${PATH}/${id}`),
    ]
    const tables = await sending.sql("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
    const rows = await Promise.all(
      tables.map(({ name }) =>
        sending.sql(`SELECT t::text AS row, convert_to(t::text, 'UTF8')::text AS hex FROM ${name} t`),
      ),
    )
    const stored = JSON.stringify(rows)
    assert.ok(stored.includes(id))
    const written = JSON.stringify(answers.map(({ body }) => body ?? null))
    for (const secret of secrets) {
      const raw = Buffer.from(secret.slice('whsec_'.length), 'base64')
      for (const form of [
        secret,
        secret.slice(6),
        raw.toString('hex'),
        Buffer.from(secret).toString('hex'),
      ]) {
        assert.ok(!stored.includes(form), 'stored')
        assert.ok(!written.includes(form), 'answered')
        assert.ok(!logged.join('').includes(form), 'logged')
        assert.ok(!JSON.stringify(receiver.received).includes(form), 'sent')
      }
    }
  })

  test('an encrypted secret cannot be decrypted for another endpoint', async () => {
    const [one, other] = [await newEndpoint(shared), await newEndpoint(shared)]
    const [row] = await sql('SELECT secret FROM webhook_endpoints WHERE id = $1', [one.id])
    const { webhookSecrets } = service.app
    assert.equal(webhookSecrets.decrypt(row?.secret as Buffer, one.id), one.secret)
    assert.throws(() => webhookSecrets.decrypt(row?.secret as Buffer, other.id))
    assert.throws(() => webhookSecrets.decrypt(row?.secret as Buffer, randomUUID()))
  })
})
