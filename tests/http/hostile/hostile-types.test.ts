import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { calendarWith } from '../../support/calendars.ts'
import { contractWith } from '../../support/contracts.ts'
import { isOnCitus } from '../../support/database-nodes.ts'
import { newCalendar, newClaim, newCustomer, newSchema } from '../../support/new-records.ts'
import { newSignedInApi } from '../../support/session-client.ts'
import { sharedService } from '../../support/shared.ts'
import type { Json, JsonObject } from '../../support/source/json.ts'
import { assertStoresNothing } from '../../support/stored-rows.ts'
import { wholeOperations } from '../../support/whole-operations.ts'

/* Every field of every body, with each wrong type of JSON. */

const service = await sharedService()
const api = await newSignedInApi(service)
const claim = await newClaim(api)
const customer = await newCustomer(api)
const schema = await newSchema(api)
const calendar = await newCalendar(api)

const { body: endpoint } = await api.post('/v1/webhook_endpoints', { url: 'https://example.com/hook' })

const VALUES: Record<string, Json> = {
  null: null,
  boolean: true,
  number: 5,
  'empty string': '',
  array: [],
  'array of the right one': ['x'],
  object: {},
}
/** What a field takes of these, beside the string that it has. */
type Takes = 'null' | 'boolean' | 'number' | 'empty string' | 'array' | 'object'

interface Body {
  method: string
  path: string
  whole: JsonObject
  fields: Record<string, Takes[]>
}

const contract = {
  ...(contractWith() as unknown as JsonObject),
  fulfillment_condition: {
    op: 'AND',
    conditions: [
      { event: 'a', match: { b: 1 }, field: 'c', gt: 1, gte: 1, lt: 1, lte: 1, eq: 1 },
      { op: 'NOT', condition: { event: 'a' } },
    ],
  },
} satisfies JsonObject
const TREE = 'contract.fulfillment_condition'
const CONTRACT_FIELDS: Record<string, Takes[]> = {
  contract: [],
  'contract.price': ['number'],
  'contract.activity_window': ['number'],
  'contract.review_window': ['number'],
  'contract.timeout_outcome': [],
  [TREE]: [],
  [`${TREE}.op`]: [],
  [`${TREE}.conditions`]: ['array'],
  [`${TREE}.conditions[0]`]: [],
  [`${TREE}.conditions[0].event`]: [],
  [`${TREE}.conditions[0].match`]: ['object', 'empty string', 'number', 'boolean'],
  [`${TREE}.conditions[0].field`]: [],
  ...Object.fromEntries(
    ['gt', 'gte', 'lt', 'lte', 'eq'].map((name) => [`${TREE}.conditions[0].${name}`, ['number'] as Takes[]]),
  ),
  [`${TREE}.conditions[1].op`]: [],
  [`${TREE}.conditions[1].condition`]: [],
}
const WHOLE_CALENDAR = calendarWith({
  holidays: ['2026-12-25'],
  exceptions: { '2026-12-24': [['09:00', '12:00']] },
}) as unknown as JsonObject
const CALENDAR_FIELDS: Record<string, Takes[]> = {
  name: [],
  time_zone: [],
  weekly: [],
  'weekly.monday': ['array'],
  'weekly.monday[0]': [],
  'weekly.monday[0][0]': [],
  holidays: ['array'],
  'holidays[0]': [],
  exceptions: ['object'],
  'exceptions.2026-12-24': ['array'],
  'exceptions.2026-12-24[0]': [],
}
const WEBHOOK_FIELDS: Record<string, Takes[]> = {
  types: ['null', 'array'],
  customer_id: ['null'],
  description: ['null'],
  enabled: ['boolean'],
}
const EVENT_FIELDS: Record<string, Takes[]> = { type: [], id: [] }

/** What an item of a batch must be answered is in tests/events/event-batches.test.ts and claim-batches.test.ts. */
const batchOf = (list: string, item: JsonObject): Body => ({
  method: 'POST',
  path: `/v1/${list}/batch`,
  whole: { [list]: [item] },
  fields: { [list]: ['array'] },
})

