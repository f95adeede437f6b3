import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { IN_THE_BACKGROUND } from '../support/fault-proxy.ts'
import {
  candidateBody,
  newClaim,
  newClock,
  newCustomer,
  newSchema,
  uniqueName,
} from '../support/new-records.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import { newSignedInApi, openSession, PASSWORD, SessionClient, signUp } from '../support/session-client.ts'
import { createInvitation } from '../support/source/accounts.ts'

/*
 * Tests each operation that writes: with the database unavailable from each of its statements on, and with the response to each
 * statement lost. If an operation fails although it wrote something, its error message must say that this is possible.
 */

const service = await startProxiedService({ after }, { allowPrivateWebhooks: true })
const { api, proxy, sql } = service
const person = await newSignedInApi(service)

/** Tables that only the operations write. */
const WRITTEN = [
  'customers',
  'claim_schemas',
  'claim_schema_versions',
  'claims',
  'claim_events',
  'test_clocks',
  'webhook_endpoints',
  'webhook_deliveries',
  'notification_settings',
  'users',
  'credentials',
  'invitations',
  '(SELECT id, revoked_at FROM api_tokens)',
  '(SELECT id FROM sessions)',
]

async function digest(): Promise<string> {
  const hash = createHash('sha256')
  for (const table of WRITTEN)
    for (const { row } of await sql(`SELECT t::text AS row FROM ${table} AS t ORDER BY 1`))
      hash.update(`${row}\n`)
  return hash.digest('hex')
}

interface Operation {
  /** Creates records for one run. */
  prepare: () => Promise<() => Promise<Answer>>
}

/** The tests send no deliveries. */
const HOOK = 'http://127.0.0.1:8009/hook'
const RANGE = { from: '2020-01-01T00:00:00Z', to: '2090-01-01T00:00:00Z' }
const post = (path: string, body: unknown = {}, by = api) => by.post(path, body)
/** Creates an endpoint in a new account, because endpoints per account are limited. */
async function newEndpoint() {
  const owner = await service.newAccount()
  const { body } = await post('/v1/webhook_endpoints', { url: HOOK }, owner)
  return { owner, path: `/v1/webhook_endpoints/${body.id}` }
}
async function newDelivery() {
  const { owner, path } = await newEndpoint()
  const delivery = (await post(`${path}/test`, {}, owner)).body
  await sql("UPDATE webhook_deliveries SET status = 'succeeded', next_attempt_at = NULL")
  return { owner, path, delivery }
}

