import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { clientOf } from '../support/client-of.ts'
import { contractWith } from '../support/contracts.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { holdClaims } from '../support/held-rows.ts'
import { runCli, startServeProcess } from '../support/serve-process.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { createTestDatabase } from '../support/test-database.ts'

/* The slow suite has the embedded database, several servers, kills, and stops that something holds up. */

test('a server starts on an empty database, prints the first token, serves a claim until it is resolved, and finishes requests at SIGTERM', async (t) => {
  const DATABASE_URL = await createTestDatabase(t, { migrated: false })
  const served = await startServeProcess(t, { DATABASE_URL })
  assert.match(served.output(), /Migrating the database/)
  assert.match(served.output(), /curl /)
  assert.ok(served.token, 'the banner shows the first token')
  const [, origin, key] = /(http:\/\/\S+)\/welcome#key=([A-Za-z0-9_-]{43})/.exec(served.output()) ?? []
  assert.equal(origin, served.url)
  const invitation = await fetch(`${served.url}/api/invitations/lookup`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: served.url },
    body: JSON.stringify({ key }),
  })
  assert.equal(invitation.status, 200)

  const api = await clientOf(served)
  const customer_id = await api.customer('acme')
  const { id: test_clock_id } = (
    await api.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00.000Z' })
  ).body
  const contract = contractWith({ review_window: 60 })
  const { id } = (await api.post('/v1/claims', { customer_id, contract, test_clock_id })).body
  const { body } = await api.post('/v1/events', { claim_id: id, type: 'done' })
  assert.equal(body.claim.status, 'PENDING')
  const frozen_time = '2026-01-01T00:02:00.000Z'
  assert.equal((await api.post(`/v1/test_clocks/${test_clock_id}/advance`, { frozen_time })).status, 200)
  const { status, status_since } = await api.readClaim(id)
  assert.deepEqual([status, status_since], ['CONFIRMED', '2026-01-01T00:01:00.000Z'])

  const open = await api.claim(customer_id, contractWith())
  const held = await holdClaims(t, DATABASE_URL, [open.id])
  const inFlight = api.post('/v1/events', { claim_id: open.id, type: 'done' })
  await held.untilStatementsWait()
  const ended = served.end('SIGTERM')
  await eventually(async () => served.output().includes('finishing requests in flight'))
  await eventually(() =>
    fetch(`${served.url}/healthz`).then(
      () => false,
      () => true,
    ),
  )
  await held.release()
  const answer = await inFlight
  assert.equal(answer.status, 201)
  assert.equal(answer.headers.get('Connection'), 'close')
  assert.equal(await ended, 0)
  assert.match(served.output(), /Stopped by SIGTERM: finishing requests in flight[\s\S]*Stopped\.\n$/)
})

test('a start on a port in use fails with one line and creates nothing', async (t) => {
  const CLAIMKEEPER_DATA_DIR = await newDataFolder(t)
  const occupant = createServer().listen(0, '127.0.0.1')
  await once(occupant, 'listening')
  t.after(() => void occupant.close())
  const PORT = String((occupant.address() as AddressInfo).port)
  const { status, stderr } = await runCli(['serve'], { CLAIMKEEPER_DATA_DIR, PORT })
  assert.equal(status, 1)
  assert.equal(stderr, `claimkeeper: Port ${PORT} of 127.0.0.1 is taken; set PORT to another.\n`)
  assert.equal(existsSync(CLAIMKEEPER_DATA_DIR), false)
})

test('wrong settings, commands and arguments are answered by a clear line and status 1, or 2 for usage', async (t) => {
  const url = new URL(await createTestDatabase(t))
  Object.assign(url, { username: 'nobody_here', password: 'hunter2' })
  for (const [args, settings, expected, expectedStatus] of [
    [
      ['serve'],
      { PORT: 'abc' },
      /^claimkeeper: PORT must be a whole number from 0 to 65535, not "abc"\.\n$/,
      1,
    ],
    [['serve'], { DATABASE_URL: 'localhost' }, /^claimkeeper: DATABASE_URL must be a URL/, 1],
    [['migrate'], { DATABASE_URL: url.href }, /^claimkeeper: Cannot use the database at [^\n]*\n$/, 1],
    [['dance'], {}, /unknown command 'dance'/, 2],
    [['token', 'create', '--email', 'a@b'], {}, /--name <name>' not specified/, 2],
    [
      ['token', 'create', '--email', 'a@b', '--name', 'x', '--expires', '2001-01-01'],
      {},
      /is in the past/,
      2,
    ],
  ] as const) {
    const { status, stderr } = await runSharedCli([...args], settings)
    assert.equal(status, expectedStatus, args.join(' '))
    assert.match(stderr, expected)
    assert.doesNotMatch(stderr, /hunter2/)
  }
})
