import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { MAIN, runCli } from '../support/serve-process.ts'
import { PASSWORD, SessionClient, signIn, signUp } from '../support/session-client.ts'
import { startTestService } from '../support/test-service.ts'

/** `claimkeeper user …` with the password on standard input, as a script gives it. */
async function runWithInput(databaseUrl: string, args: string[], input: string) {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, DATABASE_URL: databaseUrl, NO_COLOR: '1' }
  const child = spawn(process.execPath, [MAIN, 'user', ...args], { env })
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  child.stdin.end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { stdout, stderr, status: await closed }
}

test('user create --password reads the password, with which the account signs in', async (t) => {
  const { databaseUrl, ...service } = await startTestService(t, { hashesSlowly: true })
  const email = 'Billing@example.com'
  const run = await runWithInput(databaseUrl, ['create', '--email', email, '--password'], `${PASSWORD}\n`)
  assert.deepEqual([run.status, run.stderr], [0, ''])
  assert.ok(!run.stdout.includes(PASSWORD))
  const browser = await signIn({ ...service, databaseUrl }, email)
  assert.equal((await browser.get('/v1/me')).body.email, 'billing@example.com')
})

test('user create refuses a password that is too short, and makes no account', async (t) => {
  const { databaseUrl, sql } = await startTestService(t)
  const email = 'billing@example.com'
  const run = await runWithInput(databaseUrl, ['create', '--email', email, '--password'], 'short\n')
  assert.equal(run.status, 1)
  assert.match(run.stderr, /must have 8 to 128 characters/)
  assert.deepEqual(await sql('SELECT 1 FROM users WHERE email = $1', [email]), [])
})

test('user set-password changes the password of an account', async (t) => {
  const service = await startTestService(t, { hashesSlowly: true })
  const { email } = await signUp(service)
  const args = ['set-password', '--email', email]
  assert.equal((await runWithInput(service.databaseUrl, args, 'another horse\n')).status, 0)
  await signIn(service, email, 'another horse')
  const unknown = ['set-password', '--email', 'nobody@example.com']
  const refused = await runWithInput(service.databaseUrl, unknown, 'another horse\n')
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /No account has the email/)
})

test('user invite prints a link that works, under PUBLIC_URL', async (t) => {
  const service = await startTestService(t)
  const settings = { DATABASE_URL: service.databaseUrl, PUBLIC_URL: 'https://claims.example.com' }
  const { stdout, status } = await runCli(['user', 'invite', '--email', 'a@example.com'], settings)
  assert.equal(status, 0)
  const [, key] = /^https:\/\/claims\.example\.com\/welcome#key=(\S+)\n$/.exec(stdout) ?? []
  const { body } = await new SessionClient(service).post('/api/invitations/lookup', { key })
  assert.deepEqual(body, { email: 'a@example.com', purpose: 'invitation' })
})
