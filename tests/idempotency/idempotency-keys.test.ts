import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { insertOrFindKeys } from '../../src/idempotency/idempotency-key-store.ts'
import type { Answer, ApiClient } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { calendarWith } from '../support/calendars.ts'
import { contractWith } from '../support/contracts.ts'
import { withTriggers } from '../support/database-nodes.ts'
import { holdClock, holdCreations, holdSchemas } from '../support/held-rows.ts'
import {
  newCalendar,
  newCandidate,
  newClaim,
  newCustomer,
  newSchema,
  uniqueName,
} from '../support/new-records.ts'
import { openSession, signUp } from '../support/session-client.ts'
import { sharedSecondService, sharedService } from '../support/shared.ts'
import { forgetExpired } from '../support/source/service.ts'
import { wholeOperations } from '../support/whole-operations.ts'

/* Idempotency-Key (§4.17). */

const service = await sharedService()
const other = await sharedSecondService()

const statuses = ({ body }: Answer) => body.results.map(({ status }: { status: number }) => status)

/** Errors of items contain the request id and the server. */
const withoutIds = (body: unknown) =>
  JSON.parse(JSON.stringify(body).replaceAll(/req_[\w-]+|127.0.0.1:\d+/g, ''))

const keyed = (key: string = randomUUID()) => ({ 'Idempotency-Key': key })
const isReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'

interface ApiRequest {
  method: 'POST' | 'PATCH'
  path: string
  body?: object
}
interface Operation {
  prepare: (account: ApiClient) => Promise<ApiRequest>
  /** A value that changes with each execution. */
  readEffect: (account: ApiClient) => Promise<unknown>
}

const countOf = (table: string) => async () => (await service.sql(`SELECT count(*) FROM ${table}`))[0]?.count
const post = (path: string, body?: object): ApiRequest => ({
  method: 'POST',
  path,
  ...(body ? { body } : {}),
})
const patch = (path: string, body: object): ApiRequest => ({ method: 'PATCH', path, body })
const newEndpoint = async (account: ApiClient): Promise<string> =>
  (await account.post('/v1/webhook_endpoints', { url: 'https://example.com/' })).body.id
const claimOf = async (account: ApiClient) => ({
  customer_id: (await newCustomer(account)).id,
  contract: contractWith(),
})
const candidateOf = async (account: ApiClient) => ({
  candidate_alias: uniqueName('candidate'),
  customer_uuid: (await newCustomer(account)).external_id,
  contract: contractWith(),
})

