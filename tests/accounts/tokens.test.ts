import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { eventually } from '../support/eventually.ts'
import { openSession, type SessionClient, signUp } from '../support/session-client.ts'
import { sharedSecondService, sharedService } from '../support/shared.ts'
import { createToken } from '../support/source/accounts.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'
import { POOL_SIZE, startTestService } from '../support/test-service.ts'

const service = await sharedService()
const second = await sharedSecondService()
const { browser, email } = await signUp(service)

/** A token of the account, made in the dashboard. */
async function newToken(fields: object = {}) {
  const { status, body } = await browser.post('/v1/tokens', { name: 'nightly', ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

test('GET /v1/me returns the account of the token or session', async () => {
  const { token } = await newToken()
  const { body } = await service.clientWith(token).get('/v1/me')
  assert.deepEqual(body, (await browser.get('/v1/me')).body)
  assert.deepEqual([body.email, body.name], [email, 'Someone'])
})

describe('a token that is created over the API', () => {
  test('is shown once, and works at once on every server (§5 rule 2)', async () => {
    const { token, ...record } = await newToken()
    assert.match(token, /^ck_[A-Za-z0-9_-]{43}$/)
    assert.deepEqual([record.name, record.expires_at, record.last_used_at], ['nightly', null, null])
    for (const server of [service, second]) {
      assert.equal((await server.clientWith(token).get('/v1/me')).body.email, email)
    }
    const { body } = await browser.get('/v1/tokens')
    assert.ok(!JSON.stringify(body).includes(token))
    assert.ok(body.data.some(({ id }: { id: string }) => id === record.id))
  })

  test('can neither create, list nor revoke tokens, not even itself (§5 rule 2)', async () => {
    const { id, token } = await newToken()
    const api = service.clientWith(token)
    await assertStoresNothing(service, async () => {
      assertError(await api.post('/v1/tokens', { name: 'child' }), 403, 'SESSION_REQUIRED')
      assertError(await api.get('/v1/tokens'), 403, 'SESSION_REQUIRED')
      assertError(await api.delete(`/v1/tokens/${id}`), 403, 'SESSION_REQUIRED')
    })
    // The header wins, whatever cookie comes with it.
    const both = await browser.get('/v1/tokens', { Authorization: `Bearer ${token}` })
    assertError(both, 403, 'SESSION_REQUIRED')
    assert.equal((await api.get('/v1/me')).status, 200)
  })

  test('expires at its time', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const { id, token, expires_at } = await newToken({ expires_at: later })
    assert.equal(expires_at, later)
    // The API refuses a time that has passed when the request arrives, so the database sets the near time.
    const [row] = await service.sql(
      "UPDATE api_tokens SET expires_at = clock_timestamp() + interval '1 second' WHERE id = $1 RETURNING expires_at",
      [id],
    )
    const soon = row?.expires_at as Date
    const api = service.clientWith(token)
    const refused = await eventually(async () => {
      const answer = await api.get('/v1/me')
      return answer.status === 401 && answer
    })
    assertError(refused, 401, 'TOKEN_INVALID')
    // The database's clock is this machine's too.
    assert.ok(Date.now() >= soon.getTime())
  })

  test('requires a name and a time in the future', async () => {
    await assertStoresNothing(service, async () => {
      const send = (body: object) => browser.post('/v1/tokens', body)
      for (const name of ['', 'x'.repeat(256)]) {
        assertError(await send({ name }), 400, 'VALIDATION_ERROR', 'name')
      }
      for (const expires_at of ['2020-01-01T00:00:00Z', '2027-01-31', '3000-01-01T00:00:00Z', 'soon']) {
        assertError(await send({ name: 'n', expires_at }), 400, 'VALIDATION_ERROR', 'expires_at')
      }
      assertError(await send({ name: 'n', token: 'ck_mine' }), 400, 'VALIDATION_ERROR', 'token')
    })
  })
})

describe('revoking a token', () => {
  test('ends it at once on every server; revoking twice changes nothing', async () => {
    const { id, token } = await newToken()
    const clients = [service.clientWith(token), second.clientWith(token)]
    for (const client of clients) assert.equal((await client.get('/v1/me')).status, 200)
    assert.equal((await browser.delete(`/v1/tokens/${id.toUpperCase()}`)).status, 204)
    for (const client of clients) assertError(await client.get('/v1/me'), 401, 'TOKEN_INVALID')

    const revoked = await find(id)
    assert.ok(revoked.revoked_at)
    assert.equal((await browser.delete(`/v1/tokens/${id}`)).status, 204)
    assert.equal((await find(id)).revoked_at, revoked.revoked_at)
  })

  test('that is unknown, or another account’s, answers 404', async () => {
    const { id, token } = await newToken()
    const stranger = (await signUp(service)).browser
    assertError(await stranger.delete(`/v1/tokens/${id}`), 404, 'TOKEN_NOT_FOUND')
    assertError(await browser.delete(`/v1/tokens/${crypto.randomUUID()}`), 404, 'TOKEN_NOT_FOUND')
    assertError(await browser.delete('/v1/tokens/x'), 400, 'VALIDATION_ERROR', 'id')
    assert.equal((await service.clientWith(token).get('/v1/me')).status, 200)
  })
})

describe('revoking a session revokes the tokens that were created in it, on every server', () => {
  const sessionOf = async (of: SessionClient) => (await of.get('/api/auth/get-session')).body.session
  const works = async (token: string) => {
    const statuses = [service, second].map(async (on) => (await on.clientWith(token).get('/v1/me')).status)
    return new Set(await Promise.all(statuses))
  }

  test('by its name, and no others (§5 rule 2)', async () => {
    const { email, browser: own } = await signUp(service)
    const [other, third] = [await openSession(service, email), await openSession(service, email)]
    const issued = await Promise.all(
      [own, other, other, third].map(async (by, i) => (await by.post('/v1/tokens', { name: `${i}` })).body),
    )
    assert.equal(issued[1].session_id, (await sessionOf(other)).id)
    const byCommand = await createToken(service.app, { email, name: 'command line', expiresAt: null })
    const tokens = [...issued.map(({ token }) => token), byCommand]
    for (const token of tokens) assert.deepEqual(await works(token), new Set([200]))
    const { token: name } = await sessionOf(other)
    const { body } = await own.post('/api/auth/revoke-session', { token: name })
    assert.deepEqual(body, { status: true, revoked_tokens: 2 })
    const statuses = await Promise.all(tokens.map(works))
    assert.deepEqual(
      statuses,
      [200, 401, 401, 200, 200].map((status) => new Set([status])),
    )

    const { body: rest } = await own.post('/api/auth/revoke-other-sessions')
    assert.deepEqual(rest, { status: true, revoked_tokens: 1 })
    const after = await Promise.all([issued[0].token, issued[3].token, byCommand].map(works))
    assert.deepEqual(
      after,
      [200, 401, 200].map((status) => new Set([status])),
    )
  })

  test('but not one that signs out, nor by another account (§5 rule 2)', async () => {
    const { browser: own, email } = await signUp(service)
    const other = await openSession(service, email)
    const { body: issued } = await other.post('/v1/tokens', { name: 'stays' })
    const { token: name } = await sessionOf(other)
    const foreign = await browser.post('/api/auth/revoke-session', { token: name })
    assert.deepEqual(foreign.body, { status: true, revoked_tokens: 0 })
    assert.equal((await other.post('/api/auth/sign-out')).status, 200)
    assert.equal((await own.get('/v1/me')).status, 200)
    assert.deepEqual(await works(issued.token), new Set([200]))
  })

  test('also a token that is being created at that moment', async () => {
    const { browser: own, email } = await signUp(service)
    const other = await openSession(service, email)
    const { token: name } = await sessionOf(other)
    const makings = Array.from({ length: 10 }, () => other.post('/v1/tokens', { name: 'late' }))
    assert.equal((await own.post('/api/auth/revoke-session', { token: name })).status, 200)
    for (const { status, body } of await Promise.all(makings)) {
      if (status === 201) assert.deepEqual(await works(body.token), new Set([401]))
      else assert.equal(status, 401)
    }
  })
})

test('the list has the account’s tokens, newest first', async () => {
  const { browser: other } = await signUp(service)
  for (const name of ['first', 'second', 'third']) await other.post('/v1/tokens', { name })
  const { body } = await other.get('/v1/tokens')
  assert.deepEqual(
    body.data.map(({ name }: { name: string }) => name),
    ['third', 'second', 'first'],
  )
  assertError(await other.get('/v1/tokens?limit=1'), 400, 'VALIDATION_ERROR', 'limit')
})

describe('last_used_at', () => {
  test('is the time of a use, written at most once a minute', async () => {
    const { id, token } = await newToken()
    const api = service.clientWith(token)
    await api.get('/v1/me')
    const first = await eventually(async () => (await find(id)).last_used_at)
    assert.ok(Math.abs(Date.parse(first) - Date.now()) < 60_000)
    for (const server of [service, second]) await server.clientWith(token).get('/v1/me')
    await settled(token)
    assert.equal((await find(id)).last_used_at, first)

    await service.sql("UPDATE api_tokens SET last_used_at = last_used_at - interval '61 s' WHERE id = $1", [
      id,
    ])
    const third = await startTestService({ after }, { databaseUrl: service.databaseUrl })
    await third.clientWith(token).get('/v1/me')
    await eventually(async () => Date.parse((await find(id)).last_used_at) >= Date.parse(first))
  })

  test('is not changed by requests that were rejected', async () => {
    const { id, token } = await newToken()
    await browser.delete(`/v1/tokens/${id}`)
    assertError(await service.clientWith(token).get('/v1/me'), 401, 'TOKEN_INVALID')
    await settled(token)
    assert.equal((await find(id)).last_used_at, null)
  })
})

async function find(id: string) {
  const { body } = await browser.get('/v1/tokens')
  return body.data.find((token: { id: string }) => token.id === id)
}

/** What was written in the background before this has been written: another token's use comes after it. */
async function settled(than: string): Promise<void> {
  const { id, token } = await newToken()
  assert.notEqual(token, than)
  for (const server of [service, second]) await server.clientWith(token).get('/v1/me')
  await eventually(async () => (await find(id)).last_used_at)
}

describe('the limit of active tokens', () => {
  const revoke = async (at: SessionClient, id: string) =>
    assert.equal((await at.delete(`/v1/tokens/${id}`)).status, 204)

  test('above it 422 TOKEN_LIMIT_REACHED; revoked and expired tokens are not counted', async () => {
    const { browser: many, email } = await signUp(service)
    const [last] = await addTokens(email, 998)
    await addTokens(email, 5, 'revoked_at')
    await addTokens(email, 5, 'expires_at')
    const newOne = () => many.post('/v1/tokens', { name: 'one of many' })
    for (let issued = 998; issued < 1_000; issued++) assert.equal((await newOne()).status, 201)
    await assertStoresNothing(service, async () => assertError(await newOne(), 422, 'TOKEN_LIMIT_REACHED'))
    await newToken()
    await revoke(many, last as string)
    assert.equal((await newOne()).status, 201)
  })

  test('concurrent requests may exceed it by the number of writing connections', async () => {
    const { browser: many, email } = await signUp(service)
    await addTokens(email, 999)
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => many.post('/v1/tokens', { name: 'at once' })),
    )
    const issued = answers.filter(({ status }) => status === 201).length
    assert.ok(issued >= 1 && issued <= POOL_SIZE, `${issued}`)
    for (const answer of answers) if (answer.status !== 201) assertError(answer, 422, 'TOKEN_LIMIT_REACHED')
  })

  test('the newest 1,000 revoked or expired tokens stay in the list', async () => {
    const { browser: many, email } = await signUp(service)
    const [oldest] = await addTokens(email, 1, 'revoked_at')
    const [kept] = await addTokens(email, 1)
    await addTokens(email, 1_000, 'expires_at')
    const listed = async () => (await many.get('/v1/tokens')).body.data.map(({ id }: { id: string }) => id)
    assert.ok((await listed()).includes(oldest))
    assert.equal((await many.post('/v1/tokens', { name: 'next' })).status, 201)
    const ids = await listed()
    assert.equal(ids.length, 1_002)
    assert.ok(ids.includes(kept) && !ids.includes(oldest))
    assertError(await many.delete(`/v1/tokens/${oldest}`), 404, 'TOKEN_NOT_FOUND')
  })
})

/** Tokens that nobody knows, made later than those before. Returns their ids. */
async function addTokens(
  email: string,
  count: number,
  ended?: 'revoked_at' | 'expires_at',
): Promise<string[]> {
  const rows = await service.sql(
    `INSERT INTO api_tokens (id, user_id, name, token_hash, created_at, expires_at, revoked_at)
     SELECT gen_random_uuid(), u.id, 'stored', sha256(gen_random_uuid()::text::bytea), clock_timestamp(),
       CASE $3 WHEN 'expires_at' THEN now() END, CASE $3 WHEN 'revoked_at' THEN now() END
     FROM users u, generate_series(1, $2::int) WHERE u.email = $1 RETURNING id`,
    [email, count, ended ?? ''],
  )
  return rows.map(({ id }) => id as string)
}
