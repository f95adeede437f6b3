import assert from 'node:assert/strict'
import crypto, { randomBytes } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { beforeEach, describe, test } from 'node:test'
import { hashPassword } from 'better-auth/crypto'
import type { Answer } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { uniqueName } from '../support/new-records.ts'
import {
  openSession,
  PASSWORD,
  SessionClient,
  signIn,
  signUp,
  signUpByInvitation,
} from '../support/session-client.ts'
import { sharedService } from '../support/shared.ts'
import { createToken, createUser, Passwords } from '../support/source/accounts.ts'
import { forgetExpired } from '../support/source/service.ts'
import { startTestService } from '../support/test-service.ts'

const service = await sharedService()
const { email, browser } = await signUpByInvitation(service)
const stranger = () => new SessionClient(service)

// All tests use one address, which would reach the sign-in rate limit.
beforeEach(() => service.sql('DELETE FROM throttles'))

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
  test('is sent only to this host, and neither to scripts nor to other sites', async () => {
    const [header] = await cookiesOf(service.url)
    assert.match(header ?? '', /^claimkeeper\.session_token=/)
    for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=1209600']) {
      assert.ok(header?.includes(attribute), attribute)
    }
    assert.doesNotMatch(header ?? '', /Domain|Secure/)
  })

  test('is Secure and bound to the host by its name if PUBLIC_URL is https', async (t) => {
    const publicUrl = 'https://claims.example.com'
    const secure = await startTestService(t, { publicUrl, databaseUrl: service.databaseUrl })
    const [header = ''] = await cookiesOf(secure.url, publicUrl)
    assert.match(header, /^__Host-claimkeeper\.session_token=/)
    assert.match(header, /; Secure/)
    const cookie = header.split(';')[0] as string
    assert.equal((await secure.clientWith(null).get('/v1/me', { Cookie: cookie })).status, 200)
  })

  test('without rememberMe ends with the browser', async () => {
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

  test('yields to a token in the header, even an invalid one', async () => {
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
  test('that has expired answers 401 and is deleted', async () => {
    const other = await openSession(service, email)
    const { body } = await other.get('/api/auth/get-session')
    await service.sql("UPDATE sessions SET expires_at = now() - interval '1 s' WHERE id = $1", [
      body.session.id,
    ])
    assertError(await other.get('/v1/me'), 401, 'TOKEN_INVALID')
    await forgetExpired(service.app)
    assert.deepEqual(await service.sql('SELECT 1 FROM sessions WHERE id = $1', [body.session.id]), [])
  })

  test('is extended by a request once a day', async () => {
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

  test('ends 90 days after its beginning, however often it is renewed (§5 rule 4)', async () => {
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

  test('ends with signing out; the other browser stays signed in', async () => {
    const other = await signIn(service, email)
    const { cookie } = other
    assert.equal((await other.post('/api/auth/sign-out')).status, 200)
    assert.equal(other.cookie, '')
    assertError(await service.clientWith(null).get('/v1/me', { Cookie: cookie }), 401, 'TOKEN_INVALID')
    assert.equal((await other.get('/api/auth/get-session')).body, null)
    assert.equal((await browser.get('/v1/me')).status, 200)
  })
})

describe('a password', () => {
  /** The work of each scrypt computation meanwhile, N × r × p. */
  async function costsOf(work: () => Promise<unknown>): Promise<number[]> {
    const { scrypt } = crypto
    const costs: number[] = []
    const noting = (...args: Parameters<typeof scrypt>) => {
      const { N = 0, r = 0, p = 0 } = args[3]
      costs.push(N * r * p)
      return scrypt(...args)
    }
    crypto.scrypt = noting as typeof scrypt
    syncBuiltinESMExports()
    try {
      await work()
    } finally {
      crypto.scrypt = scrypt
      syncBuiltinESMExports()
    }
    return costs
  }

  const attempt = async (email: string) => {
    const body = { email, password: 'wrong one' }
    assertError(await new SessionClient(service).post('/api/auth/sign-in/email', body), 401, 'SIGN_IN_FAILED')
  }

  const storedHash = async (email: string) => {
    const [row] = await service.sql(
      'SELECT password FROM credentials WHERE user_id = (SELECT id FROM users WHERE email = $1)',
      [email],
    )
    return row?.password as string
  }

  test('is hashed by scrypt with N = 2^17, r = 8, p = 1', async () => {
    assert.match(await new Passwords().hash(PASSWORD), /^\$scrypt\$ln=17,r=8,p=1\$/)
  })

  test('for an unknown email costs as much hashing as a wrong one', async () => {
    const { email } = await signUp(service)
    const costs = await costsOf(() => attempt(email))
    assert.deepEqual(costs, [2 ** 10 * 8])
    assert.deepEqual(await costsOf(() => attempt(`${uniqueName()}@example.com`)), costs)
  })

  test('an old hash is replaced at a successful sign-in; a wrong password costs the full work', async () => {
    const { email } = await signUp(service)
    const old = await hashPassword(PASSWORD)
    await service.sql('UPDATE credentials SET password = $1 WHERE password = $2', [
      old,
      await storedHash(email),
    ])
    const costs = await costsOf(() => attempt(email))
    assert.equal(
      costs.reduce((sum, cost) => sum + cost, 0),
      2 ** 17 * 8,
    )
    assert.equal(costs.length, 2)
    assert.equal(await storedHash(email), old)

    await signIn(service, email)
    const renewed = await storedHash(email)
    assert.match(renewed, /^\$scrypt\$ln=10,r=8,p=1\$/)
    await signIn(service, email)
    assert.equal(await storedHash(email), renewed)
  })
})

test('no response contains the token of the session: only the cookie does', async () => {
  const { email, browser } = await signUp(service)
  const said = [
    await browser.post('/api/auth/sign-in/email', { email, password: PASSWORD }),
    await browser.get('/api/auth/get-session'),
    await browser.get('/api/auth/list-sessions'),
  ]
  const token = decodeURIComponent(browser.cookie.split('=')[1] ?? '').split('.')[0] as string
  const { id, token: name } = (said[1] as Answer).body.session
  const listed = said[2]?.body.find((session: { id: string }) => session.id === id)
  assert.equal(name, listed.token)
  const change = { currentPassword: PASSWORD, newPassword: PASSWORD }
  const changed = await browser.post('/api/auth/change-password', change)
  assert.equal(changed.status, 200)
  const next = decodeURIComponent(browser.cookie.split('=')[1] ?? '').split('.')[0] as string
  assert.ok(token.length >= 32 && next.length >= 32 && token !== next)
  for (const { body } of [...said, changed]) {
    const text = JSON.stringify(body)
    assert.ok(!text.includes(token) && !text.includes(next), text)
  }
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