const BODIES: Record<string, Body> = {
  createClaim: {
    method: 'POST',
    path: '/v1/claims',
    whole: { customer_id: customer.id, contract, metadata: { order: 'A-4711' } },
    fields: {
      customer_id: [],
      reference: [],
      metadata: ['object'],
      'metadata.order': ['empty string'],
      ...CONTRACT_FIELDS,
    },
  },
  createClaimFromSchema: {
    method: 'POST',
    path: '/v1/claims',
    whole: { customer_id: customer.id, schema_id: schema.id },
    fields: { schema_id: [] },
  },
  createCandidate: {
    method: 'POST',
    path: '/v1/candidates',
    whole: { candidate_alias: 'an-alias', customer_uuid: customer.external_id, contract },
    fields: { candidate_alias: [], customer_uuid: [], ...CONTRACT_FIELDS },
  },
  createSchema: { method: 'POST', path: '/v1/schemas', whole: { contract }, fields: CONTRACT_FIELDS },
  updateSchema: {
    method: 'PATCH',
    path: `/v1/schemas/${schema.id}`,
    whole: { contract },
    fields: { ...CONTRACT_FIELDS, name: ['null'], description: ['null'] },
  },
  createCalendar: {
    method: 'POST',
    path: '/v1/calendars',
    whole: WHOLE_CALENDAR,
    fields: CALENDAR_FIELDS,
  },
  updateCalendar: {
    method: 'PATCH',
    path: `/v1/calendars/${calendar.id}`,
    whole: WHOLE_CALENDAR,
    fields: CALENDAR_FIELDS,
  },
  updateMe: {
    method: 'PATCH',
    path: '/v1/me',
    whole: { currency: 'EUR', time_zone: 'UTC' },
    fields: { currency: ['null'], time_zone: [] },
  },
  updateClaim: {
    method: 'PATCH',
    path: `/v1/claims/${claim.id}`,
    whole: { metadata: { order: 'A-4711' } },
    fields: { metadata: ['null', 'object'], 'metadata.order': ['null', 'empty string'] },
  },
  updateCandidate: {
    method: 'PATCH',
    path: '/v1/candidates/another-alias',
    whole: { metadata: { order: 'A-4711' } },
    fields: { metadata: ['null', 'object'], 'metadata.order': ['null', 'empty string'] },
  },
  createCustomer: {
    method: 'POST',
    path: '/v1/customers',
    whole: { external_id: 'acme', name: 'n' },
    fields: { external_id: [], name: ['null'] },
  },
  updateCustomer: {
    method: 'PATCH',
    path: `/v1/customers/${customer.id}`,
    whole: { name: 'n' },
    fields: { name: ['null'] },
  },
  submitEvent: {
    method: 'POST',
    path: '/v1/events',
    whole: { claim_id: claim.id, type: 'a', id: 'i' },
    fields: { claim_id: [], ...EVENT_FIELDS },
  },
  submitEvents: batchOf('events', { claim_id: claim.id, type: 'a', id: 'i' }),
  createClaims: batchOf('claims', { customer_id: customer.id, contract }),
  createCandidates: batchOf('candidates', {
    candidate_alias: 'an-alias',
    customer_uuid: customer.external_id,
    contract,
  }),
  submitEventByAlias: {
    method: 'POST',
    path: '/v1/events',
    whole: { candidate_alias: 'an-alias', type: 'a' },
    fields: { candidate_alias: [], type: [] },
  },
  submitClaimEvent: {
    method: 'POST',
    path: `/v1/claims/${claim.id}/events`,
    whole: { type: 'a', id: 'i' },
    fields: { claim_id: [], ...EVENT_FIELDS },
  },
  createClaimOnTestClock: {
    method: 'POST',
    path: '/v1/claims',
    whole: { customer_id: customer.id, schema_id: schema.id, test_clock_id: customer.id },
    fields: { test_clock_id: [] },
  },
  createTestClock: {
    method: 'POST',
    path: '/v1/test_clocks',
    whole: { frozen_time: '2026-01-01T00:00:00Z', name: 'n' },
    fields: { frozen_time: [], name: ['null'] },
  },
  advanceTestClock: {
    method: 'POST',
    path: `/v1/test_clocks/${claim.id}/advance`,
    whole: { frozen_time: '2026-01-01T00:00:00Z' },
    fields: { frozen_time: [] },
  },
  simulateContract: {
    method: 'POST',
    path: '/v1/simulations',
    whole: {
      contract,
      opened_at: '2026-01-01T00:00:00Z',
      until: '2026-02-01T00:00:00Z',
      events: [{ at: '2026-01-02T00:00:00Z', type: 'a', id: 'i' }],
    },
    fields: {
      opened_at: [],
      until: [],
      events: ['array'],
      'events[0]': [],
      'events[0].at': [],
      'events[0].type': [],
      'events[0].id': [],
      ...CONTRACT_FIELDS,
    },
  },
  updateNotificationSettings: {
    method: 'PATCH',
    path: '/v1/notification_settings',
    whole: {},
    fields: { event_recorded: ['boolean'] },
  },
  createWebhookEndpoint: {
    method: 'POST',
    path: '/v1/webhook_endpoints',
    whole: { url: 'https://example.com/hook' },
    fields: { url: [], ...WEBHOOK_FIELDS },
  },
  updateWebhookEndpoint: {
    method: 'PATCH',
    path: `/v1/webhook_endpoints/${endpoint.id}`,
    whole: {},
    fields: { url: [], ...WEBHOOK_FIELDS },
  },
  redeliverWebhooks: {
    method: 'POST',
    path: `/v1/webhook_endpoints/${endpoint.id}/redeliver`,
    whole: { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
    fields: { from: [], to: [], status: [] },
  },
  createOwnToken: {
    method: 'POST',
    path: '/v1/tokens',
    whole: { name: 'n', expires_at: '2999-01-01T00:00:00Z' },
    fields: { name: [], expires_at: [] },
  },
  createInvitation: {
    method: 'POST',
    path: '/v1/invitations',
    whole: { email: 'a@example.com' },
    fields: { email: ['null'] },
  },
  submitCandidateEvent: {
    method: 'POST',
    path: '/v1/candidates/an-alias/events',
    whole: { type: 'a', id: 'i' },
    fields: { candidate_alias: [], ...EVENT_FIELDS },
  },
}

/** These bodies are refused before a statement is sent. */
const REFUSED_BEFORE = { skip: isOnCitus() && 'it is tried on one PostgreSQL' }

for (const [name, { method, path, whole, fields }] of Object.entries(BODIES)) {
  const send = (body: Json) =>
    api.send(method, path, JSON.stringify(body), { 'Content-Type': 'application/json' })

  test(
    `${name}: a field or a body of a wrong type answers 400 at its path and stores nothing`,
    REFUSED_BEFORE,
    async () => {
      await assertStoresNothing(service, async () => {
        for (const body of [null, true, 5, 'text', [], [whole]])
          assertError(await send(body), 400, 'VALIDATION_ERROR', 'body')
        for (const [field, takes] of Object.entries(fields)) {
          for (const [type, value] of Object.entries(VALUES)) {
            if (takes.includes(type as Takes) || (takes.includes('array') && Array.isArray(value))) continue
            const answer = await send(withField(whole, field, value))
            // An object or a node without its fields is named by the fields that it lacks.
            const at = type === 'object' ? firstPath(answer.body, field) : field
            assertError(answer, 400, 'VALIDATION_ERROR', at)
          }
        }
      })
    },
  )
}

test('every operation with a body has a test case', async () => {
  const body = wholeOperations((await api.get('/openapi.json')).body)
  const paths: Record<string, Record<string, { operationId: string; requestBody?: object }>> = body.paths
  const operations = Object.values(paths).flatMap(Object.values)
  for (const { operationId, requestBody } of operations) {
    if (requestBody) assert.ok(operationId in BODIES, operationId)
  }
})

/** A copy of the body with this value at a path such as `a.b[0].c`. */
function withField(whole: JsonObject, path: string, value: Json): JsonObject {
  const copy = structuredClone(whole)
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '')
  const last = keys.pop() as string
  const holder = keys.reduce((at, key) => at[key] as JsonObject, copy)
  holder[last] = value
  return copy
}

/** The path of the first detail, which must be the field itself or below it. */
function firstPath(body: { error?: { details?: { path: string }[] } }, field: string): string {
  const path = body.error?.details?.[0]?.path ?? ''
  assert.ok(path === field || path.startsWith(`${field}.`), `${path} is not within ${field}`)
  return path
}
