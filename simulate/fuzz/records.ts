import type { Client, Seat } from './client.ts'
import type { Operation } from './document.ts'
import { OWN_TOKEN } from './known.ts'
import type { Request } from './request.ts'

export const CONTRACT = {
  price: 1,
  activity_window: 3_600,
  review_window: 60,
  fulfillment_condition: { event: 'done' },
  timeout_outcome: 'fail',
}
/** Its events need ids. */
const REVIEWED = { ...CONTRACT, review: { reversal_condition: { event: 'reopened' } } }
/** Nobody is there. */
const WEBHOOK_URL = 'https://webhooks.invalid/'
const CALENDAR = { name: 'Support', time_zone: 'Europe/Berlin', weekly: { monday: [['09:00', '17:00']] } }
const FROZEN = '2026-01-01T00:00:00.000Z'
/** That a claim has. */
export const REFERENCE = 'the reference'
/** An Idempotency-Key that stands for a request. */
export const USED_KEY = 'used'
/** As many as a log holds. */
const FULL_LOG = 10_000
const BATCH = 1_000

/** Records of an account, one of each kind, that errors are asked about. */
export interface Records {
  customer: { id: string; external_id: string }
  schema: string
  calendar: string
  clock: string
  claim: string
  alias: string
  /** Some that take no more events. */
  closed: { claim: string; alias: string }
  /** Some whose events need ids. */
  reviewed: { claim: string; alias: string }
  /** A body with which the operation would succeed; undefined where it has none. */
  bodyOf: (operation: Operation) => object | undefined
}

type Made = Record<string, string>

export async function makeRecords(seat: Seat): Promise<Records> {
  const post = poster(seat)
  const { account, random } = seat
  // Aliases are never free again, on whatever server this is.
  const prefix = `${seat.prefix}-${random.int(0, 1e12)}`
  const used = { 'Idempotency-Key': USED_KEY }
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
  const clock = await post('/v1/test_clocks', { frozen_time: FROZEN })
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
    bodyOf: (operation) => bodies(ids as Made, live)[operation.id],
  }
}

function bodies({ customer_id, customer_uuid }: Made, { claim, alias }: Made): Record<string, object> {
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
    createTestClock: { frozen_time: FROZEN },
    advanceTestClock: { frozen_time: FROZEN },
    simulateContract: { contract: CONTRACT, events: [] },
    createOwnToken: { name: OWN_TOKEN },
    createInvitation: {},
    createWebhookEndpoint: { url: WEBHOOK_URL },
    updateWebhookEndpoint: { description: 'x' },
    updateNotificationSettings: { event_recorded: false },
    updateMe: { currency: 'EUR', time_zone: 'Asia/Kathmandu' },
    redeliverWebhooks: { from: FROZEN, to: '2026-01-02T00:00:00.000Z' },
  }
}

/** Fills a log of a claim and one of a candidate, and sends one event more to each. */
export async function fullLogs(seat: Seat, client: Client, { customer }: Records): Promise<void> {
  const post = poster(seat)
  const claim = await post('/v1/claims', { customer_id: customer.id, contract: CONTRACT })
  const alias = `${seat.prefix}-full`
  await post('/v1/candidates', {
    candidate_alias: alias,
    customer_uuid: customer.external_id,
    contract: CONTRACT,
  })
  for (let sent = 0; sent < FULL_LOG; sent += BATCH) {
    for (const address of [{ claim_id: claim.id }, { candidate_alias: alias }]) {
      await post('/v1/events/batch', {
        events: Array.from({ length: BATCH }, () => ({ type: 'a', ...address })),
      })
    }
  }
  for (const id of ['submitEvent', 'submitClaimEvent', 'submitCandidateEvent']) {
    const operation = seat.document.operation(id)
    const headers = { Authorization: `Bearer ${seat.account.token}`, 'Content-Type': 'application/json' }
    const asked: Request = { method: 'POST', path: operation.path, headers, body: null }
    await client.askPatiently(addressedTo(asked, { operation }, { claim: claim.id as string, alias }))
  }
}

/** Posts what must succeed: again, if the server says that it has no room for it now. */
export const poster =
  ({ wire, account }: Seat) =>
  async <Answered = Made>(
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
    const answer = await wire.sendPatiently({
      method: 'POST',
      path,
      headers,
      body: Buffer.from(JSON.stringify(body)),
    })
    if (answer.status >= 300) throw new Error(`${path} answers ${answer.status}: ${answer.text}`)
    return JSON.parse(answer.text)
  }

/** A submission to these, in whatever way the operation names them. */
export function addressedTo(
  asked: Request,
  needs: { operation: Operation },
  to: { claim: string; alias: string },
): Request {
  const { path } = needs.operation
  const inPath = path.replace('{id}', to.claim).replace('{candidate_alias}', encodeURIComponent(to.alias))
  const address = path.includes('{') ? {} : { claim_id: to.claim }
  return { ...asked, path: inPath, body: Buffer.from(JSON.stringify({ type: 'a', ...address })) }
}