const OPERATIONS: Record<string, Operation['prepare']> = {
  'create a customer': async () => () => post('/v1/customers', { external_id: uniqueName() }),
  'change a customer': async () => {
    const { id } = await newCustomer(api)
    return () => api.patch(`/v1/customers/${id}`, { name: 'n', metadata: { a: 'b' } })
  },
  'create a schema': async () => () => post('/v1/schemas', { contract: contractWith() }),
  'change a schema': async () => {
    const { id } = await newSchema(api)
    return () => api.patch(`/v1/schemas/${id}`, { name: 'n' })
  },
  'delete a schema': async () => {
    const { id } = await newSchema(api)
    return () => api.delete(`/v1/schemas/${id}`)
  },
  'create a claim': async () => {
    const customer = await newCustomer(api)
    return () =>
      post('/v1/claims', { customer_id: customer.id, contract: contractWith(), metadata: { a: 'b' } })
  },
  'create a claim with a key': async () => {
    const customer = await newCustomer(api)
    const headers = { 'Idempotency-Key': uniqueName() }
    return () => api.post('/v1/claims', { customer_id: customer.id, contract: contractWith() }, headers)
  },
  'create a claim on a test clock': async () => {
    const customer = await newCustomer(api)
    const test_clock_id = await newClock(api)
    return () => post('/v1/claims', { customer_id: customer.id, test_clock_id, contract: contractWith() })
  },
  'create a candidate': async () => {
    const body = candidateBody(uniqueName('candidate'), await newCustomer(api))
    return () => post('/v1/candidates', body)
  },
  'change the metadata of a claim': async () => {
    const { id } = await newClaim(api)
    return () => api.patch(`/v1/claims/${id}`, { metadata: { a: 'b' } })
  },
  'submit an event': async () => {
    const { id } = await newClaim(api)
    return () => post('/v1/events', { claim_id: id, type: 'done' })
  },
  'submit a batch': async () => {
    const { id } = await newClaim(api)
    return () => post('/v1/events/batch', { events: [{ claim_id: id, type: 'a' }] })
  },
  'create a test clock': async () => () => post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' }),
  'advance a test clock': async () => {
    const customer = await newCustomer(api)
    const clock = await newClock(api)
    await post('/v1/claims', { customer_id: customer.id, test_clock_id: clock, contract: contractWith() })
    return () => post(`/v1/test_clocks/${clock}/advance`, { frozen_time: '2040-01-01T00:00:00Z' })
  },
  'delete a test clock': async () => {
    const clock = await newClock(api)
    return () => api.delete(`/v1/test_clocks/${clock}`)
  },
  'create an endpoint': async () => {
    const owner = await service.newAccount()
    return () => post('/v1/webhook_endpoints', { url: HOOK }, owner)
  },
  'change an endpoint': async () => {
    const { owner, path } = await newEndpoint()
    return () => owner.patch(path, { description: 'd', types: ['claim.created'] })
  },
  'rotate the secret of an endpoint': async () => {
    const { owner, path } = await newEndpoint()
    return () => post(`${path}/rotate_secret`, {}, owner)
  },
  'rotate the secret of an endpoint with a key': async () => {
    const { owner, path } = await newEndpoint()
    const headers = { 'Idempotency-Key': uniqueName() }
    return () => owner.post(`${path}/rotate_secret`, {}, headers)
  },
  'test an endpoint': async () => {
    const { owner, path } = await newEndpoint()
    return () => post(`${path}/test`, {}, owner)
  },
  'redeliver a delivery': async () => {
    const { owner, delivery } = await newDelivery()
    return () => post(`/v1/webhook_deliveries/${delivery.id}/redeliver`, {}, owner)
  },
  'redeliver a range': async () => {
    const { owner, path } = await newDelivery()
    return () => post(`${path}/redeliver`, RANGE, owner)
  },
  'delete an endpoint': async () => {
    const { owner, path } = await newEndpoint()
    return () => owner.delete(path)
  },
  'change the notification settings': async () => {
    const other = await service.newAccount()
    return () => other.patch('/v1/notification_settings', { event_recorded: true })
  },
  'change the account': async () => {
    const other = await service.newAccount()
    return () => other.patch('/v1/me', { currency: 'EUR', time_zone: 'europe/berlin' })
  },
  'create a token': async () => () => post('/v1/tokens', { name: 'some' }, person),
  'revoke a token': async () => {
    const { body } = await post('/v1/tokens', { name: 'some' }, person)
    return () => person.delete(`/v1/tokens/${body.id}`)
  },
  'create an invitation': async () => () => post('/v1/invitations', {}, person),
  'revoke an invitation': async () => {
    const { body } = await post('/v1/invitations', {}, person)
    return () => person.delete(`/v1/invitations/${body.id}`)
  },
  'sign up': async () => {
    const { key } = await createInvitation(service.app.db, { email: null, invitedBy: null })
    const body = { email: `${uniqueName()}@example.com`, name: 'n', password: PASSWORD, invitation: key }
    return () => new SessionClient(service).post('/api/auth/sign-up/email', body)
  },
  'sign out': async () => {
    const { browser } = await signUp(service)
    return () => browser.post('/api/auth/sign-out')
  },
  'change a password': async () => {
    const { browser } = await signUp(service)
    const body = { currentPassword: PASSWORD, newPassword: `${PASSWORD}!` }
    return () => browser.post('/api/auth/change-password', body)
  },
  'end the other sessions': async () => {
    const { email, browser } = await signUp(service)
    await openSession(service, email)
    return () => browser.post('/api/auth/revoke-other-sessions')
  },
}

/** Without the sessions of the test. */
const endSessionsOfService = () =>
  sql(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'claimkeeper'`)

/** Retried until the service has replaced its broken connections. */
const prepared = (prepare: Operation['prepare']) => eventually(() => prepare().catch(() => null))

/** An error message that says that something may have been written. */
const MAY_BE_WRITTEN = /not known|was created, but|was ended, but|are sent again/

async function assertHonest(what: string, answer: Answer, before: string): Promise<void> {
  const { status, body } = answer
  const results = (body?.results ?? []) as { status: number; error?: { message: string } }[]
  const failed = status >= 400 ? [body.error.message] : results.flatMap(({ error }) => error?.message ?? [])
  if (failed.length === 0 || (await digest()) === before) return
  for (const message of failed) assert.match(message, MAY_BE_WRITTEN, `${what}: something was written`)
}

/** The statements that the operation sends, without background statements. */
async function statementsOf(sendRequest: () => Promise<Answer>): Promise<string[]> {
  const sent: string[] = []
  proxy.onStatement((statement) => void (IN_THE_BACKGROUND.test(statement) || sent.push(statement)))
  const { status, body } = await sendRequest()
  proxy.onStatement(null)
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`)
  return sent
}

for (const [what, prepare] of Object.entries(OPERATIONS)) {
  test(`${what}: no error message hides a write`, async () => {
    const sent = await statementsOf(await prepared(prepare))
    assert.ok(sent.length > 0)
    for (let position = 1; position <= sent.length + 1; position++) {
      const sendRequest = await prepared(prepare)
      const before = await digest()
      let left = position
      proxy.onStatement((statement) => {
        if (IN_THE_BACKGROUND.test(statement) || --left !== 0) return undefined
        proxy.goDown()
        return endSessionsOfService()
      })
      const answer = await sendRequest()
      proxy.onStatement(null)
      proxy.comeBack()
      await assertHonest(`${what}, unavailable from ${sent[position - 1] ?? 'its end'} on`, answer, before)
    }
    for (const [i, statement] of sent.entries()) {
      const sendRequest = await prepared(prepare)
      const before = await digest()
      const occurrence = sent.slice(0, i + 1).filter((one) => one === statement).length
      proxy.inject({ statement, occurrence }, 'cut during')
      const answer = await sendRequest()
      proxy.disarm()
      await assertHonest(`${what}, answer to ${statement} lost`, answer, before)
    }
  })
}
