import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { describe, test } from 'node:test'
import type { Answer, ApiClient } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { withTriggers } from '../support/database-nodes.ts'
import { eventually } from '../support/eventually.ts'
import { holdBy } from '../support/held-rows.ts'
import { newCalendar, newClaim, newCustomer, newSchema } from '../support/new-records.ts'
import { sharedSecondService, sharedService } from '../support/shared.ts'

/* ETag, If-Match and If-None-Match (§4.16). */

const service = await sharedService()
const other = await sharedSecondService()
const { api } = service

interface Kind {
  make: (account: ApiClient) => Promise<string>
  /** A change that no other number makes. */
  change: (n: number) => object
  canBeDeleted: boolean
  notFound:
    | 'SCHEMA_NOT_FOUND'
    | 'CALENDAR_NOT_FOUND'
    | 'CUSTOMER_NOT_FOUND'
    | 'WEBHOOK_ENDPOINT_NOT_FOUND'
    | null
  /** Statement that blocks changes of the account's record. */
  hold: [text: string, by: 'id' | 'user_id']
}

const CURRENCIES = Intl.supportedValuesOf('currency')

const KINDS: Record<string, Kind> = {
  schema: {
    make: async (account) => `/v1/schemas/${(await newSchema(account)).id}`,
    change: (n) => ({ contract: contractWith({ price: 1_000 + n }) }),
    canBeDeleted: true,
    notFound: 'SCHEMA_NOT_FOUND',
    hold: ['SELECT FROM claim_schemas WHERE id = $1 FOR UPDATE', 'id'],
  },
  calendar: {
    make: async (account) => `/v1/calendars/${(await newCalendar(account)).id}`,
    change: (n) => ({ name: `name ${n}` }),
    canBeDeleted: true,
    notFound: 'CALENDAR_NOT_FOUND',
    hold: ['SELECT FROM calendars WHERE id = $1 FOR UPDATE', 'id'],
  },
  customer: {
    make: async (account) => `/v1/customers/${(await newCustomer(account)).id}`,
    change: (n) => ({ name: `name ${n}` }),
    canBeDeleted: false,
    notFound: 'CUSTOMER_NOT_FOUND',
    hold: ['SELECT FROM customers WHERE id = $1 FOR UPDATE', 'id'],
  },
  'webhook endpoint': {
    make: async (account) => {
      const { body } = await account.post('/v1/webhook_endpoints', { url: 'https://example.com/' })
      return `/v1/webhook_endpoints/${body.id}`
    },
    change: (n) => ({ description: `description ${n}`, types: ['claim.failed'] }),
    canBeDeleted: true,
    notFound: 'WEBHOOK_ENDPOINT_NOT_FOUND',
    hold: ['SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE', 'id'],
  },
  account: {
    make: async () => '/v1/me',
    change: (n) => ({ currency: CURRENCIES[n % CURRENCIES.length] }),
    canBeDeleted: false,
    notFound: null,
    hold: ['SELECT FROM users WHERE id = $1 FOR UPDATE', 'user_id'],
  },
  settings: {
    make: async () => '/v1/notification_settings',
    change: (n) => ({ event_recorded: n % 2 === 1 }),
    canBeDeleted: false,
    notFound: null,
    // Nobody has a row of them yet.
    hold: ['INSERT INTO notification_settings VALUES ($1, true)', 'user_id'],
  },
}

const tagOf = ({ headers }: Answer) => headers.get('etag') ?? ''
const ifMatch = (tag: string) => ({ 'If-Match': tag })
const ifNoneMatch = (tag: string) => ({ 'If-None-Match': tag })
const atOther = (account: ApiClient) => other.clientWith(account.token)