const OPERATIONS: Record<string, Operation> = {
  createClaim: {
    prepare: async (account) => post('/v1/claims', await claimOf(account)),
    readEffect: countOf('claims'),
  },
  createCandidate: {
    prepare: async (account) => post('/v1/candidates', await candidateOf(account)),
    readEffect: countOf('claims'),
  },
  createClaims: {
    prepare: async (account) =>
      post('/v1/claims/batch', {
        claims: [await claimOf(account), { customer_id: randomUUID(), contract: contractWith() }, {}],
      }),
    readEffect: countOf('claims'),
  },
  createCandidates: {
    prepare: async (account) => post('/v1/candidates/batch', { candidates: [await candidateOf(account)] }),
    readEffect: countOf('claims'),
  },
  createSchema: {
    prepare: async () => post('/v1/schemas', { contract: contractWith() }),
    readEffect: countOf('claim_schemas'),
  },
  updateSchema: {
    prepare: async (account) =>
      patch(`/v1/schemas/${(await newSchema(account)).id}`, { contract: contractWith({ price: 5 }) }),
    readEffect: async (account) => (await account.get('/v1/schemas')).body.data.at(-1).updated_at,
  },
  createCalendar: {
    prepare: async () => post('/v1/calendars', calendarWith()),
    readEffect: countOf('calendars'),
  },
  updateCalendar: {
    prepare: async (account) =>
      patch(`/v1/calendars/${(await newCalendar(account)).id}`, { holidays: ['2026-12-25'] }),
    readEffect: async (account) => (await account.get('/v1/calendars')).body.data.at(-1).version,
  },
  createCustomer: {
    prepare: async () => post('/v1/customers', { external_id: uniqueName('customer') }),
    readEffect: countOf('customers'),
  },
  updateCustomer: {
    prepare: async (account) => patch(`/v1/customers/${(await newCustomer(account)).id}`, { name: 'new' }),
    readEffect: countOf('customers'),
  },
  updateClaim: {
    prepare: async (account) =>
      patch(`/v1/claims/${(await newClaim(account)).id}`, { metadata: { order: 'A-4711' } }),
    readEffect: countOf('claim_metadata'),
  },
  updateCandidate: {
    prepare: async (account) =>
      patch(`/v1/candidates/${(await newCandidate(account)).candidate_alias}`, {
        metadata: { order: 'A-4711' },
      }),
    readEffect: countOf('claim_metadata'),
  },
  createTestClock: {
    prepare: async () => post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' }),
    readEffect: countOf('test_clocks'),
  },
  updateNotificationSettings: {
    prepare: async () => patch('/v1/notification_settings', { event_recorded: true }),
    readEffect: countOf('notification_settings'),
  },
  createWebhookEndpoint: {
    prepare: async () => post('/v1/webhook_endpoints', { url: 'https://example.com/' }),
    readEffect: countOf('webhook_endpoints'),
  },
  updateWebhookEndpoint: {
    prepare: async (account) =>
      patch(`/v1/webhook_endpoints/${await newEndpoint(account)}`, { description: 'new' }),
    readEffect: countOf('webhook_endpoints'),
  },
  rotateWebhookSecret: {
    prepare: async (account) => post(`/v1/webhook_endpoints/${await newEndpoint(account)}/rotate_secret`),
    readEffect: async () =>
      (await service.sql('SELECT secret FROM webhook_endpoints ORDER BY id DESC LIMIT 1'))[0]?.secret,
  },
  testWebhookEndpoint: {
    prepare: async (account) => post(`/v1/webhook_endpoints/${await newEndpoint(account)}/test`),
    readEffect: countOf('webhook_deliveries'),
  },
  redeliverWebhook: {
    prepare: async (account) => {
      const { body } = await account.post(
        `/v1/webhook_endpoints/${await newEndpoint(account)}/test`,
        undefined,
      )
      return post(`/v1/webhook_deliveries/${body.id}/redeliver`)
    },
    readEffect: async () =>
      (await service.sql('SELECT max(next_attempt_at) AS at FROM webhook_deliveries'))[0]?.at,
  },
  updateMe: {
    prepare: async () => patch('/v1/me', { currency: 'EUR', time_zone: 'Asia/Kathmandu' }),
    readEffect: async (account) => (await account.get('/v1/me')).body,
  },
  createOwnToken: {
    prepare: async () => post('/v1/tokens', { name: 'mine' }),
    readEffect: countOf('api_tokens'),
  },
  createInvitation: {
    prepare: async () => post('/v1/invitations', {}),
    readEffect: countOf('invitations'),
  },
}

/** Operations that ignore the header: they have no effect, the same effect again, or send deliveries that receivers must deduplicate. */
const WITHOUT_KEY = ['simulateContract', 'advanceTestClock', 'redeliverWebhooks']
/** The key is the id of the event. */
const EVENT_OPERATIONS = ['submitEvent', 'submitClaimEvent', 'submitCandidateEvent', 'submitEvents']

const send = (account: ApiClient, { method, path, body }: ApiRequest, headers: Record<string, string>) =>
  account.send(method, path, body && JSON.stringify(body), {
    ...(body ? { 'Content-Type': 'application/json' } : {}),
    ...headers,
  })

/** In a session, which may prepare for all of it; at each of the servers. */
async function newAccount(): Promise<[here: ApiClient, there: ApiClient]> {
  const { browser } = await signUp(service)
  const at = ({ clientWith, url }: typeof service) =>
    clientWith(null).with({ Cookie: browser.cookie, Origin: url })
  return [at(service), at(other)]
}

test('every POST and PATCH operation has a case here', async () => {
  const { paths } = wholeOperations((await service.api.get('/openapi.json')).body)
  const all = Object.entries<Record<string, { operationId: string }>>(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId }]) =>
      path.startsWith('/v1/') && ['post', 'patch'].includes(method) ? operationId : [],
    ),
  )
  const known = [...Object.keys(OPERATIONS), ...WITHOUT_KEY, ...EVENT_OPERATIONS]
  assert.deepEqual(all.toSorted(), known.toSorted())
})

