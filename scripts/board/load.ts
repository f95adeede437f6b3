import { setTimeout as pause } from 'node:timers/promises'
import { contractWith } from '../../tests/support/contracts.ts'
import { uniqueName } from '../../tests/support/new-records.ts'
import type { Scope } from '../../tests/support/test-database.ts'
import { startWebhookReceiver } from '../../tests/support/webhook-receiver.ts'

/*
 * Callers of every kind, so that each panel of the board has something to show: single events and batches, some of them
 * wrong; claims whose windows end; readers; test clocks; a feed that is followed; endpoints that answer, refuse, and are not there.
 */

type Call = (method: string, path: string, body?: object) => Promise<{ status: number; id: string }>
const SUBMITTERS = 6
/** The newest, of which most are open. */
const CLAIMS_KEPT = 120

/** Goes on until `signal` says otherwise, and resolves then. */
export async function putUnderLoad(
  scope: Scope,
  urls: readonly string[],
  token: string,
  signal: AbortSignal,
): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  let turn = 0
  const call: Call = async (method, path, body) => {
    const url = urls[turn++ % urls.length] as string
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const answered = (await response.json().catch(() => ({}))) as { id: string }
    return { ...answered, status: response.status }
  }
  await addEndpoints(scope, call)
  const claims: string[] = []
  /** Until the end, with a pause after each. */
  const again = async (pauseMs: number, work: () => Promise<unknown>) => {
    while (!signal.aborted) {
      await work().catch(() => {})
      await pause(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
    }
  }
  const customer = (await call('POST', '/v1/customers', { external_id: uniqueName() })).id
  await Promise.all([
    again(300, () => openClaim(call, customer, claims)),
    ...Array.from({ length: SUBMITTERS }, () => again(15, () => submit(call, claims))),
    again(2_000, () => submitBatch(call, claims)),
    again(150, () => read(call, claims)),
    again(5_000, () => advanceClock(call, customer)),
    ...urls.map((url) => follow(url, headers, signal)),
    again(0, () => call('GET', '/v1/notifications?wait=10')),
  ])
}

async function addEndpoints(scope: Scope, call: Call): Promise<void> {
  const receiver = await startWebhookReceiver(scope)
  receiver.answer(async (response, { path }) => {
    await pause(5 + Math.random() * 60)
    if (path === '/slow') await pause(500)
    response.writeHead(path === '/fails' && Math.random() < 0.2 ? 500 : 200).end()
  })
  for (const path of ['/billing', '/fails', '/slow'])
    await call('POST', '/v1/webhook_endpoints', { url: receiver.url + path })
  const nobody = await startWebhookReceiver(scope)
  await nobody.close()
  await call('POST', '/v1/webhook_endpoints', { url: nobody.url, types: ['claim.confirmed'] })
}

async function openClaim(call: Call, customer: string, claims: string[]): Promise<void> {
  const [activity_window, review_window] = [20 + Math.ceil(Math.random() * 60), Math.ceil(Math.random() * 30)]
  const terms = { activity_window, review_window, fulfillment_condition: { event: 'done', gte: 2 } }
  const { id } = await call('POST', '/v1/claims', { customer_id: customer, contract: contractWith(terms) })
  claims.push(id)
  if (claims.length > CLAIMS_KEPT) claims.shift()
  const alias = { candidate_alias: uniqueName(), customer_uuid: customer, contract: contractWith(terms) }
  if (Math.random() < 0.2) await call('POST', '/v1/candidates', alias)
}

const oneOf = (claims: readonly string[]) => claims[Math.floor(Math.random() * claims.length)]

async function submit(call: Call, claims: readonly string[]): Promise<void> {
  const chance = Math.random()
  const id = chance < 0.01 ? '00000000-0000-0000-0000-000000000000' : oneOf(claims)
  const event = { id: uniqueName(), type: chance > 0.98 ? 'done' : 'progress', amount: Math.random() }
  await call('POST', `/v1/claims/${id}/events`, event)
  if (chance < 0.05) await call('POST', `/v1/claims/${id}/events`, event)
  if (chance < 0.02) await call('POST', `/v1/claims/${id}/events`, { ...event, type: 'another' })
}

async function submitBatch(call: Call, claims: readonly string[]): Promise<void> {
  const events = Array.from({ length: 100 }, () => ({ claim_id: oneOf(claims), type: 'progress' }))
  await call('POST', '/v1/events/batch', { events })
}

async function read(call: Call, claims: readonly string[]): Promise<void> {
  for (const path of [`/v1/claims/${oneOf(claims)}`, '/v1/claims?status=OPEN', '/v1/overview', '/v1/schemas'])
    await call('GET', path)
}

async function advanceClock(call: Call, customer: string): Promise<void> {
  const clock = await call('POST', '/v1/test_clocks', { frozen_time: '2031-01-01T00:00:00Z' })
  const claim = { customer_id: customer, test_clock_id: clock.id, contract: contractWith({}) }
  await call('POST', '/v1/claims', claim)
  await call('POST', `/v1/test_clocks/${clock.id}/advance`, { frozen_time: '2041-01-01T00:00:00Z' })
  await call('DELETE', `/v1/test_clocks/${clock.id}`)
}

/** Reads the feed as a stream, as long as it lasts. */
async function follow(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<void> {
  try {
    const accept = { ...headers, Accept: 'text/event-stream' }
    const response = await fetch(`${url}/v1/notifications`, { headers: accept, signal })
    for await (const _ of response.body ?? []);
  } catch {
    // It is broken off when the load ends.
  }
}
