import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Answer, ApiClient } from '../support/api-client.ts'
import { contractWith } from '../support/contracts.ts'
import { newCalendar, newCustomer, newSchema, uniqueName } from '../support/new-records.ts'
import { newSignedInApi } from '../support/session-client.ts'
import { sharedService } from '../support/shared.ts'
import { candidateId } from '../support/source/claims.ts'
import { wholeOperations } from '../support/whole-operations.ts'

/*
 * Another account's record answers exactly like one that does not exist. Every operation of the OpenAPI document
 * that names a record stands in CASES, or in WITHOUT_NAMES: a new one fails the test below until it does.
 */

const service = await sharedService()
const owner = await newSignedInApi(service)
const stranger = await newSignedInApi(service)

/** How requests name records. */
interface Names {
  claim: string
  alias: string
  schema: string
  calendar: string
  customer: string
  externalId: string
  testClock: string
  token: string
  invitation: string
  endpoint: string
  delivery: string
}
type Request = [method: string, path: string, body?: object]

const contract = contractWith()
const WEBHOOK_URL = 'https://example.com/hook'
const own = await newCustomer(stranger)
const candidate = { candidate_alias: 'tenancy-alias', customer_uuid: own.external_id }
const inBatch = { ...candidate, candidate_alias: 'tenancy-alias-of-a-batch' }