for (const [name, { prepare, readEffect }] of Object.entries(OPERATIONS)) {
  test(`${name} is executed once per key, a repeat gets the same response, and another request with the key is refused (§4.17 rules 1 and 4)`, async () => {
    const [account, there] = await newAccount()
    const request = await prepare(account)
    const key = keyed()
    const first = await send(account, request, key)
    assert.ok(first.status < 300, JSON.stringify(first.body))
    assert.equal(isReplayed(first), false)
    const effect = await readEffect(account)
    for (const again of [await send(account, request, key), await send(there, request, key)]) {
      assert.ok(isReplayed(again))
      assert.deepEqual([again.status, withoutIds(again.body)], [first.status, withoutIds(first.body)])
      for (const header of ['content-type', 'location', 'etag'])
        assert.equal(again.headers.get(header), first.headers.get(header))
    }
    const otherBody = { ...request, path: `${request.path}?`, body: request.body ?? {} }
    assertError(await send(account, otherBody, key), 422, 'IDEMPOTENCY_KEY_REUSED')
    assert.deepEqual(await readEffect(account), effect)
    const [stranger] = await newAccount()
    const asStranger = await send(stranger, await prepare(stranger), key)
    assert.ok(asStranger.status < 300 && !isReplayed(asStranger))
  })
}

test('simulations, advances of test clocks and redeliveries of a range ignore the header (§4.17 rule 8)', async () => {
  const account = await service.newAccount()
  const clock = (await account.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })).body
  const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
  const endpoint = await newEndpoint(account)
  const requests: Record<string, [path: string, bodies: [object, object]]> = {
    simulateContract: [
      '/v1/simulations',
      [
        { contract: contractWith({ price: 1 }), events: [] },
        { contract: contractWith({ price: 2 }), events: [] },
      ],
    ],
    advanceTestClock: [
      `/v1/test_clocks/${clock.id}/advance`,
      [{ frozen_time: '2026-01-02T00:00:00Z' }, { frozen_time: '2026-01-03T00:00:00Z' }],
    ],
    redeliverWebhooks: [
      `/v1/webhook_endpoints/${endpoint}/redeliver`,
      [range, { ...range, status: 'failed' }],
    ],
  }
  assert.deepEqual(Object.keys(requests), WITHOUT_KEY)
  for (const [path, bodies] of Object.values(requests)) {
    const key = keyed()
    for (const body of bodies) {
      const answer = await send(account, post(path, body), key)
      assert.ok(answer.status < 300 && !isReplayed(answer), `${path}: ${JSON.stringify(answer.body)}`)
    }
  }
})

test('one of many concurrent requests at two servers is executed (§4.17 rule 1)', async () => {
  const [here, there] = await newAccount()
  const request = post('/v1/schemas', { contract: contractWith() })
  const key = keyed()
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => send(i % 2 ? here : there, request, key)),
  )
  const done = answers.filter(({ status }) => status === 201)
  assert.equal(done.filter((answer) => !isReplayed(answer)).length, 1)
  for (const answer of answers) {
    if (answer.status === 201) assert.deepEqual(answer.body, done[0]?.body)
    else assertError(answer, 409, 'IDEMPOTENCY_KEY_IN_USE')
  }
  assert.equal((await here.get('/v1/schemas')).body.data.length, 1)
})

test('one statement inserts the same key separately for two accounts', async () => {
  const accounts = [await service.newAccount(), await service.newAccount()]
  const userIds = await Promise.all(
    accounts.map(async (account): Promise<string> => (await newClaim(account)).user_id),
  )
  const keys = userIds.map((userId, i) => ({ userId, key: 'same', digest: Buffer.alloc(32, i) }))
  const begun = await insertOrFindKeys(service.app.db.writes.for(userIds[0] as string), keys)
  assert.equal(new Set(begun.map((key) => key?.seed)).size, 2)
  const again = await insertOrFindKeys(service.app.db.writes.for(userIds[0] as string), keys.toReversed())
  assert.deepEqual(
    again.toReversed(),
    begun.map((key) => ({ ...key, isKnown: true })),
  )
})

test('a request whose key is in use answers 409 with Retry-After (§4.17 rule 3)', async (t) => {
  const [account] = await newAccount()
  const request = post('/v1/schemas', { contract: contractWith() })
  const key = keyed()
  const held = await holdSchemas(t, withTriggers(service.databaseUrl))
  const first = send(account, request, key)
  await held.untilStatementsWait()
  const second = await send(account, request, key)
  assertError(second, 409, 'IDEMPOTENCY_KEY_IN_USE')
  assert.equal(second.headers.get('retry-after'), '1')
  await held.release()
  const { status, body } = await first
  assert.equal(status, 201)
  const third = await send(account, request, key)
  assert.deepEqual([isReplayed(third), third.body], [true, body])
})

