import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer } from '../../support/api-client.ts'
import { assertError } from '../../support/assert-error.ts'
import { uniqueName } from '../../support/new-records.ts'
import { PASSWORD, SessionClient, signIn, signUp } from '../../support/session-client.ts'
import { startTestService, type TestService } from '../../support/test-service.ts'

/* Each test has a service of its own: the limits count for an address, and all tests come from one. */

function assertTooMany(answer: Answer): void {
  assertError(answer, 429, 'RATE_LIMITED')
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
}

const attempt = (on: TestService, fields: object, headers: Record<string, string> = {}) =>
  new SessionClient(on).post(
    '/api/auth/sign-in/email',
    { email: 'someone@example.com', password: 'wrong one', ...fields },
    headers,
  )

/** As if so many had been made just now: each real one costs a hash. */
const countedBefore = (on: TestService, attempts: number, ...keys: string[]) =>
  on.sql(
    `INSERT INTO throttles (key, attempts, ends_at) SELECT key, $1, now() + interval '1 hour' FROM unnest($2::text[]) AS key
      ON CONFLICT (key) DO UPDATE SET attempts = $1`,
    [attempts, keys],
  )

describe('attempts to sign in', () => {
  test('from one address are 20 a minute, whatever X-Forwarded-For says, on all servers together', async (t) => {
    const service = await startTestService(t)
    const second = await startTestService(t, { databaseUrl: service.databaseUrl })
    for (let i = 0; i < 4; i++) {
      if (i === 1) await countedBefore(service, 17, 'sign-in|127.0.0.1')
      const email = `${uniqueName()}@example.com`
      assertError(await attempt(i % 2 ? service : second, { email }), 401, 'SIGN_IN_FAILED')
    }
    const forwarded = { 'X-Forwarded-For': '203.0.113.7', 'X-Claimkeeper-Client-Address': '203.0.113.8' }
    for (const server of [service, second]) {
      assertTooMany(await attempt(server, { email: `${uniqueName()}@example.com` }, forwarded))
    }
  })

  test('for one email are 10 in a quarter of an hour from any addresses, also for an unknown one', async (t) => {
    const trustedProxies = '127.0.0.1'
    const service = await startTestService(t, { trustedProxies })
    const { email, browser } = await signUp(service)
    const from = (i: number) => ({ 'X-Forwarded-For': `203.0.113.${i}` })
    for (const who of [email, `${uniqueName()}@example.com`]) {
      for (let i = 0; i < 3; i++) {
        if (i === 1) await countedBefore(service, 8, `email|${who}`)
        assertError(await attempt(service, { email: who.toUpperCase() }, from(i)), 401, 'SIGN_IN_FAILED')
      }
      assertTooMany(await attempt(service, { email: who }, from(11)))
    }
    // Not even with the right password; whoever is signed in already stays so.
    assertTooMany(await attempt(service, { email, password: PASSWORD }, from(12)))
    assert.equal((await browser.get('/v1/me')).status, 200)
    await service.sql("UPDATE throttles SET ends_at = now() - interval '1 s'")
    // This server remembers for as long as it was told.
    const other = await startTestService(t, { trustedProxies, databaseUrl: service.databaseUrl })
    assertTooMany(await attempt(service, { email, password: PASSWORD }, from(12)))
    assert.equal((await attempt(other, { email, password: PASSWORD }, from(12))).status, 200)
  })

  test('that all come at once are counted one by one', async (t) => {
    const service = await startTestService(t)
    const { email } = await signUp(service)
    await countedBefore(service, 7, `email|${email}`)
    const answers = await Promise.all(Array.from({ length: 10 }, () => attempt(service, { email })))
    assert.equal(answers.filter(({ status }) => status === 401).length, 3)
    assert.equal(answers.filter(({ status }) => status === 429).length, 7)
  })

  test('for an email are counted anew after a right one', async (t) => {
    const service = await startTestService(t)
    const { email } = await signUp(service)
    await countedBefore(service, 9, `email|${email}`)
    await signIn(service, email)
    assertError(await attempt(service, { email }), 401, 'SIGN_IN_FAILED')
    const [row] = await service.sql('SELECT attempts FROM throttles WHERE key = $1', [`email|${email}`])
    assert.equal(row?.attempts, 1)
  })
})

