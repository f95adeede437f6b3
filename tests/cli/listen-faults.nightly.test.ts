import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { sendDelivery } from '../../src/cli/listen/local-deliveries.ts'
import { eventually } from '../support/eventually.ts'
import { startGate } from '../support/gate.ts'
import { newClaim } from '../support/new-records.ts'
import { startCli } from '../support/serve-process.ts'
import { hashToken, revokeToken } from '../support/source/accounts.ts'
import { NO_HASH, oldNotifications } from '../support/source/webhooks.ts'
import { startTestService } from '../support/test-service.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { shortened, startListening } from './listening.ts'

const { app, newAccount, sql } = await startTestService({ after }, { heartbeatMs: 200 })

const claimsOf = ({ received }: WebhookReceiver): string[] =>
  received.map(({ body }) => JSON.parse(body).claim.id)
const numbersOf = ({ received }: WebhookReceiver): number[] =>
  received.map(({ body }) => JSON.parse(body).delivery.number)

const AWAY = /^· The service does not answer \((.*)\): trying again until it does\.$/gm
const BACK = /^· The service answers again\.$/gm
const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length

test('listen tries a delivery again, the same each time, and waits longer after another failure', async (t) => {
  const api = await newAccount()
  const statuses = [500, 503]
  const receiver = await startWebhookReceiver(t, (response) =>
    response.writeHead(statuses.shift() ?? 200).end(),
  )
  const listening = await startListening(t, { api, to: receiver.url })
  const [one, other] = [await newClaim(api), await newClaim(api)]
  await listening.untilPrinted('#2')
  assert.deepEqual(listening.lines(), [
    `#1 claim.created ${shortened(one.id)} 500 Internal Server Error … ms trying again in 0.5 s`,
    `#1 claim.created ${shortened(one.id)} 503 Service Unavailable … ms trying again in 1 s`,
    `#1 claim.created ${shortened(one.id)} 200 … ms`,
    `#2 claim.created ${shortened(other.id)} 200 … ms`,
  ])
  const [first, second, third] = receiver.received.map(({ body }) => body)
  assert.deepEqual([second, third], [first, first])
})

test('listen gives a delivery up after four attempts, and links the next one to it', async (t) => {
  const api = await newAccount()
  let failing = ''
  const receiver = await startWebhookReceiver(t, (response, { body }) => {
    failing ||= body
    response.writeHead(body === failing ? 500 : 204).end()
  })
  const listening = await startListening(t, { api, to: receiver.url })
  const [one, other] = [await newClaim(api), await newClaim(api)]
  await listening.untilPrinted('#2')
  assert.deepEqual(numbersOf(receiver), [1, 1, 1, 1, 2])
  const failed = `#1 claim.created ${shortened(one.id)} 500 Internal Server Error … ms`
  assert.deepEqual(listening.lines(), [
    ...[0.5, 1, 2].map((seconds) => `${failed} trying again in ${seconds} s`),
    `${failed} given up after 4 attempts, continuing with the next`,
    `#2 claim.created ${shortened(other.id)} 204 … ms`,
  ])
  const { delivery } = JSON.parse(receiver.received[4]?.body ?? '')
  assert.equal(delivery.previous_hash, createHash('sha256').update(failing).digest('hex'))
  await listening.end('SIGINT')
  assert.match(listening.stdout(), /\nStopped: 1 delivered, 1 given up\.\n$/)
})

test('listen says in words that nobody takes the connection, or that it was closed', async (t) => {
  const [api, receiver] = [await newAccount(), await startWebhookReceiver(t)]
  const gate = await startGate(t, receiver.url)
  gate.close()
  await receiver.close()
  const refused = await startListening(t, { api, to: receiver.url })
  const closed = await startListening(t, { api, to: `${gate.url}/hook` })
  await newClaim(api)
  await Promise.all([refused, closed].map(({ untilPrinted }) => untilPrinted('given up')))
  assert.match(refused.lines()[0] as string, / the connection was refused … ms trying again in 0\.5 s$/)
  assert.match(
    closed.lines()[0] as string,
    / the connection was (?:closed without an answer|reset) … ms trying again in 0\.5 s$/,
  )
})

test('listen follows no redirect', async (t) => {
  const api = await newAccount()
  const receiver = await startWebhookReceiver(t, (response) =>
    response.writeHead(307, { Location: '/elsewhere' }).end(),
  )
  const listening = await startListening(t, { api, to: receiver.url })
  await newClaim(api)
  await listening.untilPrinted('trying again in 1 s')
  assert.match(listening.lines()[0] as string, / 307 Temporary Redirect, not followed … ms /)
  assert.deepEqual([...new Set(receiver.received.map(({ path }) => path))], ['/'])
})

test('a receiver that does not answer in its time has failed, and says so', async (t) => {
  const receiver = await startWebhookReceiver(t, () => {})
  const delivery = { id: 'an-id', number: 1, previousHash: NO_HASH, body: '{}' }
  const to = { url: receiver.url, secret: 'whsec_c2VjcmV0', timeoutMs: 1_500 }
  const { succeeded, outcome } = await sendDelivery(to, delivery, new AbortController().signal)
  assert.deepEqual({ succeeded, outcome }, { succeeded: false, outcome: 'no answer in 1.5 s' })
  assert.equal(receiver.received.length, 1)
})

