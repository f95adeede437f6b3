import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { newCandidate, newClaim, newCustomer, uniqueName } from '../support/new-records.ts'
import { runCli, startCli } from '../support/serve-process.ts'
import { startTestService } from '../support/test-service.ts'
import { type Received, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { shortened, startListening } from './listening.ts'

const { newAccount, databaseUrl } = await startTestService({ after })

const untilReceived = ({ received }: WebhookReceiver, count: number) =>
  eventually(async () => received.length >= count)

const typeOf = ({ body }: Received): string => JSON.parse(body).type

/** Of each delivery its number, once it has been verified as a receiver does, and linked to the one before. */
function verified(received: Received[], secret: string): number[] {
  let hash = '0'.repeat(64)
  return received.map(({ headers, body }) => {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    const { id, delivery } = JSON.parse(body)
    assert.equal(headers['webhook-id'], id)
    assert.equal(headers['claimkeeper-delivery-number'], `${delivery.number}`)
    assert.equal(headers['claimkeeper-previous-hash'], delivery.previous_hash)
    assert.equal(delivery.previous_hash, hash)
    hash = createHash('sha256').update(body).digest('hex')
    return delivery.number
  })
}

test('listen delivers each notification in order, signed, numbered and linked, and prints a line for each', async (t) => {
  const [api, receiver] = [await newAccount(), await startWebhookReceiver(t)]
  const listening = await startListening(t, { api, to: receiver.url })
  const claim = await newClaim(api)
  await api.post(`/v1/claims/${claim.id}/events`, { type: 'done' })
  const candidate = await newCandidate(api)
  await untilReceived(receiver, 3)

  const { data } = (await api.get('/v1/notifications')).body
  assert.deepEqual(
    receiver.received.map(({ body }) => {
      const { delivery: _, ...notification } = JSON.parse(body)
      return notification
    }),
    data,
  )
  assert.deepEqual(verified(receiver.received, listening.secret()), [1, 2, 3])
  await listening.untilPrinted('#3')
  assert.deepEqual(listening.lines(), [
    `#1 claim.created ${shortened(claim.id)} 200 … ms`,
    `#2 claim.pending ${shortened(claim.id)} 200 … ms`,
    `#3 candidate.created ${candidate.candidate_alias.slice(0, 39)}… 200 … ms`,
  ])
  assert.equal(await listening.end('SIGTERM'), 0)
  assert.match(listening.stdout(), /\nStopped: 3 delivered\.\n$/)
  assert.equal(listening.stderr(), '')
})

test('listen delivers byte for byte what the service wrote', async (t) => {
  const [api, receiver] = [await newAccount(), await startWebhookReceiver(t)]
  await startListening(t, { api, to: receiver.url })
  await newClaim(api, {
    fulfillment_condition: { event: 'done', match: { '2': 'x', '1': '\u2028 "été" \\u0000 😀' } },
  })
  await untilReceived(receiver, 1)
  const headers = { Authorization: `Bearer ${api.token}` }
  const page = await (await fetch(`${api.url}/v1/notifications`, { headers })).text()
  const [, asRead] = /^\{"data":\[(.*)\],"next_cursor"/s.exec(page) ?? []
  assert.equal(receiver.received[0]?.body.replace(/,"delivery":\{[^}]*\}\}$/, '}'), asRead)
})

test('listen begins with what comes next, and with --from-start with the oldest that is kept', async (t) => {
  const [api, now, start] = [await newAccount(), await startWebhookReceiver(t), await startWebhookReceiver(t)]
  const before = await newClaim(api)
  await startListening(t, { api, to: now.url })
  await startListening(t, { api, to: start.url }, ['--from-start'])
  const later = await newClaim(api)
  await Promise.all([untilReceived(now, 1), untilReceived(start, 2)])
  const claims = ({ received }: WebhookReceiver) => received.map(({ body }) => JSON.parse(body).claim.id)
  assert.deepEqual(claims(now), [later.id])
  assert.deepEqual(claims(start), [before.id, later.id])
})

test('listen takes types, a customer, a secret and a token', async (t) => {
  const [api, receiver] = [await newAccount(), await startWebhookReceiver(t)]
  const secret = `whsec_${Buffer.from('a secret that the receiver has').toString('base64')}`
  const [mine, other] = [await newCustomer(api), await newCustomer(api)]
  const options = ['--types', 'claim.pending,candidate.created', '--customer', mine.id, '--secret', secret]
  const given = [...options, '--token', api.token as string]
  const listening = await startListening(t, { api, to: receiver.url }, given, { CLAIMKEEPER_TOKEN: '' })
  for (const customer of [other, mine]) {
    const claim = await api.claim(customer.id, contractWith())
    await api.post(`/v1/claims/${claim.id}/events`, { type: 'done' })
    await newCandidate(api, { customer })
  }
  await untilReceived(receiver, 2)
  assert.deepEqual(receiver.received.map(typeOf), ['claim.pending', 'candidate.created'])
  assert.deepEqual(verified(receiver.received, secret), [1, 2])
  assert.ok(!listening.stdout().includes('whsec_'))
})

