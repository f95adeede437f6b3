import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { newCandidate, newClaim, newCustomer, uniqueName } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { type Received, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { shortened, startListening } from './listening.ts'

const { newAccount } = await sharedService()

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

test('listen delivers what comes next in order, signed, numbered and linked, byte for byte, and prints a line for each', async (t) => {
  const [api, receiver] = [await newAccount(), await startWebhookReceiver(t)]
  const earlier = await newClaim(api)
  const folder = join(tmpdir(), uniqueName('no-data'))
  const noDatabase = { DATABASE_URL: '', CLAIMKEEPER_DATA_DIR: folder, DATABASE_POOL_SIZE: 'no number' }
  const listening = await startListening(t, { api, to: receiver.url }, [], noDatabase)
  const claim = await newClaim(api, {
    fulfillment_condition: { event: 'done', match: { '2': 'x', '1': '\u2028 "été" \\u0000 😀' } },
  })
  await newCandidate(api, { alias: uniqueName('\u001b[2J\u202e') })
  const closed = await newClaim(api)
  await api.post(`/v1/claims/${closed.id}/events`, { type: 'done' })
  await untilReceived(receiver, 4)

  const headers = { Authorization: `Bearer ${api.token}` }
  const page = await (await fetch(`${api.url}/v1/notifications`, { headers })).text()
  const [, asRead = ''] = /^\{"data":\[(.*)\],"next_cursor"/s.exec(page) ?? []
  const bodies = receiver.received.map(({ body }) => body.replace(/,"delivery":\{[^}]*\}\}$/, '}'))
  assert.ok(asRead.endsWith(bodies.join()))
  assert.ok(!bodies.join().includes(earlier.id))
  assert.deepEqual(verified(receiver.received, listening.secret()), [1, 2, 3, 4])
  await listening.untilPrinted('#4')
  const [created, candidate, ...ofClosed] = listening.lines()
  assert.equal(created, `#1 claim.created ${shortened(claim.id)} 200 … ms`)
  assert.match(`${candidate}`, /^#2 candidate\.created \\u001b\[2J\\u202e-\S{33}… 200 … ms$/)
  assert.deepEqual(ofClosed, [
    `#3 claim.created ${shortened(closed.id)} 200 … ms`,
    `#4 claim.pending ${shortened(closed.id)} 200 … ms`,
  ])
  assert.equal(await listening.end('SIGTERM'), 0)
  assert.match(listening.stdout(), /\nStopped: 4 delivered\.\n$/)
  assert.doesNotMatch(listening.stdout(), /\p{Cf}|[^\P{Cc}\n]/u)
  assert.equal(listening.stderr(), '')
  assert.equal(existsSync(folder), false)
})

test('listen takes types, a customer, a secret and a token, begins with the oldest if asked, and colours lines on a terminal', async (t) => {
  const [api, receiver] = [await newAccount(), await startWebhookReceiver(t)]
  const secret = `whsec_${Buffer.from('a secret that the receiver has').toString('base64')}`
  const [mine, other] = [await newCustomer(api), await newCustomer(api)]
  for (const customer of [other, mine]) {
    const claim = await api.claim(customer.id, contractWith())
    await api.post(`/v1/claims/${claim.id}/events`, { type: 'done' })
    await newCandidate(api, { customer })
  }
  const options = ['--types', 'claim.pending,candidate.created', '--customer', mine.id, '--secret', secret]
  const given = [...options, '--from-start', '--token', api.token as string]
  const settings = { CLAIMKEEPER_TOKEN: '', NO_COLOR: '', FORCE_COLOR: '1' }
  const listening = await startListening(t, { api, to: receiver.url }, given, settings)
  await listening.untilPrinted('#2')
  assert.deepEqual(receiver.received.map(typeOf), ['claim.pending', 'candidate.created'])
  assert.deepEqual(verified(receiver.received, secret), [1, 2])
  assert.ok(!listening.stdout().includes('whsec_'))
  assert.ok(listening.stdout().includes('\u001b[32m200\u001b[39m'))
})

test('listen tries a delivery again if the receiver answers 500, and the next one follows it', async (t) => {
  const api = await newAccount()
  const statuses = [500]
  const receiver = await startWebhookReceiver(t, (response) =>
    response.writeHead(statuses.shift() ?? 200).end(),
  )
  const listening = await startListening(t, { api, to: receiver.url })
  const [one, other] = [await newClaim(api), await newClaim(api)]
  await listening.untilPrinted('#2')
  assert.deepEqual(listening.lines(), [
    `#1 claim.created ${shortened(one.id)} 500 Internal Server Error … ms trying again in 0.5 s`,
    `#1 claim.created ${shortened(one.id)} 200 … ms`,
    `#2 claim.created ${shortened(other.id)} 200 … ms`,
  ])
  const [first, second] = receiver.received.map(({ body }) => body)
  assert.equal(second, first)
})

const TO = ['--forward-to', 'http://127.0.0.1:1024/hook']

test('listen refuses options that are wrong', async () => {
  for (const [what, args, message] of [
    ['no receiver', [], /required option '--forward-to <url>' not specified/],
    [
      'a receiver without http',
      ['--forward-to', 'localhost:3000/hook'],
      /begins with http:\/\/ or https:\/\//,
    ],
    ['a password in a URL', ['--forward-to', 'http://a:b@127.0.0.1'], /must have no user and no password/],
    ['a service with a query', [...TO, '--url', 'http://127.0.0.1?a=1'], /must end with its path/],
    ['a secret that is none', [...TO, '--secret', 'whsec_*'], /must be whsec_ and a key in base64/],
    ['no token', TO, /an API token is needed\. .* CLAIMKEEPER_TOKEN or with --token/],
    ['a token that is none', [...TO, '--token', 'secret'], /must be ck_ and 43 characters/],
  ] as const) {
    const { status, stdout, stderr } = await runSharedCli(['listen', ...args])
    // A token may come from the environment too: it is no part of the command line.
    assert.deepEqual([status, stdout], [/token/.test(what) ? 1 : 2, ''], what)
    assert.match(stderr, message)
  }
})

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
    const { status, stderr } = await runSharedCli(['listen', '--url', api.url, ...TO, ...args], settings)
    assert.equal(status, 1)
    assert.match(stderr, message)
    assert.ok(!stderr.includes('ck_'))
  }
})

test('listen tells if another program answers in the place of the service', async (t) => {
  const receiver = await startWebhookReceiver(t, (response) => response.writeHead(404).end())
  const url = new URL(receiver.url).origin
  const { status, stderr } = await runSharedCli(['listen', '--url', url, ...TO], {
    CLAIMKEEPER_TOKEN: `ck_${'x'.repeat(43)}`,
  })
  assert.equal(status, 1)
  assert.match(stderr, /is not Claimkeeper: GET \/v1\/notifications answers 404 Not Found\./)
})