const CASES: Record<string, (names: Names) => Request[]> = {
  createClaim: ({ customer, schema, testClock }) => [
    ['POST', '/v1/claims', { customer_id: customer, contract }],
    ['POST', '/v1/claims', { customer_id: own.id, schema_id: schema }],
    ['POST', '/v1/claims', { customer_id: own.id, contract, test_clock_id: testClock }],
  ],
  createClaims: ({ customer, schema, testClock }) => [
    ['POST', '/v1/claims/batch', { claims: [{ customer_id: customer, contract }] }],
    ['POST', '/v1/claims/batch', { claims: [{ customer_id: own.id, schema_id: schema }] }],
    ['POST', '/v1/claims/batch', { claims: [{ customer_id: own.id, contract, test_clock_id: testClock }] }],
  ],
  listClaims: ({ claim, customer, schema, testClock }) => [
    ['GET', `/v1/claims?customer_id=${customer}`],
    ['GET', `/v1/claims?schema_id=${schema}`],
    ['GET', `/v1/claims?test_clock_id=${testClock}`],
    ['GET', `/v1/claims?search=${claim}`],
    ['GET', `/v1/claims?customer_id=${customer}&status=OPEN`],
    ['GET', `/v1/claims?after=${claim}`],
    ['GET', `/v1/claims?after=${claim}&order=desc`],
  ],
  exportClaims: ({ claim, customer, schema, testClock }) => [
    ['GET', `/v1/claims/export?customer_id=${customer}`],
    ['GET', `/v1/claims/export?schema_id=${schema}`],
    ['GET', `/v1/claims/export?test_clock_id=${testClock}`],
    ['GET', `/v1/claims/export?search=${claim}`],
  ],
  getClaim: ({ claim }) => [['GET', `/v1/claims/${claim}`]],
  createCandidate: ({ externalId, schema, testClock }) => [
    ['POST', '/v1/candidates', { ...candidate, customer_uuid: externalId, contract }],
    ['POST', '/v1/candidates', { ...candidate, schema_id: schema }],
    ['POST', '/v1/candidates', { ...candidate, contract, test_clock_id: testClock }],
  ],
  createCandidates: ({ externalId, schema, testClock }) => [
    ['POST', '/v1/candidates/batch', { candidates: [{ ...inBatch, customer_uuid: externalId, contract }] }],
    ['POST', '/v1/candidates/batch', { candidates: [{ ...inBatch, schema_id: schema }] }],
    ['POST', '/v1/candidates/batch', { candidates: [{ ...inBatch, contract, test_clock_id: testClock }] }],
  ],
  listCandidates: ({ alias, externalId, schema, testClock }) => [
    ['GET', `/v1/candidates?customer_uuid=${externalId}`],
    ['GET', `/v1/candidates?schema_id=${schema}`],
    ['GET', `/v1/candidates?test_clock_id=${testClock}`],
    ['GET', `/v1/candidates?search=${alias}`],
    ['GET', `/v1/candidates?after=${alias}`],
    ['GET', `/v1/candidates?after=${candidateId(alias)}`],
  ],
  exportCandidates: ({ alias, externalId, schema, testClock }) => [
    ['GET', `/v1/candidates/export?customer_uuid=${externalId}`],
    ['GET', `/v1/candidates/export?schema_id=${schema}`],
    ['GET', `/v1/candidates/export?test_clock_id=${testClock}`],
    ['GET', `/v1/candidates/export?search=${alias}`],
  ],
  getOverview: ({ customer, testClock }) => [
    ['GET', `/v1/overview?customer_id=${customer}`],
    ['GET', `/v1/overview?test_clock_id=${testClock}`],
  ],
  listNotifications: ({ claim, alias, customer }) => [
    ['GET', `/v1/notifications?claim_id=${claim}`],
    ['GET', `/v1/notifications?candidate_alias=${alias}`],
    ['GET', `/v1/notifications?customer_id=${customer}`],
  ],
  createWebhookEndpoint: ({ customer }) => [
    ['POST', '/v1/webhook_endpoints', { url: WEBHOOK_URL, customer_id: customer }],
  ],
  getWebhookEndpoint: ({ endpoint }) => [['GET', `/v1/webhook_endpoints/${endpoint}`]],
  updateWebhookEndpoint: ({ endpoint }) => [
    ['PATCH', `/v1/webhook_endpoints/${endpoint}`, { description: 'stolen' }],
  ],
  deleteWebhookEndpoint: ({ endpoint }) => [['DELETE', `/v1/webhook_endpoints/${endpoint}`]],
  rotateWebhookSecret: ({ endpoint }) => [['POST', `/v1/webhook_endpoints/${endpoint}/rotate_secret`]],
  testWebhookEndpoint: ({ endpoint }) => [['POST', `/v1/webhook_endpoints/${endpoint}/test`]],
  redeliverWebhooks: ({ endpoint }) => [
    [
      'POST',
      `/v1/webhook_endpoints/${endpoint}/redeliver`,
      { from: '2026-01-01T00:00:00Z', to: '2999-01-01T00:00:00Z' },
    ],
  ],
  listWebhookDeliveries: ({ endpoint, claim, alias, delivery }) => [
    ['GET', `/v1/webhook_deliveries?endpoint_id=${endpoint}`],
    ['GET', `/v1/webhook_deliveries?endpoint_id=${endpoint}&after=${delivery}&order=desc`],
    ['GET', `/v1/webhook_deliveries?claim_id=${claim}`],
    ['GET', `/v1/webhook_deliveries?candidate_alias=${alias}`],
  ],
  getWebhookDelivery: ({ delivery }) => [['GET', `/v1/webhook_deliveries/${delivery}`]],
  redeliverWebhook: ({ delivery }) => [['POST', `/v1/webhook_deliveries/${delivery}/redeliver`]],
  getCandidate: ({ alias }) => [['GET', `/v1/candidates/${alias}`]],
  submitEvents: ({ claim, alias }) => [
    ['POST', '/v1/events/batch', { events: [{ claim_id: claim, type: 'more' }] }],
    ['POST', '/v1/events/batch', { events: [{ candidate_alias: alias, type: 'done' }] }],
    ['POST', '/v1/events/batch', { events: [{ claim_id: claim, id: 'recorded', type: 'seen' }] }],
    ['POST', '/v1/events/batch', { events: [{ candidate_alias: alias, id: 'recorded', type: 'other' }] }],
  ],
  submitEvent: ({ claim, alias }) => [
    ['POST', '/v1/events', { claim_id: claim, type: 'more' }],
    ['POST', '/v1/events', { candidate_alias: alias, type: 'done' }],
    ['POST', '/v1/events', { claim_id: claim, id: 'recorded', type: 'seen' }],
    ['POST', '/v1/events', { candidate_alias: alias, id: 'recorded', type: 'other' }],
  ],
  submitClaimEvent: ({ claim }) => [
    ['POST', `/v1/claims/${claim}/events`, { type: 'more' }],
    ['POST', `/v1/claims/${claim}/events`, { type: 'done' }],
    ['POST', `/v1/claims/${claim}/events`, { id: 'recorded', type: 'seen' }],
  ],
  submitCandidateEvent: ({ alias }) => [
    ['POST', `/v1/candidates/${alias}/events`, { type: 'done' }],
    ['POST', `/v1/candidates/${alias}/events`, { id: 'recorded', type: 'seen' }],
  ],
  getSchema: ({ schema }) => [['GET', `/v1/schemas/${schema}`]],
  listSchemaVersions: ({ schema }) => [['GET', `/v1/schemas/${schema}/versions`]],
  getSchemaVersion: ({ schema }) => [['GET', `/v1/schemas/${schema}/versions/1`]],
  updateSchema: ({ schema }) => [
    ['PATCH', `/v1/schemas/${schema}`, { contract: contractWith({ price: 666 }) }],
  ],
  deleteSchema: ({ schema }) => [['DELETE', `/v1/schemas/${schema}`]],
  getCalendar: ({ calendar }) => [['GET', `/v1/calendars/${calendar}`]],
  listCalendarVersions: ({ calendar }) => [['GET', `/v1/calendars/${calendar}/versions`]],
  getCalendarVersion: ({ calendar }) => [['GET', `/v1/calendars/${calendar}/versions/1`]],
  previewCalendar: ({ calendar }) => [['GET', `/v1/calendars/${calendar}/preview`]],
  updateCalendar: ({ calendar }) => [['PATCH', `/v1/calendars/${calendar}`, { name: 'stolen' }]],
  deleteCalendar: ({ calendar }) => [['DELETE', `/v1/calendars/${calendar}`]],
  listCustomers: ({ customer, externalId }) => [
    ['GET', `/v1/customers?external_id=${externalId}`],
    ['GET', `/v1/customers?after=${customer}`],
  ],
  getCustomer: ({ customer }) => [['GET', `/v1/customers/${customer}`]],
  explainClaim: ({ claim }) => [['GET', `/v1/claims/${claim}/explanation`]],
  explainCandidate: ({ alias }) => [['GET', `/v1/candidates/${alias}/explanation`]],
  listTestClocks: ({ testClock }) => [['GET', `/v1/test_clocks?after=${testClock}`]],
  getTestClock: ({ testClock }) => [['GET', `/v1/test_clocks/${testClock}`]],
  advanceTestClock: ({ testClock }) => [
    ['POST', `/v1/test_clocks/${testClock}/advance`, { frozen_time: '2030-01-01T00:00:00Z' }],
  ],
  deleteTestClock: ({ testClock }) => [['DELETE', `/v1/test_clocks/${testClock}`]],
  simulateContract: ({ schema }) => [['POST', '/v1/simulations', { schema_id: schema, events: [] }]],
  revokeOwnToken: ({ token }) => [['DELETE', `/v1/tokens/${token}`]],
  revokeInvitation: ({ invitation }) => [['DELETE', `/v1/invitations/${invitation}`]],
  updateCustomer: ({ customer }) => [['PATCH', `/v1/customers/${customer}`, { name: 'stolen' }]],
  updateClaim: ({ claim }) => [['PATCH', `/v1/claims/${claim}`, { metadata: { is: 'stolen' } }]],
  updateCandidate: ({ alias }) => [['PATCH', `/v1/candidates/${alias}`, { metadata: { is: 'stolen' } }]],
}
const WITHOUT_NAMES = [
  'createSchema',
  'listSchemas',
  'createCalendar',
  'listCalendars',
  'createCustomer',
  'createTestClock',
  'getMe',
  'listEventTypes',
  'createOwnToken',
  'listOwnTokens',
  'createInvitation',
  'listInvitations',
  'listWebhookEndpoints',
  'getNotificationSettings',
  'updateMe',
  'updateNotificationSettings',
]

