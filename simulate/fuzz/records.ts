import type { Operation } from './api-document.ts'
import type { Client } from './client.ts'
import type { FuzzContext } from './context.ts'
import { OWN_TOKEN } from './known-ids.ts'
import type { Request } from './request.ts'

export const CONTRACT = {
  price: 1,
  activity_window: 3_600,
  review_window: 60,
  fulfillment_condition: { event: 'done' },
  timeout_outcome: 'fail',
}
/** Events need ids. */
const REVIEWED = { ...CONTRACT, review: { reversal_condition: { event: 'reopened' } } }
/** A host that does not exist. */
const WEBHOOK_URL = 'https://webhooks.invalid/'
const CALENDAR = { name: 'Support', time_zone: 'Europe/Berlin', weekly: { monday: [['09:00', '17:00']] } }
const FROZEN_TIME = '2026-01-01T00:00:00.000Z'
/** The reference of a claim. */
export const REFERENCE = 'the reference'
/** An Idempotency-Key that a request has used. */
export const USED_IDEMPOTENCY_KEY = 'used'
/** Limit of a log. */
const MAX_EVENTS = 10_000
const BATCH = 1_000

/** Records of an account, one of each kind, to provoke errors with. */
export interface Records {
  customer: { id: string; external_id: string }
  schema: string
  calendar: string
  clock: string
  claim: string
  alias: string
  /** PENDING: they accept no events. */
  closed: { claim: string; alias: string }
  /** Their events need ids. */
  reviewed: { claim: string; alias: string }
  /** A valid body. Undefined for an operation without one. */
  bodyOf: (operation: Operation) => object | undefined
}

type Fields = Record<string, string>

export async function makeRecords(context: FuzzContext): Promise<Records> {
  const post = poster(context)
  const { account, random } = context
  // An alias stays taken on a server that was fuzzed before.
  const prefix = `${context.prefix}-${random.int(0, 1e12)}`
  const used = { 'Idempotency-Key': USED_IDEMPOTENCY_KEY }
  const customer = await post('/v1/customers', { external_id: `${prefix}-customer` }, used)
  const ids = { customer_id: customer.id, customer_uuid: customer.external_id }
  const open = async (name: string, contract: object = CONTRACT) => {
    const claim = await post('/v1/claims', { customer_id: ids.customer_id, contract })
    const alias = `${prefix}-${name}`
    await post('/v1/candidates', {
      candidate_alias: alias,
      customer_uuid: ids.customer_uuid,
      contract,
    })
    return { claim: claim.id as string, alias }
  }
  const [live, closed] = [await open('live'), await open('closed')]
  const reviewed = await open('reviewed', REVIEWED)
  await post('/v1/claims', { customer_id: ids.customer_id, contract: CONTRACT, reference: REFERENCE })
  const first = { id: 'the first', type: 'a' }
  await post('/v1/events', { ...first, claim_id: live.claim })
  await post('/v1/events', { ...first, candidate_alias: live.alias })
  await post('/v1/events', { type: 'done', claim_id: closed.claim })
  await post('/v1/events', { type: 'done', candidate_alias: closed.alias })
  const schema = await post('/v1/schemas', { contract: CONTRACT })
  const calendar = await post('/v1/calendars', CALENDAR)
  const clock = await post('/v1/test_clocks', { frozen_time: FROZEN_TIME })
  const endpoint = await post('/v1/webhook_endpoints', { url: WEBHOOK_URL })
  const delivery = await post(`/v1/webhook_endpoints/${endpoint.id}/test`, {})
  const { known } = account
  known.add('endpoint', endpoint.id)
  known.add('delivery', delivery.id)
  known.add('customer', customer.id)
  known.add('schema', schema.id)
  known.add('calendar', calendar.id)
  known.add('clock', clock.id)
  known.add('claim', live.claim)
  known.add('alias', live.alias)
  const records = {
    customer: customer as Records['customer'],
    schema: schema.id as string,
    clock: clock.id as string,
    calendar: calendar.id as string,
  }
  return {
    ...records,
    ...live,
    closed,
    reviewed,
    bodyOf: (operation) => bodies(ids as Fields, live)[operation.id],
  }
}

