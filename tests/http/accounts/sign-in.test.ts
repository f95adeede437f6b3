import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { createUser } from '../../../src/app/accounts/users.ts'
import { forgetExpired } from '../../../src/app/removal/forget-expired.ts'
import { createToken } from '../../../src/app/tokens/tokens.ts'
import { assertError } from '../../support/assert-error.ts'
import { uniqueName } from '../../support/new-records.ts'
import {
  openSession,
  PASSWORD,
  SessionClient,
  signIn,
  signUpByInvitation,
} from '../../support/session-client.ts'
import { startTestService } from '../../support/test-service.ts'

const service = await startTestService({ after })
const { email, browser } = await signUpByInvitation(service)
const stranger = () => new SessionClient(service)

describe('signing in', () => {
  test('with the right password opens the account’s records, in any case of the email', async () => {
    const other = await signIn(service, email.toUpperCase())
    const { body: me } = await other.get('/v1/me')
    assert.deepEqual([me.email, me.name], [email, 'Someone'])
    const { body: customer } = await other.post('/v1/customers', { external_id: uniqueName() })
    assert.equal(customer.user_id, me.id)
    assert.deepEqual((await browser.get(`/v1/customers/${customer.id}`)).body, customer)
  })

  test('an unknown email, a wrong password and an account without one answer 401 alike', async () => {
    const { email: passwordless } = await createUser(service.app, `${uniqueName()}@example.com`)
    const attempts = [
      { email, password: `${PASSWORD}!` },
      { email: `${uniqueName()}@example.com`, password: PASSWORD },
      { email: passwordless, password: PASSWORD },
    ]
    const said = new Set<string>()
    for (const attempt of attempts) {
      const answer = await stranger().post('/api/auth/sign-in/email', attempt)
      assertError(answer, 401, 'SIGN_IN_FAILED')
      assert.deepEqual(answer.headers.getSetCookie(), [])
      said.add(answer.body.error.message)
    }
    assert.equal(said.size, 1)
  })

  test('a body with other fields, or none, answers 400 at the field', async () => {
    const send = (body: unknown) => stranger().post('/api/auth/sign-in/email', body)
    assertError(await send({ email }), 400, 'VALIDATION_ERROR', 'password')
    assertError(await send({ email: 5, password: PASSWORD }), 400, 'VALIDATION_ERROR', 'email')
    assertError(await send({ email: 'no email', password: PASSWORD }), 400, 'VALIDATION_ERROR', 'email')
    const callback = { email, password: PASSWORD, callbackURL: 'https://evil.example' }
    assertError(await send(callback), 400, 'VALIDATION_ERROR', 'callbackURL')
  })

  test('the database holds neither the password nor the token of the session', async () => {
    const token = decodeURIComponent(browser.cookie.split('=')[1] ?? '').split('.')[0] as string
    for (const table of ['sessions', 'credentials', 'users']) {
      const rows = JSON.stringify(await service.sql(`SELECT * FROM ${table}`))
      assert.ok(!rows.includes(token) && !rows.includes(PASSWORD), table)
    }
  })
})

