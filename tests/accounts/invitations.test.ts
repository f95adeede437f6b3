import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { PASSWORD, SessionClient, signUp, signUpByInvitation } from '../support/session-client.ts'
import { sharedService } from '../support/shared.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'
import { POOL_SIZE, startTestService } from '../support/test-service.ts'

const service = await sharedService()
const { browser } = await signUp(service)
const { browser: stranger } = await signUp(service)

async function invite(fields: object = {}) {
  const { status, body } = await browser.post('/v1/invitations', fields)
  assert.equal(status, 201, JSON.stringify(body))
  return { ...body, key: new URL(body.url).hash.slice('#key='.length) }
}

describe('inviting', () => {
  test('returns a link to the welcome page once; the list has no link', async () => {
    const { id, url, key } = await invite()
    assert.ok(url.startsWith(`${service.url}/welcome#key=`))
    const { body } = await browser.get('/v1/invitations')
    assert.equal(body.data[0].id, id)
    assert.ok(!JSON.stringify(body).includes(key))
  })

  test('returns a link under PUBLIC_URL if it is set', async (t) => {
    const publicUrl = 'https://claims.example.com'
    const other = await startTestService(t, { publicUrl, databaseUrl: service.databaseUrl })
    const { body } = await (await signUpByInvitation(other)).browser.post('/v1/invitations', {})
    assert.match(body.url, /^https:\/\/claims\.example\.com\/welcome#key=/)
  })

  test('by email stores it in lower case; an invalid email answers 400', async () => {
    assert.equal((await invite({ email: 'Someone@Example.com' })).email, 'someone@example.com')
    assert.equal((await invite({ email: null })).email, null)
    for (const email of ['', 'x', 'x@y', 'a b@example.com', `${'x'.repeat(250)}@example.com`]) {
      assertError(await browser.post('/v1/invitations', { email }), 400, 'VALIDATION_ERROR', 'email')
    }
  })

  test('the inviting account sees that the invitation is used', async () => {
    const { id, key } = await invite()
    const body = { email: `${randomUUID()}@example.com`, name: 'a', password: PASSWORD, invitation: key }
    assert.equal((await new SessionClient(service).post('/api/auth/sign-up/email', body)).status, 200)
    const { data } = (await browser.get('/v1/invitations')).body
    assert.ok(data.find((invitation: { id: string }) => invitation.id === id).used_at)
    assert.deepEqual((await stranger.get('/v1/invitations')).body.data, [])
  })
})

test('an API token can neither create nor list nor revoke invitations', async () => {
  const { id } = await invite()
  const { body: token } = await browser.post('/v1/tokens', { name: 'nightly' })
  const api = service.clientWith(token.token)
  assertError(await api.post('/v1/invitations', {}), 403, 'SESSION_REQUIRED')
  assertError(await api.get('/v1/invitations'), 403, 'SESSION_REQUIRED')
  assertError(await api.delete(`/v1/invitations/${id}`), 403, 'SESSION_REQUIRED')
  const { data } = (await browser.get('/v1/invitations')).body
  assert.ok(data.some((invitation: { id: string }) => invitation.id === id))
})

describe('revoking an invitation', () => {
  test('ends its link at once and removes it from the list', async () => {
    const { id, key } = await invite()
    assert.equal((await browser.delete(`/v1/invitations/${id}`)).status, 204)
    assertError(await stranger.post('/api/invitations/lookup', { key }), 404, 'INVITATION_NOT_FOUND')
    const body = { email: `${randomUUID()}@example.com`, name: 'a', password: PASSWORD, invitation: key }
    const answer = await new SessionClient(service).post('/api/auth/sign-up/email', body)
    assertError(answer, 404, 'INVITATION_NOT_FOUND')
    const { data } = (await browser.get('/v1/invitations')).body
    assert.ok(!data.some((invitation: { id: string }) => invitation.id === id))
    assertError(await browser.delete(`/v1/invitations/${id}`), 404, 'INVITATION_NOT_FOUND')
  })

  test('an unknown invitation, or that of another account, answers 404', async () => {
    const { id, key } = await invite()
    assertError(await stranger.delete(`/v1/invitations/${id}`), 404, 'INVITATION_NOT_FOUND')
    assertError(await browser.delete(`/v1/invitations/${randomUUID()}`), 404, 'INVITATION_NOT_FOUND')
    assert.equal((await stranger.post('/api/invitations/lookup', { key })).status, 200)
  })
})

describe('the limit of open invitations', () => {
  test('above it 422 INVITATION_LIMIT_REACHED; revoked, used and expired invitations are not counted', async () => {
    const { browser: many, email } = await signUp(service)
    const [last] = await addInvitations(email, 999)
    for (const ended of ['used_at', 'revoked_at', 'expires_at']) await addInvitations(email, 5, ended)
    const newOne = () => many.post('/v1/invitations')
    assert.equal((await newOne()).status, 201)
    await assertStoresNothing(service, async () =>
      assertError(await newOne(), 422, 'INVITATION_LIMIT_REACHED'),
    )
    await invite()
    assert.equal((await many.delete(`/v1/invitations/${last}`)).status, 204)
    assert.equal((await newOne()).status, 201)
  })

  test('concurrent requests may exceed it by the number of writing connections', async () => {
    const { browser: many, email } = await signUp(service)
    await addInvitations(email, 999)
    const answers = await Promise.all(Array.from({ length: 30 }, () => many.post('/v1/invitations')))
    const created = answers.filter(({ status }) => status === 201).length
    assert.ok(created >= 1 && created <= POOL_SIZE, `${created}`)
    for (const answer of answers)
      if (answer.status !== 201) assertError(answer, 422, 'INVITATION_LIMIT_REACHED')
  })

  test('the newest 1,000 used or expired invitations stay in the list', async () => {
    const { browser: many, email } = await signUp(service)
    const [oldest] = await addInvitations(email, 1, 'used_at')
    const [kept] = await addInvitations(email, 1)
    await addInvitations(email, 1_000, 'expires_at')
    assert.equal((await many.post('/v1/invitations')).status, 201)
    const ids = (await many.get('/v1/invitations')).body.data.map(({ id }: { id: string }) => id)
    assert.equal(ids.length, 1_002)
    assert.ok(ids.includes(kept) && !ids.includes(oldest))
  })
})

test('a flood of invitations takes no connection from other accounts and not all of its own account', async (t) => {
  const { browser: noisy } = await signUp(service)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  t.after(() => release())
  const { writes } = service.app.db
  const { body: account } = await noisy.get('/v1/me')
  // Its own turn is taken: an invitation of the same account waits, one of another does not.
  const held = Array.from({ length: POOL_SIZE }, () => writes.for(account.id).withConnection(() => released))
  let isMade = false
  const own = noisy.post('/v1/invitations').then(() => {
    isMade = true
  })
  await invite()
  assert.ok(!isMade)
  release()
  await Promise.all([own, ...held])
})

/** Invitations whose keys nobody knows, made later than those before. Returns their ids. */
async function addInvitations(email: string, count: number, ended = ''): Promise<string[]> {
  const rows = await service.sql(
    `INSERT INTO invitations (id, key_hash, invited_by, created_at, expires_at, used_at, revoked_at)
     SELECT gen_random_uuid(), sha256(gen_random_uuid()::text::bytea), u.id, clock_timestamp(),
       CASE $3 WHEN 'expires_at' THEN now() ELSE now() + interval '1 day' END,
       CASE $3 WHEN 'used_at' THEN now() END, CASE $3 WHEN 'revoked_at' THEN now() END
     FROM users u, generate_series(1, $2::int) WHERE u.email = $1 RETURNING id`,
    [email, count, ended],
  )
  return rows.map(({ id }) => id as string)
}