test('every operation under /v1 has a case here', async () => {
  const body = wholeOperations((await owner.get('/openapi.json')).body)
  const operations = Object.entries(body.paths as Record<string, Record<string, { operationId: string }>>)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId))
  assert.deepEqual(operations.sort(), [...Object.keys(CASES), ...WITHOUT_NAMES].sort())
})

test('another account’s records answer like unknown records and stay unchanged', async (t) => {
  const foreign = await recordsOf(owner)
  const missing = namesOfNothing()
  const before = await snapshot(owner, foreign)
  for (const [operation, requestsFor] of Object.entries(CASES)) {
    await t.test(operation, async () => {
      const ofMissing = requestsFor(missing)
      for (const [i, request] of requestsFor(foreign).entries()) {
        const answer = await send(stranger, request)
        const expected = await send(stranger, ofMissing[i] as Request)
        const said = `${request.join(' ')}: ${JSON.stringify(answer.body)}`
        assert.deepEqual(essence(answer, foreign), essence(expected, missing), said)
        assert.ok(answer.status >= 400 || holdsNothing(answer.body), said)
      }
      assert.deepEqual(await snapshot(owner, foreign), before)
    })
  }
})

test('the owner gets other responses: the requests are valid', async () => {
  const names = await recordsOf(owner)
  // The bodies of creations name the stranger's customer where they do not name the owner's.
  const firsts = Object.values(CASES).map((requestsFor) => requestsFor(names)[0] as Request)
  // What is deleted is not asked for any more.
  const deletionsLast = firsts.toSorted((a, b) => Number(a[0] === 'DELETE') - Number(b[0] === 'DELETE'))
  for (const request of deletionsLast) assert.ok((await send(owner, request)).status < 300, request.join(' '))
})