test('listen needs no database, and makes none', async (t) => {
  const [api, receiver] = [await newAccount(), await startWebhookReceiver(t)]
  const folder = join(tmpdir(), uniqueName('no-data'))
  const settings = { DATABASE_URL: '', CLAIMKEEPER_DATA_DIR: folder, DATABASE_POOL_SIZE: 'no number' }
  await startListening(t, { api, to: receiver.url }, [], settings)
  await newClaim(api)
  await untilReceived(receiver, 1)
  assert.equal(existsSync(folder), false)
})

test('listen colours its lines on a terminal alone, and prints nothing that would write on it', async (t) => {
  const [api, receiver] = [await newAccount(), await startWebhookReceiver(t)]
  const plain = await startListening(t, { api, to: receiver.url })
  const coloured = await startListening(t, { api, to: receiver.url }, [], { NO_COLOR: '', FORCE_COLOR: '1' })
  await newCandidate(api, { alias: uniqueName('\u001b[2J\u202e').slice(0, 20) })
  await Promise.all([plain.untilPrinted('#1'), coloured.untilPrinted('#1')])
  assert.match(plain.lines()[0] as string, /^#1 candidate\.created \\u001b\[2J\\u202e-\S+ 200 … ms$/)
  assert.doesNotMatch(plain.stdout(), /\p{Cf}|[^\P{Cc}\n]/u)
  assert.ok(coloured.stdout().includes('\u001b[32m200\u001b[39m'))
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`listen ends at ${signal} with status 0, also while a receiver keeps it waiting`, async (t) => {
    const [api, receiver] = [await newAccount(), await startWebhookReceiver(t, () => {})]
    const listening = await startListening(t, { api, to: receiver.url })
    await newClaim(api)
    await untilReceived(receiver, 1)
    assert.equal(await listening.end(signal), 0)
    assert.match(listening.stdout(), /\nStopped: 0 delivered\.\n$/)
    assert.equal(receiver.received.length, 1)
  })
}

const TO = ['--forward-to', 'http://127.0.0.1:9/hook']
for (const [what, args, message] of [
  ['no receiver', [], /required option '--forward-to <url>' not specified/],
  ['a receiver without http', ['--forward-to', 'localhost:3000/hook'], /begins with http:\/\/ or https:\/\//],
  ['a password in a URL', ['--forward-to', 'http://a:b@127.0.0.1'], /must have no user and no password/],
  ['a service with a query', [...TO, '--url', 'http://127.0.0.1?a=1'], /must end with its path/],
  ['a secret that is none', [...TO, '--secret', 'whsec_*'], /must be whsec_ and a key in base64/],
  ['no token', TO, /an API token is needed: .* CLAIMKEEPER_TOKEN, or with --token/],
  ['a token that is none', [...TO, '--token', 'secret'], /must be ck_ and 43 characters/],
] as const) {
  test(`listen refuses ${what}`, async () => {
    const { status, stdout, stderr } = await runCli(['listen', ...args], { DATABASE_URL: databaseUrl })
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, message)
  })
}

test('listen ends with a clear message if the service refuses it', async () => {
  const api = await newAccount()
  const token = `ck_${'x'.repeat(43)}`
  for (const [args, message] of [
    [['--token', token], /refuses the token \(401 TOKEN_INVALID\)\. It may be mistyped, expired or revoked/],
    [['--types', 'claim.done'], /\(400 VALIDATION_ERROR\): types: has "claim\.done", which is none of/],
    [['--customer', 'acme'], /\(400 VALIDATION_ERROR\): customer_id: /],
    [['--url', `${api.url}/elsewhere`], /404 ROUTE_NOT_FOUND/],
  ] as const) {
    const settings = { CLAIMKEEPER_TOKEN: api.token as string }
    const { status, stderr } = await runCli(['listen', '--url', api.url, ...TO, ...args], settings)
    assert.equal(status, 1)
    assert.match(stderr, message)
    assert.ok(!stderr.includes('ck_'))
  }
})

test('listen tells if another program answers in the place of the service', async (t) => {
  const receiver = await startWebhookReceiver(t, (response) => response.writeHead(404).end())
  const url = new URL(receiver.url).origin
  const listening = startCli(t, ['listen', '--url', url, ...TO], {
    CLAIMKEEPER_TOKEN: `ck_${'x'.repeat(43)}`,
  })
  assert.equal(await listening.ended(), 1)
  assert.match(listening.stderr(), /is no Claimkeeper: GET \/v1\/notifications answers 404 Not Found\./)
})