for (const [name, { make, change, canBeDeleted, notFound, hold }] of Object.entries(KINDS)) {
  describe(name, () => {
    test('has a strong ETag that is the same on every server and differs after a change without If-Match (§4.16 rule 3)', async () => {
      const account = await service.newAccount()
      const path = await make(account)
      const before = await account.get(path)
      assert.match(tagOf(before), /^"[\w.-]+"$/)
      assert.equal(tagOf(await account.get(path)), tagOf(before))
      assert.equal(tagOf(await atOther(account).get(path)), tagOf(before))
      const changed = await account.patch(path, change(1))
      assert.equal(changed.status, 200)
      assert.notEqual(tagOf(changed), tagOf(before))
      const after = await atOther(account).get(path)
      assert.deepEqual([tagOf(after), after.body], [tagOf(changed), changed.body])
    })

    test('a change with a stale If-Match answers 412 (§4.16 rule 1)', async () => {
      const account = await service.newAccount()
      const path = await make(account)
      const before = tagOf(await account.get(path))
      const first = await account.patch(path, change(1), ifMatch(before))
      assert.equal(first.status, 200)
      const second = await atOther(account).patch(path, change(2), ifMatch(before))
      assertError(second, 412, 'PRECONDITION_FAILED')
      assert.match(second.body.error.message, /If-Match.*Nothing was done/)
      const now = await account.get(path)
      assert.deepEqual([now.body, tagOf(now)], [first.body, tagOf(first)])
      assert.equal((await account.patch(path, change(2), ifMatch(tagOf(now)))).status, 200)
    })

    test('If-Match accepts a list and *, and never a weak ETag (§4.16 rules 1 and 2)', async () => {
      const account = await service.newAccount()
      const path = await make(account)
      const tag = async () => tagOf(await account.get(path))
      const statusOf = async (header: string) =>
        (await account.patch(path, change(0), ifMatch(header))).status
      assert.equal(await statusOf(`"other", ${await tag()}`), 200)
      assert.equal(await statusOf(`,, ${await tag()} ,"with,comma" ,`), 200)
      assert.equal(await statusOf(`W/${await tag()}`), 412)
      assert.equal(await statusOf(`W/${await tag()}, "other"`), 412)
      assert.equal(await statusOf(`W/${await tag()}, ${await tag()}`), 200)
      assert.equal(await statusOf('""'), 412)
      assert.equal(await statusOf((await tag()).replace(/^"./, '"x')), 412)
      assert.equal(await statusOf('*'), 200)
    })

    test('of concurrent changes with one ETag exactly one succeeds (§4.16 rule 1)', async (t) => {
      const account = await service.newAccount()
      const path = await make(account)
      const tag = tagOf(await account.get(path))
      const { id } = (await account.get('/v1/me')).body
      const [text, by] = hold
      const values = [by === 'user_id' ? id : path.split('/').at(-1)]
      const held = await holdBy(t, withTriggers(service.databaseUrl), text, values)
      const changing = Array.from({ length: 12 }, (_, n) =>
        // A change of a customer waits a second for the row, then answers 503. On a busy machine it must be repeated.
        eventually(async () => {
          const client = n % 2 ? account : atOther(account)
          const answer = await client.patch(path, change(2 * n + 1), ifMatch(tag))
          return answer.status !== 503 && answer
        }),
      )
      // They have been let in, and wait for the row.
      await held.untilStatementsWait(3)
      await held.run('ROLLBACK', [])
      const answers = await Promise.all(changing)
      const created = answers.filter(({ status }) => status === 200)
      assert.equal(created.length, 1)
      for (const one of answers.filter((answer) => answer !== created[0]))
        assertError(one, 412, 'PRECONDITION_FAILED')
      assert.deepEqual((await account.get(path)).body, created[0]?.body)
    })

    test('answers 304 to a request with its ETag (§4.16 rule 4)', async () => {
      const account = await service.newAccount()
      const path = await make(account)
      const tag = tagOf(await account.get(path))
      for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const answer = await account.get(path, ifNoneMatch(header))
        assert.deepEqual([answer.status, answer.body, tagOf(answer)], [304, undefined, tag], header)
      }
      const sent = await account.send('HEAD', path, undefined, ifNoneMatch(tag))
      assert.deepEqual([sent.status, tagOf(sent)], [304, tag])
      assert.equal((await account.get(path, ifNoneMatch('"other"'))).status, 200)
      await account.patch(path, change(1))
      assert.equal((await account.get(path, ifNoneMatch(tag))).status, 200)
    })

    test('a header without valid ETags answers 400, and nothing is changed (§4.16 rule 5)', async () => {
      const account = await service.newAccount()
      const path = await make(account)
      const before = await account.get(path)
      const bad = ['', 'x', '"', '"x', 'x"', '*, "x"', '"x", *', '"x" "y"', ',', 'w/"x"', '"x y"', "'x'"]
      for (const header of bad) {
        assertError(
          await account.patch(path, change(1), ifMatch(header)),
          400,
          'VALIDATION_ERROR',
          'If-Match',
        )
        assertError(await account.get(path, ifNoneMatch(header)), 400, 'VALIDATION_ERROR', 'If-None-Match')
      }
      assert.deepEqual((await account.get(path)).body, before.body)
    })

    if (notFound) {
      test('that does not exist answers 404 with any If-Match (§4.16 rule 2)', async () => {
        const path = (await make(api)).replace(/[^/]+$/, randomUUID())
        for (const header of ['*', '"x"', 'W/"x"'])
          assertError(await api.patch(path, change(1), ifMatch(header)), 404, notFound)
        const stranger = await service.newAccount()
        const theirs = await make(api)
        const tag = tagOf(await api.get(theirs))
        assertError(await stranger.patch(theirs, change(1), ifMatch(tag)), 404, notFound)
        assertError(await stranger.get(theirs, ifNoneMatch(tag)), 404, notFound)
      })
    }

    if (canBeDeleted) {
      test('is deleted if If-Match has its current ETag', async () => {
        const path = await make(api)
        const before = tagOf(await api.get(path))
        const { headers } = await api.patch(path, change(1))
        assertError(await api.delete(path, ifMatch(before)), 412, 'PRECONDITION_FAILED')
        assertError(await api.delete(path, ifMatch('x')), 400, 'VALIDATION_ERROR', 'If-Match')
        assert.equal((await api.get(path)).status, 200)
        assert.equal((await api.delete(path, ifMatch(headers.get('etag') ?? ''))).status, 204)
        assertError(await api.delete(path, ifMatch('*')), 404, notFound ?? 'ROUTE_NOT_FOUND')
      })
    }
  })
}

test('the response to a creation has the ETag of a later read', async () => {
  const created = [
    await api.post('/v1/schemas', { contract: contractWith() }),
    await api.post('/v1/customers', { external_id: randomUUID(), name: 'a' }),
    await api.post('/v1/webhook_endpoints', { url: 'https://example.com/' }),
  ]
  for (const one of created) assert.equal(tagOf(one), tagOf(await api.get(one.headers.get('location') ?? '')))
  const endpoint = created[2]?.headers.get('location')
  const rotated = await api.post(`${endpoint}/rotate_secret`, {})
  assert.equal(tagOf(rotated), tagOf(await api.get(endpoint ?? '')))
})

test('saving the same contract again creates a new version of a schema', async () => {
  const { id, contract } = await newSchema(api)
  const tags = new Set<string>()
  for (let n = 0; n < 20; n++) tags.add(tagOf(await api.patch(`/v1/schemas/${id}`, { contract })))
  assert.equal(tags.size, 20)
})

test('an empty change with a stale If-Match answers 412', async () => {
  const endpoint = await (KINDS['webhook endpoint'] as Kind).make(api)
  for (const path of [endpoint, '/v1/notification_settings']) {
    const tag = tagOf(await api.get(path))
    assert.equal((await api.patch(path, {}, ifMatch(tag))).status, 200)
    assertError(await api.patch(path, {}, ifMatch('"other"')), 412, 'PRECONDITION_FAILED')
  }
})

test('a test delivery changes an endpoint’s ETag, but causes no 412 (§4.16 rule 7)', async () => {
  const path = await (KINDS['webhook endpoint'] as Kind).make(api)
  const before = tagOf(await api.get(path))
  await api.post(`${path}/test`, {})
  const after = await api.get(path, ifNoneMatch(before))
  assert.equal(after.status, 200)
  assert.notEqual(tagOf(after), before)
  assert.equal((await api.patch(path, { description: 'a' }, ifMatch(before))).status, 200)
  assertError(await api.patch(path, { description: 'b' }, ifMatch(before)), 412, 'PRECONDITION_FAILED')
  assertError(await api.delete(path, ifMatch(tagOf(after))), 412, 'PRECONDITION_FAILED')
})

test('the ETag of the account differs after its name changes', async () => {
  const account = await service.newAccount()
  const before = await account.get('/v1/me')
  await service.sql("UPDATE users SET name = 'other' WHERE id = $1", [before.body.id])
  const after = await account.get('/v1/me', ifNoneMatch(tagOf(before)))
  assert.deepEqual([after.status, after.body.name], [200, 'other'])
})

describe('hostile headers', async () => {
  const path = `/v1/customers/${(await newCustomer(api)).id}`

  /** Each value in a line of its own. */
  const patchWith = (lines: string[]): Promise<number | undefined> => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
    const headers = {
      Authorization: `Bearer ${api.token}`,
      'Content-Type': 'application/json',
      'If-Match': lines,
    }
    const sent = request(service.url + path, { method: 'PATCH', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode))
    })
    sent.on('error', reject).end('{"name":"a"}')
    return promise
  }

  test('in several header lines are one list (§4.16 rule 5)', async () => {
    const tag = tagOf(await api.get(path))
    assert.equal(await patchWith(['"other"', tag]), 200)
    assert.equal(await patchWith(['"other"', '"another"']), 412)
    assert.equal(await patchWith(['*', '"other"']), 400)
    assert.equal(await patchWith(['*', '*']), 400)
  })
})

test('a refused change of types does not move the cursor of the endpoint', async (t) => {
  const account = await service.newAccount()
  const settings = { url: 'https://example.com/', types: ['claim.event_recorded'] }
  const created = await account.post('/v1/webhook_endpoints', settings)
  const { id } = created.body
  // The endpoint gets none of these notifications, so a change of its types skips them.
  await newClaim(account)
  const place = async () =>
    (await service.sql('SELECT told_up_to FROM webhook_endpoints WHERE id = $1', [id]))[0]?.told_up_to
  const before = await place()
  const change = "UPDATE webhook_endpoints SET types = '{claim.created}' WHERE id = $1"
  const held = await holdBy(t, withTriggers(service.databaseUrl), change, [id])
  const changing = account.patch(
    `/v1/webhook_endpoints/${id}`,
    { types: ['claim.failed'] },
    ifMatch(tagOf(created)),
  )
  await held.untilStatementsWait()
  await held.release()
  assertError(await changing, 412, 'PRECONDITION_FAILED')
  assert.equal(await place(), before)
})
