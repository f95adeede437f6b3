import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { bootstrapAccount, inviteFirstAccount, showFirstToken } from '../../src/accounts/bootstrap-account.ts'
import { newToken } from '../../src/accounts/tokens/api-token.ts'
import { assertError } from '../support/assert-error.ts'
import { eventually } from '../support/eventually.ts'
import { uniqueName } from '../support/new-records.ts'
import { PASSWORD, SessionClient, signIn, signUp, signUpByInvitation } from '../support/session-client.ts'
import { sharedService } from '../support/shared.ts'
import { createInvitation } from '../support/source/accounts.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const service = await sharedService()
// The tests make more attempts a minute than one address may.
beforeEach(() => service.sql('DELETE FROM throttles'))
const newEmail = () => `${uniqueName()}@example.com`
const bodyOf = (fields: object) => ({ email: newEmail(), name: 'Someone', password: PASSWORD, ...fields })
const send = (body: object, on: TestService = service) =>
  new SessionClient(on).post('/api/auth/sign-up/email', body)

async function invite(email: string | null = null): Promise<string> {
  return (await createInvitation(service.app.db, { email, invitedBy: null })).key
}

const lookUp = (key: string, on: TestService = service) =>
  on.clientWith(null).post('/api/invitations/lookup', { key })

const isOpen = async (key: string, on: TestService = service) => (await lookUp(key, on)).status === 200

describe('signing up is closed', () => {
  test('without an invitation: 403, whether or not the email has an account', async () => {
    const { email } = await signUp(service)
    for (const body of [bodyOf({}), bodyOf({ email })]) assertError(await send(body), 403, 'SIGN_UP_CLOSED')
    assert.deepEqual((await service.clientWith(null).get('/api/session-settings')).body, {
      open_sign_up: false,
    })
  })

  test('with an unknown key: 404', async () => {
    for (const invitation of ['x', 'A'.repeat(43)]) {
      assertError(await send(bodyOf({ invitation })), 404, 'INVITATION_NOT_FOUND')
      assertError(await lookUp(invitation), 404, 'INVITATION_NOT_FOUND')
    }
  })

  test('not if it is open to all', async (t) => {
    const open = await startTestService(t, {
      databaseUrl: service.databaseUrl,
      openSignUp: true,
      withoutAccount: true,
    })
    assert.deepEqual((await open.clientWith(null).get('/api/session-settings')).body, { open_sign_up: true })
    const body = bodyOf({})
    assert.equal((await send(body, open)).status, 200)
    assertError(await send({ ...body, email: body.email.toUpperCase() }, open), 409, 'ACCOUNT_EMAIL_CONFLICT')
  })
})

describe('an invitation', () => {
  test('makes an account of its own, signed in, with nothing in it', async () => {
    const { email, browser } = await signUpByInvitation(service)
    const { body: me } = await browser.get('/v1/me')
    assert.deepEqual([me.email, me.name], [email, 'Someone'])
    for (const path of ['customers', 'tokens', 'invitations']) {
      assert.deepEqual((await browser.get(`/v1/${path}`)).body.data, [])
    }
    assert.equal((await (await signIn(service, email)).get('/v1/me')).body.id, me.id)
  })

  test('works once', async () => {
    const invitation = await invite()
    assert.deepEqual((await lookUp(invitation)).body, {
      email: null,
      purpose: 'invitation',
    })
    assert.equal((await send(bodyOf({ invitation }))).status, 200)
    assertError(await send(bodyOf({ invitation })), 404, 'INVITATION_NOT_FOUND')
    assert.equal(await isOpen(invitation), false)
  })

  test('works once for eight concurrent sign-ups', async () => {
    const invitation = await invite()
    const bodies = Array.from({ length: 8 }, () => bodyOf({ invitation }))
    const answers = await Promise.all(bodies.map((body) => send(body)))
    const winners = answers.filter(({ status }) => status === 200)
    assert.equal(winners.length, 1)
    for (const answer of answers) {
      if (answer.status !== 200) assertError(answer, 404, 'INVITATION_NOT_FOUND')
    }
    const emails = bodies.map(({ email }) => email)
    assert.equal((await service.sql('SELECT id FROM users WHERE email = ANY($1)', [emails])).length, 1)
  })

  test('stays usable after a sign-up that fails', async () => {
    const { email } = await signUp(service)
    const invitation = await invite()
    assertError(await send(bodyOf({ invitation, email })), 409, 'ACCOUNT_EMAIL_CONFLICT')
    for (const [field, value] of Object.entries({ email: 'x@y', name: '', password: 'short' })) {
      assertError(await send(bodyOf({ invitation, [field]: value })), 400, 'VALIDATION_ERROR', field)
    }
    assert.equal((await send(bodyOf({ invitation }))).status, 200)
  })

  test('for an email accepts only this email, in any case', async () => {
    const email = newEmail()
    const invitation = await invite(email.toUpperCase())
    assert.equal((await lookUp(invitation)).body.email, email)
    assertError(await send(bodyOf({ invitation })), 400, 'VALIDATION_ERROR', 'email')
    assert.equal((await send(bodyOf({ invitation, email: email.toUpperCase() }))).status, 200)
  })

  test('ends after 7 days', async () => {
    const invitation = await invite()
    const [row] = await service.sql(
      'SELECT expires_at - created_at AS lasts FROM invitations ORDER BY created_at DESC LIMIT 1',
    )
    assert.deepEqual({ ...(row?.lasts as object) }, { days: 7 })
    await service.sql("UPDATE invitations SET expires_at = now() - interval '1 s' WHERE used_at IS NULL")
    assertError(await send(bodyOf({ invitation })), 404, 'INVITATION_NOT_FOUND')
    assert.equal(await isOpen(invitation), false)
  })

  test('is stored as a hash', async () => {
    const key = await invite()
    const rows = JSON.stringify(await service.sql('SELECT * FROM invitations'))
    assert.ok(!rows.includes(key))
  })
})

