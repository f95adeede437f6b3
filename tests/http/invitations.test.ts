import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { PASSWORD, SessionClient, signUp } from '../support/session-client.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const { browser } = await signUp(service)
const { browser: stranger } = await signUp(service)

async function invite(fields: object = {}) {
  const { status, body } = await browser.post('/v1/invitations', fields)
  assert.equal(status, 201, JSON.stringify(body))
  return { ...body, key: new URL(body.url).hash.slice('#key='.length) }
}

describe('inviting', () => {
  test('answers a link to the welcome page, once; the list has no link', async () => {
    const { id, url, key } = await invite()
    assert.ok(url.startsWith(`${service.url}/welcome#key=`))
    const { body } = await browser.get('/v1/invitations')
    assert.equal(body.data[0].id, id)
    assert.ok(!JSON.stringify(body).includes(key))
  })

  test('answers a link under PUBLIC_URL where it is set', async (t) => {
    const publicUrl = 'https://claims.example.com'
    const other = await startTestService(t, { publicUrl, databaseUrl: service.databaseUrl })
    const { body } = await (await signUp(other)).browser.post('/v1/invitations', {})
    assert.match(body.url, /^https:\/\/claims\.example\.com\/welcome#key=/)
  })

  test('someone by email keeps it in lower case; what is no email answers 400', async () => {
    assert.equal((await invite({ email: 'Someone@Example.com' })).email, 'someone@example.com')
    assert.equal((await invite({ email: null })).email, null)
    for (const email of ['', 'x', 'x@y', 'a b@example.com', `${'x'.repeat(250)}@example.com`]) {
      assertError(await browser.post('/v1/invitations', { email }), 400, 'VALIDATION_ERROR', 'email')
    }
  })

  test('is seen to be used, by the account that invited', async () => {
    const { id, key } = await invite()
    const body = { email: `${randomUUID()}@example.com`, name: 'a', password: PASSWORD, invitation: key }
    assert.equal((await new SessionClient(service).post('/api/auth/sign-up/email', body)).status, 200)
    const { data } = (await browser.get('/v1/invitations')).body
    assert.ok(data.find((invitation: { id: string }) => invitation.id === id).used_at)
    assert.deepEqual((await stranger.get('/v1/invitations')).body.data, [])
  })
})

test('an API token neither makes invitations nor sees nor revokes them', async () => {
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
  test('ends its link at once, and takes it from the list', async () => {
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

  test('of another account, or none, answers 404', async () => {
    const { id, key } = await invite()
    assertError(await stranger.delete(`/v1/invitations/${id}`), 404, 'INVITATION_NOT_FOUND')
    assertError(await browser.delete(`/v1/invitations/${randomUUID()}`), 404, 'INVITATION_NOT_FOUND')
    assert.equal((await stranger.post('/api/invitations/lookup', { key })).status, 200)
  })
})