function bodies({ customer_id, customer_uuid }: Fields, { claim, alias }: Fields): Record<string, object> {
  const candidate = { candidate_alias: `${alias}-new`, customer_uuid, contract: CONTRACT }
  return {
    createClaim: { customer_id, contract: CONTRACT },
    createClaims: { claims: [{ customer_id, contract: CONTRACT }] },
    createCandidate: candidate,
    createCandidates: { candidates: [candidate] },
    submitEvent: { claim_id: claim, type: 'a' },
    submitClaimEvent: { type: 'a' },
    submitCandidateEvent: { type: 'a' },
    submitEvents: { events: [{ claim_id: claim, type: 'a' }] },
    updateClaim: { metadata: { order: 'A-4711' } },
    updateCandidate: { metadata: { order: 'A-4711' } },
    createSchema: { contract: CONTRACT },
    updateSchema: { contract: CONTRACT },
    createCalendar: CALENDAR,
    updateCalendar: { holidays: ['2026-12-25'] },
    createCustomer: { external_id: `${alias}-new` },
    updateCustomer: { name: 'x' },
    createTestClock: { frozen_time: FROZEN_TIME },
    advanceTestClock: { frozen_time: FROZEN_TIME },
    simulateContract: { contract: CONTRACT, events: [] },
    createOwnToken: { name: OWN_TOKEN },
    createInvitation: {},
    createWebhookEndpoint: { url: WEBHOOK_URL },
    updateWebhookEndpoint: { description: 'x' },
    updateNotificationSettings: { event_recorded: false },
    updateMe: { currency: 'EUR', time_zone: 'Asia/Kathmandu' },
    redeliverWebhooks: { from: FROZEN_TIME, to: '2026-01-02T00:00:00.000Z' },
  }
}

/** Fills the logs of a claim and a candidate to the limit, and submits one more event to each. */
export async function fillLogs(context: FuzzContext, client: Client, { customer }: Records): Promise<void> {
  const post = poster(context)
  const claim = await post('/v1/claims', { customer_id: customer.id, contract: CONTRACT })
  const alias = `${context.prefix}-full`
  await post('/v1/candidates', {
    candidate_alias: alias,
    customer_uuid: customer.external_id,
    contract: CONTRACT,
  })
  for (let sent = 0; sent < MAX_EVENTS; sent += BATCH) {
    for (const address of [{ claim_id: claim.id }, { candidate_alias: alias }]) {
      await post('/v1/events/batch', {
        events: Array.from({ length: BATCH }, () => ({ type: 'a', ...address })),
      })
    }
  }
  for (const id of ['submitEvent', 'submitClaimEvent', 'submitCandidateEvent']) {
    const operation = context.document.operation(id)
    const headers = { Authorization: `Bearer ${context.account.token}`, 'Content-Type': 'application/json' }
    const request: Request = { method: 'POST', path: operation.path, headers, body: null }
    await client.sendWithRetries(submissionTo(request, { operation }, { claim: claim.id as string, alias }))
  }
}

/** Sends POST requests that must succeed. Retries while the server is busy. */
export const poster =
  ({ http, account }: FuzzContext) =>
  async <Answered = Fields>(
    path: string,
    body: object,
    more: Record<string, string> = {},
  ): Promise<Answered> => {
    const headers = {
      Authorization: `Bearer ${account.token}`,
      'Content-Type': 'application/json',
      ...(path === '/v1/events/batch' ? { Prefer: 'return=minimal' } : {}),
      ...more,
    }
    const response = await http.sendWithRetries({
      method: 'POST',
      path,
      headers,
      body: Buffer.from(JSON.stringify(body)),
    })
    if (response.status >= 300) throw new Error(`${path} answers ${response.status}: ${response.text}`)
    return JSON.parse(response.text)
  }

/** A submission to these records, addressed as the operation requires. */
export function submissionTo(
  request: Request,
  target: { operation: Operation },
  to: { claim: string; alias: string },
): Request {
  const { path } = target.operation
  const inPath = path.replace('{id}', to.claim).replace('{candidate_alias}', encodeURIComponent(to.alias))
  const address = path.includes('{') ? {} : { claim_id: to.claim }
  return { ...request, path: inPath, body: Buffer.from(JSON.stringify({ type: 'a', ...address })) }
}