test('a refused request stores no response, and a retry with the same key is executed (§4.17 rule 2)', async () => {
  const account = await service.newAccount()
  const key = keyed()
  const external_id = uniqueName('customer')
  const request = post('/v1/candidates', {
    candidate_alias: uniqueName('candidate'),
    customer_uuid: external_id,
    contract: contractWith(),
  })
  assertError(await send(account, request, key), 404, 'CUSTOMER_NOT_FOUND')
  await account.post('/v1/customers', { external_id })
  const answer = await send(account, request, key)
  assert.deepEqual([answer.status, isReplayed(answer)], [201, false])
})

test('a key expires after 24 hours, and can then be used for another request', async () => {
  const account = await service.newAccount()
  const key = randomUUID()
  const first = await send(account, post('/v1/customers', { external_id: uniqueName() }), keyed(key))
  await service.sql(
    "UPDATE idempotency_keys SET created_at = created_at - interval '24 hours' WHERE key = $1",
    [key],
  )
  const second = await send(account, post('/v1/customers', { external_id: uniqueName() }), keyed(key))
  assert.deepEqual([second.status, isReplayed(second)], [201, false])
  assert.notEqual(second.body.id, first.body.id)
})

test('the clean-up removes only expired keys', async () => {
  const account = await service.newAccount()
  for (let i = 0; i < 3; i++)
    await send(account, post('/v1/customers', { external_id: uniqueName() }), keyed(`age-${i}`))
  await service.sql(
    "UPDATE idempotency_keys SET created_at = created_at - interval '24 hours' WHERE key IN ('age-0', 'age-1')",
  )
  await forgetExpired(service.app)
  const left = await service.sql("SELECT key FROM idempotency_keys WHERE key LIKE 'age-%'")
  assert.deepEqual(left, [{ key: 'age-2' }])
})

test('a response with a secret is stored encrypted, and only the caller’s session can read it (§4.17 rule 5)', async () => {
  const { email, browser } = await signUp(service)
  const request = { name: 'mine' }
  const key = keyed()
  const { body } = await browser.post('/v1/tokens', request, key)
  assert.equal((await browser.post('/v1/tokens', request, key)).body.token, body.token)
  const again = await openSession(service, email)
  assertError(await again.post('/v1/tokens', request, key), 422, 'IDEMPOTENCY_KEY_REUSED')
  const [row] = await service.sql('SELECT body, is_sealed FROM idempotency_keys WHERE key = $1', [
    key['Idempotency-Key'],
  ])
  assert.equal(row?.is_sealed, true)
  assert.ok(!`${row?.body}`.includes(body.token))
})

test('a key has 1 to 255 visible ASCII characters; any other key is refused with the rule (§4.17)', async () => {
  const account = await service.newAccount()
  const request = post('/v1/customers', { external_id: uniqueName() })
  for (const wrong of ['', 'a b', 'ä', 'a'.repeat(256)]) {
    const answer = await send(account, request, keyed(wrong))
    assertError(answer, 400, 'VALIDATION_ERROR', 'idempotency-key')
    assert.match(answer.body.error.message, /must be 1 to 255 visible ASCII characters, without white space$/)
  }
  const longest = keyed(`"${'~'.repeat(253)}"`)
  assert.equal((await send(account, request, longest)).status, 201)
  assert.equal((await send(account, request, longest)).headers.get('idempotent-replayed'), 'true')
})

test('a creation waits for its locked test clock without delaying other requests', async (t) => {
  const account = await service.newAccount()
  const clock = (await account.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })).body
  const request = post('/v1/claims', { ...(await claimOf(account)), test_clock_id: clock.id })
  const held = await holdClock(t, service.databaseUrl, clock.id)
  const key = keyed()
  const waiting = Array.from({ length: 4 }, (_, i) => send(account, request, keyed(`clock-${i}`)))
  const first = send(account, request, key)
  assert.equal(
    (await send(account, post('/v1/customers', { external_id: uniqueName() }), keyed())).status,
    201,
  )
  await held.release()
  for (const answer of await Promise.all([first, ...waiting])) assert.equal(answer.status, 201)
  assert.ok(isReplayed(await send(account, request, key)))
})