test('a receiver without HTTPS and an unknown host have different messages', async (t) => {
  const receiver = await startWebhookReceiver(t)
  const delivery = { id: 'an-id', number: 1, previousHash: NO_HASH, body: '{}' }
  for (const [url, expected] of [
    [receiver.url.replace('http:', 'https:'), /^the receiver does not speak TLS/],
    ['http://no-such-host.invalid/', /^the name of the host (?:is not known|could not be looked up)$/],
  ] as const) {
    const to = { url, secret: 'whsec_c2VjcmV0', timeoutMs: 15_000 }
    const { outcome } = await sendDelivery(to, delivery, new AbortController().signal)
    assert.match(outcome, expected)
  }
})

test('listen says once that the service is away, goes on by itself, and has missed nothing', async (t) => {
  const [api, receiver] = [await newAccount(), await startWebhookReceiver(t)]
  const gate = await startGate(t, api.url)
  const listening = await startListening(t, { api, to: receiver.url, by: gate.url })
  const claims = [await newClaim(api)]
  await eventually(async () => receiver.received.length === 1)
  for (const turn of [1, 2]) {
    gate.close()
    claims.push(await newClaim(api), await newClaim(api))
    await eventually(async () => count(listening.stdout(), AWAY) === turn)
    gate.open()
    await eventually(async () => receiver.received.length === 1 + turn * 2)
  }
  // A connection that breaks and can be made again at once is nobody's concern.
  gate.close()
  gate.open()
  claims.push(await newClaim(api))
  await eventually(async () => receiver.received.length === 6)
  assert.deepEqual(
    claimsOf(receiver),
    claims.map(({ id }) => id),
  )
  assert.deepEqual(numbersOf(receiver), [1, 2, 3, 4, 5, 6])
  assert.deepEqual([count(listening.stdout(), AWAY), count(listening.stdout(), BACK)], [2, 2])
})

test('listen waits for a service that is not there yet', async (t) => {
  const [api, receiver] = [await newAccount(), await startWebhookReceiver(t)]
  const gate = await startGate(t, api.url)
  gate.close()
  const args = ['listen', '--url', gate.url, '--forward-to', receiver.url]
  const listening = startCli(t, args, { CLAIMKEEPER_TOKEN: api.token as string })
  await eventually(async () => count(listening.stdout(), AWAY) === 1)
  assert.ok(!listening.stdout().includes('Following'))
  gate.open()
  await eventually(async () => listening.stdout().includes('Following from now on'))
  await newClaim(api)
  await eventually(async () => receiver.received.length === 1)
})

test('listen goes on with the oldest that is kept if what follows its place was removed', async (t) => {
  const [api, receiver] = [await newAccount(), await startWebhookReceiver(t)]
  const gate = await startGate(t, api.url)
  const listening = await startListening(t, { api, to: receiver.url, by: gate.url })
  await newClaim(api)
  await eventually(async () => receiver.received.length === 1)
  gate.close()
  const removed = await newClaim(api)
  await sql("UPDATE notifications SET created_at = '2025-01-01' WHERE user_id = $1", [removed.user_id])
  assert.equal(await oldNotifications(app, 30).removeBatches(() => false), 2)
  const [kept] = [await newClaim(api), await newClaim(api)]
  gate.open()
  await eventually(async () => receiver.received.length === 3)
  assert.deepEqual(claimsOf(receiver)[1], kept.id)
  assert.deepEqual(numbersOf(receiver), [1, 2, 3])
  assert.match(
    listening.stdout(),
    /^· The next notifications were removed from the service\. Continuing with the oldest /m,
  )
})

test('listen goes on with the oldest of another database if the service has been given one', async (t) => {
  const [api, receiver] = [await newAccount(), await startWebhookReceiver(t)]
  const gate = await startGate(t, api.url)
  await startListening(t, { api, to: receiver.url, by: gate.url })
  await newClaim(api)
  await eventually(async () => receiver.received.length === 1)
  const other = await startTestService(t)
  const claim = await newClaim(other.api)
  await other.sql('UPDATE api_tokens SET token_hash = $1 WHERE user_id = $2', [
    hashToken(api.token as string),
    claim.user_id,
  ])
  gate.close()
  gate.open(other.url)
  await eventually(async () => receiver.received.length === 2)
  assert.equal(claimsOf(receiver)[1], claim.id)
})

test('listen ends with a clear message if its token is revoked meanwhile', async (t) => {
  const [api, receiver] = [await newAccount(), await startWebhookReceiver(t)]
  const listening = await startListening(t, { api, to: receiver.url })
  const { user_id } = await newClaim(api)
  await eventually(async () => receiver.received.length === 1)
  const [token] = await sql('SELECT id FROM api_tokens WHERE user_id = $1', [user_id])
  await revokeToken(app, token?.id as string)
  assert.equal(await listening.ended(), 1)
  assert.match(listening.stderr(), /^claimkeeper: \S+ refuses the token \(401 TOKEN_INVALID\)\./)
  assert.ok(!listening.stdout().includes('does not answer'))
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`listen ends at ${signal} with status 0, also while a receiver keeps it waiting`, async (t) => {
    const [api, receiver] = [await newAccount(), await startWebhookReceiver(t, () => {})]
    const listening = await startListening(t, { api, to: receiver.url })
    await newClaim(api)
    await eventually(async () => receiver.received.length === 1)
    assert.equal(await listening.end(signal), 0)
    assert.match(listening.stdout(), /\nStopped: 0 delivered\.\n$/)
    assert.equal(receiver.received.length, 1)
  })
}
