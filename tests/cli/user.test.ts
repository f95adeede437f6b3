import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runCli } from '../support/serve-process.ts'
import { PASSWORD, SessionClient, signIn } from '../support/session-client.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { startTestService } from '../support/test-service.ts'
import { runWithInput } from './run-with-input.ts'

// Hashes are taken by a service that spends as much work on them as the command does.
const service = await startTestService({ after }, { hashesSlowly: true })
const { databaseUrl, sql } = service

test('user create --password reads the password, with which the account signs in', async () => {
  const email = 'Billing@example.com'
  const created = await runWithInput(
    databaseUrl,
    ['user', 'create', '--email', email, '--password'],
    `${PASSWORD}\n`,
  )
  assert.deepEqual([created.status, created.stderr], [0, ''])
  assert.ok(!created.stdout.includes(PASSWORD))
  const browser = await signIn(service, email)
  assert.equal((await browser.get('/v1/me')).body.email, 'billing@example.com')
})

test('user create refuses a password that is too short, and makes no account', async () => {
  const email = 'short@example.com'
  const short = await runWithInput(databaseUrl, ['user', 'create', '--email', email, '--password'], 'short\n')
  assert.equal(short.status, 1)
  assert.match(short.stderr, /must have 8 to 128 characters/)
  assert.deepEqual(await sql('SELECT 1 FROM users WHERE email = $1', [email]), [])
})

test('user invite prints a link that works, under PUBLIC_URL', async () => {
  const settings = { DATABASE_URL: databaseUrl, PUBLIC_URL: 'https://claims.example.com' }
  const { stdout, status } = await runSharedCli(['user', 'invite', '--email', 'a@example.com'], settings)
  assert.equal(status, 0)
  const [, key] = /^https:\/\/claims\.example\.com\/welcome#key=(\S+)\n$/.exec(stdout) ?? []
  const { body } = await new SessionClient(service).post('/api/invitations/lookup', { key })
  assert.deepEqual(body, { email: 'a@example.com', purpose: 'invitation' })
})

test('tokens are created, listed without the token, and revoked at once', async () => {
  const settings = { DATABASE_URL: databaseUrl }
  const email = 'token@example.com'
  assert.match(
    (await runSharedCli(['user', 'create', '--email', email], settings)).stdout,
    /^Created token@example\.com \(\S+\)\.\n$/,
  )
  const { stdout } = await runCli(
    ['token', 'create', '--email', 'TOKEN@example.com', '--name', 'x'],
    settings,
  )
  assert.match(stdout, /^ck_[A-Za-z0-9_-]{43}\n$/, 'the token alone')
  const api = service.clientWith(stdout.trim())
  assert.equal((await api.get('/v1/claims')).status, 200)

  const listed = await runSharedCli(['token', 'list', '--json'], settings)
  assert.ok(!listed.stdout.includes(stdout.trim()))
  const { id } = JSON.parse(listed.stdout).find((token: { email: string }) => token.email === email)
  assert.equal((await runSharedCli(['token', 'revoke', id], settings)).status, 0)
  assert.equal((await api.get('/v1/claims')).status, 401, 'revoking is immediate')
  assert.match((await runSharedCli(['token', 'list'], settings)).stdout, /token@example\.com .*revoked/)
})