describe('creations (§4.17 rule 6)', () => {
  const claimsOf = async (account: ApiClient) => (await account.get('/v1/claims')).body.data
  test('of concurrent identical requests create one claim and return the same response', async (t) => {
    const [here, there] = await newAccount()
    const request = post('/v1/claims', await claimOf(here))
    const key = keyed()
    const held = await holdCreations(t, withTriggers(service.databaseUrl))
    const sending = Array.from({ length: 8 }, (_, i) => send(i % 2 ? here : there, request, key))
    await held.untilStatementsWait()
    await held.release()
    const answers = await Promise.all(sending)
    for (const { status, body } of answers) assert.deepEqual([status, body], [201, answers[0]?.body])
    assert.ok(answers.filter((answer) => !isReplayed(answer)).length <= 1)
    assert.equal((await claimsOf(here)).length, 1)
  })

  test('return the original response after the claim or its schema has changed or was deleted', async () => {
    const account = await service.newAccount()
    const { customer_id } = await claimOf(account)
    const { id: schema_id } = await newSchema(account)
    const request = post('/v1/claims/batch', {
      claims: [
        { customer_id, schema_id },
        { customer_id, schema_id },
      ],
    })
    const key = keyed()
    const first = await send(account, request, key)
    await account.post('/v1/events', { claim_id: first.body.results[0].claim.id, type: 'done' })
    await account.patch(`/v1/schemas/${schema_id}`, { contract: contractWith({ price: 77 }) })
    assert.deepEqual((await send(account, request, key)).body, first.body)
    await account.delete(`/v1/schemas/${schema_id}`)
    assert.deepEqual((await send(account, request, key)).body, first.body)
    assert.equal((await claimsOf(account)).length, 2)
  })

  test('that failed in part create only the missing candidates when they are repeated', async () => {
    const account = await service.newAccount()
    const [one, two] = [await candidateOf(account), await candidateOf(account)]
    const request = post('/v1/candidates/batch', { candidates: [one, two, one] })
    await service.sql(`CREATE FUNCTION refuse_candidate() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'something secret'; END $$`)
    await service.sql(`CREATE TRIGGER refuse_candidate BEFORE INSERT ON claims
      FOR EACH ROW WHEN (NEW.candidate_alias = '${two.candidate_alias}') EXECUTE FUNCTION refuse_candidate()`)
    const key = keyed()
    const first = await send(account, request, key)
    assert.deepEqual(statuses(first), [201, 500, 409])
    await service.sql('DROP FUNCTION refuse_candidate CASCADE')
    const again = await send(account, request, key)
    assert.deepEqual(statuses(again), [201, 201, 409])
    assert.deepEqual(again.body.results[0], first.body.results[0])
  })

  test('distinguish their own records from records of other requests with the same name', async () => {
    const account = await service.newAccount()
    const candidate = await candidateOf(account)
    await account.post('/v1/candidates', candidate)
    const key = keyed()
    for (let times = 0; times < 2; times++) {
      const answer = await send(account, post('/v1/candidates', candidate), key)
      assertError(answer, 409, 'CANDIDATE_ALIAS_CONFLICT')
    }
    const claim = { ...(await claimOf(account)), reference: 'order-1' }
    const created = await send(account, post('/v1/claims', claim), keyed('of-reference'))
    const again = await send(account, post('/v1/claims', claim), keyed('of-reference'))
    assert.deepEqual([again.status, again.body], [201, created.body])
    const other = await send(account, post('/v1/claims', claim), keyed())
    assertError(other, 409, 'CLAIM_REFERENCE_CONFLICT')
  })

  test('of two candidates with one alias report which of them was created', async () => {
    const account = await service.newAccount()
    const two = await candidateOf(account)
    const external_id = uniqueName('customer')
    const one = { ...two, customer_uuid: external_id, contract: contractWith({ price: 77 }) }
    const request = post('/v1/candidates/batch', { candidates: [one, two] })
    const key = keyed()
    const first = await send(account, request, key)
    assert.deepEqual(statuses(first), [404, 201])
    await account.post('/v1/customers', { external_id })
    const again = await send(account, request, key)
    assert.deepEqual(statuses(again), [409, 201])
    assert.deepEqual(again.body.results[1], first.body.results[1])
  })

  test('are refused only for another body, even with concurrent requests', async () => {
    const account = await service.newAccount()
    const claim = await claimOf(account)
    const key = keyed()
    const { body } = await send(account, post('/v1/claims', claim), key)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        send(account, post('/v1/claims', i % 2 ? claim : { ...claim, reference: 'other' }), key),
      ),
    )
    for (const [i, answer] of answers.entries()) {
      if (i % 2) assert.deepEqual([answer.status, answer.body], [201, body])
      else assertError(answer, 422, 'IDEMPOTENCY_KEY_REUSED')
    }
    assert.equal((await claimsOf(account)).length, 1)
  })

  test('of a thousand claims return the same response again', async () => {
    const account = await service.newAccount()
    const one = await claimOf(account)
    const request = post('/v1/claims/batch', { claims: Array.from({ length: 1_000 }, () => one) })
    const key = keyed()
    const first = await send(account, request, key)
    const again = await send(account, request, key)
    assert.equal(isReplayed(again), true)
    assert.deepEqual(again.body, first.body)
    assert.equal(new Set(first.body.results.map((result: Answer['body']) => result.claim.id)).size, 1_000)
  })

  test('of claims on thirty test clocks all succeed', async () => {
    const account = await service.newAccount()
    const one = await claimOf(account)
    const clocks = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const clock = { frozen_time: '2026-01-01T00:00:00Z' }
        return (await account.post('/v1/test_clocks', clock)).body.id
      }),
    )
    const claims = clocks.map((test_clock_id) => ({ ...one, test_clock_id }))
    const key = keyed()
    const first = await send(account, post('/v1/claims/batch', { claims }), key)
    assert.ok(statuses(first).every((status: number) => status === 201))
    assert.deepEqual((await send(account, post('/v1/claims/batch', { claims }), key)).body, first.body)
  })
})

