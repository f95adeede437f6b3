import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { IN_THE_BACKGROUND } from '../support/fault-proxy.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import {
  openSession,
  PASSWORD,
  SessionClient,
  signIn,
  signUp,
  signUpByInvitation,
} from '../support/session-client.ts'
import { sharedSecondService, sharedService } from '../support/shared.ts'
import { setUserPassword } from '../support/source/accounts.ts'

const service = await sharedService()
const second = await sharedSecondService()
const NEW_PASSWORD = 'another horse'

// All tests use one address, which would reach the sign-in rate limit.
beforeEach(() => service.sql('DELETE FROM throttles'))

async function assertSignedIn(browser: SessionClient): Promise<void> {
  assert.equal((await browser.get('/v1/me')).status, 200)
}

async function assertSignedOut(browser: SessionClient): Promise<void> {
  const headers = { Cookie: browser.cookie }
  for (const server of [service, second]) {
    assertError(await server.clientWith(null).get('/v1/me', headers), 401, 'TOKEN_INVALID')
  }
}

const sessionIdOf = async (browser: SessionClient): Promise<string> =>
  (await browser.get('/api/auth/get-session')).body.session.id

describe('the list of sessions', () => {
  test('shows the account’s sessions, their addresses and no secret', async () => {
    const { email, browser } = await signUp(service)
    const other = await signIn(service, email)
    await signUp(service)
    const { body } = await browser.get('/api/auth/list-sessions')
    const ids = body.map(({ id }: { id: string }) => id)
    assert.deepEqual(ids.sort(), [await sessionIdOf(browser), await sessionIdOf(other)].sort())
    assert.ok(body.every(({ ipAddress }: { ipAddress: string }) => ipAddress === '127.0.0.1'))
    const text = JSON.stringify(body)
    for (const { cookie } of [browser, other]) {
      const token = decodeURIComponent(cookie.split('=')[1] ?? '').split('.')[0] as string
      assert.ok(token.length >= 32 && !text.includes(token))
    }
  })

  test('requires a session', async () => {
    const nobody = new SessionClient(service)
    assertError(await nobody.get('/api/auth/list-sessions'), 401, 'TOKEN_INVALID')
    assertError(await nobody.post('/api/auth/revoke-session', { token: 'x' }), 401, 'TOKEN_INVALID')
    assertError(await nobody.post('/api/auth/revoke-other-sessions'), 401, 'TOKEN_INVALID')
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
    assertError(await nobody.post('/api/auth/change-password', change), 401, 'TOKEN_INVALID')
  })
})

describe('revoking', () => {
  test('a session ends that session at once on every server, and no other', async () => {
    const { email, browser } = await signUp(service)
    const other = await openSession(service, email)
    const third = await openSession(service, email)
    const id = await sessionIdOf(other)
    const { body } = await browser.get('/api/auth/list-sessions')
    const { token } = body.find((session: { id: string }) => session.id === id)
    assert.equal((await browser.post('/api/auth/revoke-session', { token })).status, 200)
    await assertSignedOut(other)
    await assertSignedIn(browser)
    await assertSignedIn(third)
  })

  test('another account’s session changes nothing', async () => {
    const [mine, theirs] = [await signUp(service), await signUp(service)]
    const [session] = (await theirs.browser.get('/api/auth/list-sessions')).body
    const { token } = session
    const { body } = await mine.browser.post('/api/auth/revoke-session', { token })
    assert.deepEqual(body, { status: true, revoked_tokens: 0 })
    await assertSignedIn(theirs.browser)
  })

  test('the other sessions keeps the caller’s session', async () => {
    const { email, browser } = await signUp(service)
    const others = [await openSession(service, email), await openSession(service, email)]
    assert.equal((await browser.post('/api/auth/revoke-other-sessions')).status, 200)
    for (const other of others) await assertSignedOut(other)
    await assertSignedIn(browser)
    assert.equal((await browser.get('/api/auth/list-sessions')).body.length, 1)
  })
})

describe('changing the password', () => {
  const change = (browser: SessionClient, fields: object = {}) =>
    browser.post('/api/auth/change-password', {
      currentPassword: PASSWORD,
      newPassword: NEW_PASSWORD,
      ...fields,
    })

  test('ends the other sessions even if the request declines it, and the new password signs in', async () => {
    const { email, browser } = await signUp(service)
    const other = await openSession(service, email)
    const before = new SessionClient(service)
    assert.equal((await change(browser, { revokeOtherSessions: false })).status, 200)
    await assertSignedOut(other)
    await assertSignedIn(browser)
    const old = await before.post('/api/auth/sign-in/email', { email, password: PASSWORD })
    assertError(old, 401, 'SIGN_IN_FAILED')
    await assertSignedIn(await signIn(service, email, NEW_PASSWORD))
  })

  test('requires the current password and a new one of 8 to 128 characters', async () => {
    const { email, browser } = await signUp(service)
    const wrong = await change(browser, { currentPassword: 'wrong one' })
    assertError(wrong, 400, 'VALIDATION_ERROR', 'currentPassword')
    for (const newPassword of ['1234567', 'x'.repeat(129)]) {
      assertError(await change(browser, { newPassword }), 400, 'VALIDATION_ERROR', 'newPassword')
    }
    await assertSignedIn(await signIn(service, email))
  })

  test('on the command line ends all sessions of the account', async () => {
    const { email, browser } = await signUp(service)
    await setUserPassword(service.app, email, NEW_PASSWORD)
    await assertSignedOut(browser)
    await assertSignedIn(await signIn(service, email, NEW_PASSWORD))
  })
})

test('only these paths of better-auth are served', async () => {
  const { browser } = await signUp(service)
  for (const path of ['sign-in/social', 'update-user', 'delete-user', 'reset-password', 'change-email']) {
    assertError(await browser.post(`/api/auth/${path}`), 404, 'ROUTE_NOT_FOUND')
  }
  for (const path of ['ok', 'error', 'callback/google', 'list-accounts']) {
    assertError(await browser.get(`/api/auth/${path}`), 404, 'ROUTE_NOT_FOUND')
  }
})

test('signing out answers 200 only if the session has ended, whichever statement fails', async (t) => {
  const proxied = await startProxiedService(t, { databaseUrl: service.databaseUrl })
  const { proxy } = proxied
  // This first request makes the server read its secret, so that the recording holds only the sign-out.
  const { browser } = await signUpByInvitation(proxied)
  const statements: string[] = []
  proxy.onStatement((statement) => {
    if (!IN_THE_BACKGROUND.test(statement)) statements.push(statement)
  })
  assert.equal((await browser.post('/api/auth/sign-out', {})).status, 200)
  proxy.onStatement(null)
  assert.ok(statements.length > 1, `${statements}`)

  for (const statement of new Set(statements)) {
    const { browser } = await signUp(proxied)
    const headers = { Cookie: browser.cookie }
    proxy.inject({ statement }, { refused: '23505' })
    const { status } = await browser.post('/api/auth/sign-out', {})
    assert.ok(proxy.wasInjected(), statement)
    const isSignedIn = (await proxied.clientWith(null).get('/v1/me', headers)).status === 200
    assert.ok(!(status === 200 && isSignedIn), `${statement} failed, and signing out was answered ${status}`)
  }
})
