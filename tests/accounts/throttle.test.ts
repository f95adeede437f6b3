import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { eventually } from '../support/eventually.ts'
import { holdBy } from '../support/held-rows.ts'
import { uniqueName } from '../support/new-records.ts'
import { PASSWORD, SessionClient, signIn, signUp } from '../support/session-client.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/* The limits count for an address, so each test has addresses of its own, which a trusted proxy says. */

const trustedProxies = '127.0.0.1'
const service = await startTestService({ after }, { trustedProxies })
const { databaseUrl, sql } = service
const second = await startTestService({ after }, { databaseUrl, trustedProxies, withoutAccount: true })

function assertTooMany(answer: Answer): void {
  assertError(answer, 429, 'RATE_LIMITED')
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
}

const from = (address: string) => ({ 'X-Forwarded-For': address })
const newEmail = () => `${uniqueName()}@example.com`

const attempt = (on: TestService, fields: object, headers: Record<string, string>) =>
  new SessionClient(on).post(
    '/api/auth/sign-in/email',
    { email: 'someone@example.com', password: 'wrong one', ...fields },
    headers,
  )

/** As if a number of attempts had been made just now. */
const countedBefore = (attempts: number, ...keys: string[]) =>
  sql(
    `INSERT INTO throttles (key, attempts, ends_at) SELECT key, $1, now() + interval '1 hour' FROM unnest($2::text[]) AS key
      ON CONFLICT (key) DO UPDATE SET attempts = $1`,
    [attempts, keys],
  )

describe('attempts to sign in', () => {
  test('from one address are 20 a minute, on all servers together', async () => {
    const address = from('198.51.100.1')
    for (let i = 0; i < 4; i++) {
      if (i === 1) await countedBefore(17, 'sign-in|198.51.100.1')
      const answer = await attempt(i % 2 ? service : second, { email: newEmail() }, address)
      assertError(answer, 401, 'SIGN_IN_FAILED')
    }
    for (const server of [service, second])
      assertTooMany(await attempt(server, { email: newEmail() }, address))
    const other = await attempt(service, { email: newEmail() }, from('198.51.100.2'))
    assertError(other, 401, 'SIGN_IN_FAILED')
  })

  test('for one email are 10 in 15 minutes from any addresses, also for an unknown email', async () => {
    const { email, browser } = await signUp(service)
    for (const who of [email, newEmail()]) {
      for (let i = 0; i < 3; i++) {
        if (i === 1) await countedBefore(8, `email|${who}`)
        const answer = await attempt(service, { email: who.toUpperCase() }, from(`198.51.101.${i}`))
        assertError(answer, 401, 'SIGN_IN_FAILED')
      }
      assertTooMany(await attempt(service, { email: who }, from('198.51.101.11')))
    }
    // Not even with the right password. Existing sessions stay valid.
    const right = { email, password: PASSWORD }
    assertTooMany(await attempt(service, right, from('198.51.101.12')))
    assert.equal((await browser.get('/v1/me')).status, 200)
    await sql("UPDATE throttles SET ends_at = now() - interval '1 s' WHERE key = $1", [`email|${email}`])
    // This server's cache lasts as long as configured.
    assertTooMany(await attempt(service, right, from('198.51.101.12')))
    assert.equal((await attempt(second, right, from('198.51.101.12'))).status, 200)
  })

  test('that arrive at once are counted one by one', async () => {
    const { email } = await signUp(service)
    await countedBefore(7, `email|${email}`)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => attempt(service, { email }, from('198.51.102.1'))),
    )
    assert.equal(answers.filter(({ status }) => status === 401).length, 3)
    assert.equal(answers.filter(({ status }) => status === 429).length, 7)
  })

  test('for an email are counted from zero after a correct one', async () => {
    const { email } = await signUp(service)
    await countedBefore(9, `email|${email}`)
    await signIn(service, email)
    const answer = await attempt(service, { email }, from('198.51.102.2'))
    assertError(answer, 401, 'SIGN_IN_FAILED')
    const [row] = await sql('SELECT attempts FROM throttles WHERE key = $1', [`email|${email}`])
    assert.equal(row?.attempts, 1)
  })
})