test('who has had too many attempts is refused without a word to the database', async (t) => {
  const service = await startTestService(t, { trustedProxies: '127.0.0.1' })
  const nobody = new SessionClient(service)
  const signUpBody = { email: 'a@example.com', name: 'a', password: PASSWORD }
  const ofAddress = ['sign-in', 'sign-up', 'invitation', 'change-password'].map(
    (what) => `${what}|203.0.113.1`,
  )
  await countedBefore(service, 1_000, ...ofAddress, 'email|someone@example.com')
  const known = { 'X-Forwarded-For': '203.0.113.1' }
  const ways: ((i: number) => Promise<Answer>)[] = [
    () => attempt(service, { email: 'another@example.com' }, known),
    () => nobody.post('/api/auth/sign-up/email', signUpBody, known),
    () => nobody.post('/api/invitations/lookup', { key: 'x'.repeat(43) }, known),
    () => nobody.post('/api/auth/change-password', { currentPassword: 'a', newPassword: PASSWORD }, known),
    (i) => attempt(service, {}, { 'X-Forwarded-For': `198.51.100.${i}` }),
  ]
  for (const send of ways) {
    assertTooMany(await send(0))
    const before = await service.sql('SELECT * FROM throttles ORDER BY key')
    for (let i = 1; i < 20; i++) assertTooMany(await send(i))
    assert.deepEqual(await service.sql('SELECT * FROM throttles ORDER BY key'), before)
  }
})

test('a flood of sign-ins from one address is refused at once, and another address gets its turn', async (t) => {
  const service = await startTestService(t, { trustedProxies: '127.0.0.1', hashesSlowly: true })
  const { email } = await signUp(service)
  const flood = Array.from({ length: 40 }, (_, i) =>
    attempt(service, { email: `${i}@example.com` }, { 'X-Forwarded-For': '203.0.113.1' }),
  )
  const honest = attempt(service, { email, password: PASSWORD }, { 'X-Forwarded-For': '203.0.113.2' })
  assert.equal((await honest).status, 200)
  const answers = await Promise.all(flood)
  // Three inside, and ten that may wait.
  assert.ok(answers.filter(({ status }) => status === 401).length <= 13)
  assert.ok(answers.filter(({ status }) => status === 429).length >= 27)
})

test('attempts to sign up, and to guess invitations, are limited for an address', async (t) => {
  const service = await startTestService(t)
  const body = { email: 'a@example.com', name: 'a', password: PASSWORD }
  const nobody = new SessionClient(service)
  for (let i = 0; i < 20; i++) {
    assertError(await nobody.post('/api/auth/sign-up/email', body), 403, 'SIGN_UP_CLOSED')
  }
  assertTooMany(await nobody.post('/api/auth/sign-up/email', body))
  for (let i = 0; i < 60; i++) await nobody.post('/api/invitations/lookup', { key: 'x'.repeat(43) })
  assertTooMany(await nobody.post('/api/invitations/lookup', { key: 'x'.repeat(43) }))
})

test('a password is tried 10 times a minute by who is signed in', async (t) => {
  const service = await startTestService(t)
  const { browser } = await signUp(service)
  const change = { currentPassword: 'wrong one', newPassword: 'whatever it is' }
  for (let i = 0; i < 3; i++) {
    if (i === 1) await countedBefore(service, 8, 'change-password|127.0.0.1')
    assertError(await browser.post('/api/auth/change-password', change), 400, 'VALIDATION_ERROR')
  }
  assertTooMany(await browser.post('/api/auth/change-password', change))
})

test('a proxy that is not among the trusted ones is not believed', async (t) => {
  const service = await startTestService(t, { trustedProxies: '203.0.113.0/24' })
  const { browser } = await signUp(service)
  const { email } = (await browser.get('/v1/me')).body
  const headers = { 'X-Forwarded-For': '198.51.100.1' }
  const other = new SessionClient(service)
  await other.post('/api/auth/sign-in/email', { email, password: PASSWORD }, headers)
  assert.equal((await other.get('/api/auth/get-session')).body.session.ipAddress, '127.0.0.1')
})