test('only one of the links that starts print for the first account can be used', async (t) => {
  const fresh = await startTestService(t, { withoutAccount: true })
  const token = newToken()
  await bootstrapAccount(fresh.app, token)
  const api = fresh.clientWith(token)
  const customer = await api.customer('acme')
  const openOf = async (keys: readonly (string | null)[]) => {
    const states = await Promise.all(keys.map((key) => isOpen(key as string, fresh)))
    return keys.filter((_, i) => states[i]) as string[]
  }
  const keys = await Promise.all([1, 2, 3].map(() => inviteFirstAccount(fresh.app)))
  assert.deepEqual(await openOf(keys), keys)
  const key = keys[0] as string
  assert.equal((await lookUp(key, fresh)).body.purpose, 'first-account')

  const browser = new SessionClient(fresh)
  const body = bodyOf({ invitation: key })
  assert.equal((await browser.post('/api/auth/sign-up/email', body)).status, 200)
  assert.deepEqual(await openOf(keys), [])
  for (const other of keys)
    assertError(await send(bodyOf({ invitation: other as string }), fresh), 404, 'INVITATION_NOT_FOUND')
  const { body: me } = await browser.get('/v1/me')
  assert.deepEqual([me.email, me.name], [body.email, 'Someone'])
  // Its token and its records stay.
  assert.equal((await browser.get(`/v1/customers/${customer}`)).status, 200)
  assert.deepEqual((await api.get('/v1/me')).body, me)
  assert.equal(await inviteFirstAccount(fresh.app), null)
})

test('only one of two links to the first account works if both are used at the same time', async (t) => {
  const fresh = await startTestService(t, { withoutAccount: true })
  await bootstrapAccount(fresh.app, null)
  const keys = await Promise.all([inviteFirstAccount(fresh.app), inviteFirstAccount(fresh.app)])
  // Both reach the row of the account before one of them continues.
  const sending = await fresh.app.db.checks.transaction(async (connection) => {
    await connection.query({ text: 'SELECT id FROM users FOR UPDATE' })
    const answers = keys.map((key) => send(bodyOf({ invitation: key as string }), fresh))
    await eventually(async () => {
      const [row] = await fresh.sql(`SELECT count(*)::integer AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '-- rename_user%'`)
      return row?.waiting === 2
    })
    return answers
  })
  assert.deepEqual((await Promise.all(sending)).map(({ status }) => status).sort(), [200, 404])
})

test('the first account gets a token once, if the token was shown, and only before the sign-up', async (t) => {
  const fresh = await startTestService(t, { withoutAccount: true })
  await bootstrapAccount(fresh.app, null)
  const shown: (string | null)[] = []
  const show = async (token: string | null) => void shown.push(token)
  await assert.rejects(
    showFirstToken(fresh.app, () => Promise.reject(new Error('not shown'))),
    /not shown/,
  )
  await Promise.all([showFirstToken(fresh.app, show), showFirstToken(fresh.app, show)])
  const [token = ''] = shown.filter((one) => one !== null)
  assert.deepEqual(shown.toSorted(), [token, null].toSorted())
  assert.equal((await fresh.clientWith(token).get('/v1/me')).status, 200)
  assert.equal((await fresh.sql('SELECT 1 FROM api_tokens')).length, 1)
})