test('an address above its limit is rejected without a statement', async () => {
  const nobody = new SessionClient(service)
  const signUpBody = { email: 'a@example.com', name: 'a', password: PASSWORD }
  const ofAddress = ['sign-in', 'sign-up', 'invitation', 'change-password'].map(
    (what) => `${what}|198.51.103.1`,
  )
  await countedBefore(1_000, ...ofAddress, 'email|someone@example.com')
  const known = from('198.51.103.1')
  const ways: ((i: number) => Promise<Answer>)[] = [
    () => attempt(service, { email: 'another@example.com' }, known),
    () => nobody.post('/api/auth/sign-up/email', signUpBody, known),
    () => nobody.post('/api/invitations/lookup', { key: 'x'.repeat(43) }, known),
    () => nobody.post('/api/auth/change-password', { currentPassword: 'a', newPassword: PASSWORD }, known),
    (i) => attempt(service, {}, from(`198.51.104.${i}`)),
  ]
  for (const send of ways) {
    assertTooMany(await send(0))
    const before = await sql('SELECT * FROM throttles ORDER BY key')
    for (let i = 1; i < 5; i++) assertTooMany(await send(i))
    assert.deepEqual(await sql('SELECT * FROM throttles ORDER BY key'), before)
  }
})

test('a flood of sign-ins from one address is rejected at once, and another address is served', async (t) => {
  const { email } = await signUp(service)
  // Those that are inside wait to be counted.
  const held = await holdBy(t, databaseUrl, 'LOCK TABLE throttles', [])
  let refused = 0
  const flood = Array.from({ length: 20 }, async () => {
    const answer = await attempt(service, { email: newEmail() }, from('198.51.105.1'))
    if (answer.status === 429) refused++
    return answer.status
  })
  // Three are inside, and ten may wait.
  await eventually(async () => refused === 7)
  const honest = attempt(service, { email, password: PASSWORD }, from('198.51.105.2'))
  await held.release()
  assert.equal((await honest).status, 200)
  const statuses = await Promise.all(flood)
  assert.equal(statuses.filter((status) => status === 401).length, 13)
})

test('sign-ups and lookups of invitations are limited per address', async () => {
  const address = from('198.51.106.1')
  const body = { email: 'a@example.com', name: 'a', password: PASSWORD }
  const key = { key: 'x'.repeat(43) }
  const nobody = new SessionClient(service)
  for (const [what, most, send, status, code] of [
    ['sign-up', 20, () => nobody.post('/api/auth/sign-up/email', body, address), 403, 'SIGN_UP_CLOSED'],
    [
      'invitation',
      60,
      () => nobody.post('/api/invitations/lookup', key, address),
      404,
      'INVITATION_NOT_FOUND',
    ],
  ] as const) {
    assertError(await send(), status, code)
    await countedBefore(most - 1, `${what}|198.51.106.1`)
    assertError(await send(), status, code)
    assertTooMany(await send())
  }
})

test('a signed-in caller may try a password 10 times a minute', async () => {
  const { browser } = await signUp(service)
  const change = { currentPassword: 'wrong one', newPassword: 'whatever it is' }
  for (let i = 0; i < 3; i++) {
    if (i === 1) await countedBefore(8, 'change-password|198.51.107.1')
    const answer = await browser.post('/api/auth/change-password', change, from('198.51.107.1'))
    assertError(answer, 400, 'VALIDATION_ERROR')
  }
  assertTooMany(await browser.post('/api/auth/change-password', change, from('198.51.107.1')))
})

test('the forwarded address of an untrusted proxy is ignored', async (t) => {
  const direct = await startTestService(t, { databaseUrl, trustedProxies: '203.0.113.0/24' })
  const { email } = await signUp(direct)
  const forwarded = { ...from('198.51.100.3'), 'X-Claimkeeper-Client-Address': '198.51.100.4' }
  const other = new SessionClient(direct)
  await other.post('/api/auth/sign-in/email', { email, password: PASSWORD }, forwarded)
  assert.equal((await other.get('/api/auth/get-session')).body.session.ipAddress, '127.0.0.1')
  await countedBefore(20, 'sign-in|127.0.0.1')
  t.after(() => sql("DELETE FROM throttles WHERE key = 'sign-in|127.0.0.1'"))
  assertTooMany(await attempt(direct, { email: newEmail() }, forwarded))
})