describe('the session’s cookie', () => {
  test('is for this host alone, out of reach of scripts and of other sites', async () => {
    const [header] = await cookiesOf(service.url)
    assert.match(header ?? '', /^claimkeeper\.session_token=/)
    for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=1209600']) {
      assert.ok(header?.includes(attribute), attribute)
    }
    assert.doesNotMatch(header ?? '', /Domain|Secure/)
  })

  test('is Secure and bound to the host by its name where PUBLIC_URL is https', async (t) => {
    const publicUrl = 'https://claims.example.com'
    const secure = await startTestService(t, { publicUrl, databaseUrl: service.databaseUrl })
    const [header = ''] = await cookiesOf(secure.url, publicUrl)
    assert.match(header, /^__Host-claimkeeper\.session_token=/)
    assert.match(header, /; Secure/)
    const cookie = header.split(';')[0] as string
    assert.equal((await secure.clientWith(null).get('/v1/me', { Cookie: cookie })).status, 200)
  })

  test('of a browser that is not to remember ends with the browser', async () => {
    const body = { email, password: PASSWORD, rememberMe: false }
    const answer = await stranger().post('/api/auth/sign-in/email', body)
    assert.doesNotMatch(answer.headers.getSetCookie()[0] ?? '', /Max-Age|Expires/)
  })

  test('forged, cut or signed by another service answers 401', async () => {
    const [name, value = ''] = browser.cookie.split('=')
    const [token] = decodeURIComponent(value).split('.')
    const signature = randomBytes(32).toString('base64')
    const forged = ['', '.', `${token}`, `${token}.`, `${token}.${signature}`, `.${signature}`, '%', '%E0%A4']
    for (const text of [...forged, value.slice(0, -8), `x${value}`]) {
      const answer = await service.clientWith(null).get('/v1/me', { Cookie: `${name}=${text}` })
      assertError(answer, 401, 'TOKEN_INVALID')
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
    }
  })

  test('counts less than a token in the header, be it a wrong one', async () => {
    const { email: other } = await createUser(service.app, `${uniqueName()}@example.com`)
    const token = await createToken(service.app, { email: other, name: 't', expiresAt: null })
    const as = (authorization: string) => browser.get('/v1/me', { Authorization: authorization })
    assert.equal((await as(`Bearer ${token}`)).body.email, other)
    assertError(await as(`Bearer ${token.slice(0, -1)}x`), 401, 'TOKEN_INVALID')
  })

  test('among others is found', async () => {
    const { cookie } = browser
    for (const header of [`a=b; ${cookie}`, `${cookie};c=d`, `x; =y;${cookie} ; z=`]) {
      assert.equal((await service.clientWith(null).get('/v1/me', { Cookie: header })).status, 200, header)
    }
  })
})

describe('a session', () => {
  test('that has expired answers 401, and is forgotten', async () => {
    const other = await openSession(service, email)
    const { body } = await other.get('/api/auth/get-session')
    await service.sql("UPDATE sessions SET expires_at = now() - interval '1 s' WHERE id = $1", [
      body.session.id,
    ])
    assertError(await other.get('/v1/me'), 401, 'TOKEN_INVALID')
    await forgetExpired(service.app)
    assert.deepEqual(await service.sql('SELECT 1 FROM sessions WHERE id = $1', [body.session.id]), [])
  })

  test('is renewed by a visit once a day', async () => {
    const other = await openSession(service, email)
    const { body } = await other.get('/api/auth/get-session')
    await service.sql("UPDATE sessions SET expires_at = now() + interval '5 days' WHERE id = $1", [
      body.session.id,
    ])
    const renewed = await other.get('/api/auth/get-session')
    const days = (Date.parse(renewed.body.session.expiresAt) - Date.now()) / 86_400_000
    assert.ok(days > 13.9, `${days} days`)
    assert.equal((await other.get('/v1/me')).status, 200)
  })

  test('ends 90 days after its beginning, however often it is renewed', async () => {
    const other = await openSession(service, email)
    const { id } = (await other.get('/api/auth/get-session')).body.session
    const since = (days: number, expiresIn: number) =>
      service.sql(
        `UPDATE sessions SET created_at = now() - make_interval(days => $2),
          expires_at = now() + make_interval(days => $3) WHERE id = $1`,
        [id, days, expiresIn],
      )
    await since(85, 4)
    const renewed = await other.get('/api/auth/get-session')
    const days = (Date.parse(renewed.body.session.expiresAt) - Date.now()) / 86_400_000
    assert.ok(days > 4.9 && days <= 5, `${days} days`)
    assert.equal((await other.get('/v1/me')).status, 200)
    await since(91, 14)
    assertError(await other.get('/v1/me'), 401, 'TOKEN_INVALID')
    assert.equal((await other.get('/api/auth/get-session')).body, null)
  })

  test('ends with signing out, and leaves the other browser signed in', async () => {
    const other = await signIn(service, email)
    const { cookie } = other
    assert.equal((await other.post('/api/auth/sign-out')).status, 200)
    assert.equal(other.cookie, '')
    assertError(await service.clientWith(null).get('/v1/me', { Cookie: cookie }), 401, 'TOKEN_INVALID')
    assert.equal((await other.get('/api/auth/get-session')).body, null)
    assert.equal((await browser.get('/v1/me')).status, 200)
  })
})

async function cookiesOf(url: string, origin = url): Promise<string[]> {
  const answer = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: origin },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  assert.equal(answer.status, 200)
  return answer.headers.getSetCookie()
}