describe('events (§4.17 rule 7)', () => {
  test('without an id get the key as their id', async () => {
    const account = await service.newAccount()
    const { id } = await newClaim(account)
    const key = keyed('key-of-one')
    for (const path of [`/v1/claims/${id}/events`, '/v1/events']) {
      const { body } = await send(account, post(path, { claim_id: id, type: 'seen' }), key)
      assert.equal(body.event.id, 'key-of-one')
    }
    const changed = await send(account, post(`/v1/claims/${id}/events`, { type: 'other' }), key)
    assertError(changed, 409, 'EVENT_ID_CONFLICT')
    const named = await send(account, post(`/v1/claims/${id}/events`, { id: 'own', type: 'seen' }), key)
    assert.equal(named.body.event.id, 'own')
    assert.equal((await account.readClaim(id)).events.length, 2)
  })

  for (const type of ['application/json', 'application/x-ndjson']) {
    test(`of a batch get ids from the key and their index: ${type}`, async () => {
      const account = await service.newAccount()
      const { id } = await newClaim(account)
      const events = [
        { claim_id: id, type: 'seen' },
        { claim_id: id },
        { claim_id: id, id: 'own', type: 'seen' },
        { claim_id: id, type: 'seen' },
      ]
      const body =
        type === 'application/json'
          ? JSON.stringify({ events })
          : events.map((event) => JSON.stringify(event)).join('\n')
      const headers = { 'Content-Type': type, ...keyed('batch') }
      for (let times = 0; times < 2; times++) {
        const { status } = await fetch(`${service.url}/v1/events/batch`, {
          method: 'POST',
          headers: { ...headers, Authorization: `Bearer ${account.token}` },
          body,
        }).then((answer) => answer.text().then(() => answer))
        assert.equal(status, 200)
      }
      const ids = await account.eventIds(id)
      assert.deepEqual(ids, ['batch.0', 'own', 'batch.3'])
    })
  }

  test('of a batch with a long key have ids within the length limit', async () => {
    const account = await service.newAccount()
    const { id } = await newClaim(account)
    const events = [0, 1].map(() => ({ claim_id: id, type: 'seen' }))
    const key = keyed('k'.repeat(255))
    const sent = async () => statuses(await send(account, post('/v1/events/batch', { events }), key))
    assert.deepEqual(
      [await sent(), await sent()],
      [
        [201, 201],
        [200, 200],
      ],
    )
    const digest = createHash('sha256').update('k'.repeat(255)).digest('hex')
    assert.deepEqual(await account.eventIds(id), [`${digest}.0`, `${digest}.1`])
  })
})