test('lists show nothing of another account', async () => {
  const foreign = await recordsOf(owner)
  const newcomer = await newSignedInApi(service)
  for (const path of [
    '/v1/claims',
    '/v1/candidates',
    '/v1/schemas',
    '/v1/calendars',
    '/v1/customers',
    '/v1/test_clocks',
    '/v1/invitations',
    '/v1/webhook_endpoints',
  ]) {
    assert.deepEqual((await newcomer.get(path)).body.data, [], path)
    const text = JSON.stringify((await stranger.get(path)).body)
    for (const name of Object.values(foreign)) assert.ok(!text.includes(name), path)
  }
})

/** An empty list, an export with no more than the names of its columns, or a batch whose items are all refused. */
function holdsNothing(body: Answer['body']): boolean {
  if (typeof body === 'string') return body.split('\n').length === 2
  const { data, results } = body
  return data ? data.length === 0 : results.every((result: Answer['body']) => result.status === 404)
}

/** One record of each kind, with a recorded event where it has a log. */
async function recordsOf(api: ApiClient): Promise<Names> {
  const { id: customer, external_id: externalId } = await newCustomer(api)
  const { id: schema } = await newSchema(api)
  const { id: calendar } = await newCalendar(api)
  const claim = await api.claim(customer, contract)
  const alias = uniqueName('alias')
  const body = { candidate_alias: alias, customer_uuid: externalId, contract }
  assert.equal((await api.post('/v1/candidates', body)).status, 201)
  for (const address of [{ claim_id: claim.id }, { candidate_alias: alias }]) {
    const event = await api.post('/v1/events', { ...address, id: 'recorded', type: 'seen' })
    assert.equal(event.status, 201)
  }
  const { body: token } = await api.post('/v1/tokens', { name: 'a token' })
  const { body: invitation } = await api.post('/v1/invitations', {})
  const { body: clock } = await api.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })
  const endpoint = await endpointOf(api)
  const { body: delivery } = await api.post(`/v1/webhook_endpoints/${endpoint}/test`, undefined)
  return {
    claim: claim.id,
    alias,
    schema,
    calendar,
    customer,
    externalId,
    testClock: clock.id,
    token: token.id,
    invitation: invitation.id,
    delivery: delivery.id,
    endpoint,
  }
}

/** One for all tests, since an account may not have many. */
async function endpointOf(api: ApiClient): Promise<string> {
  const [known] = (await api.get('/v1/webhook_endpoints')).body.data
  return (known ?? (await api.post('/v1/webhook_endpoints', { url: WEBHOOK_URL })).body).id
}

function namesOfNothing(): Names {
  return {
    claim: randomUUID(),
    alias: uniqueName('alias'),
    schema: randomUUID(),
    calendar: randomUUID(),
    customer: randomUUID(),
    externalId: uniqueName('customer'),
    testClock: randomUUID(),
    token: randomUUID(),
    invitation: randomUUID(),
    delivery: `${randomUUID()}.1`,
    endpoint: randomUUID(),
  }
}

async function snapshot(
  api: ApiClient,
  { claim, alias, schema, calendar, customer, testClock, token, invitation, endpoint, delivery }: Names,
): Promise<unknown[]> {
  const paths = [
    `claims/${claim}`,
    `candidates/${alias}`,
    `schemas/${schema}`,
    `calendars/${calendar}`,
    `customers/${customer}`,
    `test_clocks/${testClock}`,
    `webhook_endpoints/${endpoint}`,
    `webhook_deliveries/${delivery}`,
  ]
  const listed = async (path: string, id: string) =>
    (await api.get(path)).body.data.find((record: { id: string }) => record.id === id)
  return Promise.all([
    ...paths.map(async (path) => (await api.get(`/v1/${path}`)).body),
    listed('/v1/tokens', token),
    listed('/v1/invitations', invitation),
  ])
}

function send(api: ApiClient, [method, path, body]: Request): Promise<Answer> {
  if (body === undefined) return api.send(method, path)
  return api.send(method, path, JSON.stringify(body), { 'Content-Type': 'application/json' })
}

/** The answer without what is different in every answer: the request id, and the names that were asked for. */
function essence({ status, headers, body }: Answer, names: Names): unknown {
  let text = JSON.stringify(typeof body === 'string' ? { body } : body, (key, value) =>
    key === 'request_id' ? undefined : value,
  )
  for (const [kind, name] of Object.entries(names)) text = text.replaceAll(name, `<${kind}>`)
  return { status, allow: headers.get('allow'), body: JSON.parse(text) }
}
