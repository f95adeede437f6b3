import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Answer } from '../../support/api-client.ts'
import { assertError } from '../../support/assert-error.ts'
import { uniqueName } from '../../support/new-records.ts'
import { sharedSecondService, sharedService } from '../../support/shared.ts'
import { createToken, createUser, revokeToken } from '../../support/source/accounts.ts'
import { assertStoresNothing } from '../../support/stored-rows.ts'
import { wholeOperations } from '../../support/whole-operations.ts'

const service = await sharedService()
const token = service.api.token as string
const anonymous = service.clientWith(null)
const unknownToken = `ck_${randomBytes(32).toString('base64url')}`

function assertUnauthorized(answer: Answer): void {
  assertError(answer, 401, 'TOKEN_INVALID')
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
}

describe('401 TOKEN_INVALID', () => {
  const HEADERS: Record<string, string> = {
    'an empty header': '',
    'the token alone': token,
    'another scheme': `Basic ${btoa(`${token}:`)}`,
    'the scheme Token': `Token ${token}`,
    'the scheme alone': 'Bearer',
    'the scheme and blanks': 'Bearer   ',
    'two tokens': `Bearer ${token} ${token}`,
    'two tokens with a comma': `Bearer ${token},${token}`,
    'a quoted token': `Bearer "${token}"`,
    'no blank between': `Bearer${token}`,
    'a token cut short': `Bearer ${token.slice(0, -1)}`,
    'a token with one character more': `Bearer ${token}a`,
    'a token in upper case': `Bearer ${token.toUpperCase()}`,
    'a token without its prefix': `Bearer ${token.slice(3)}`,
    'an unknown token': `Bearer ${unknownToken}`,
    SQL: `Bearer ' OR 1=1 --`,
  }
  test('a header of another form, or without a valid token, answers 401 with WWW-Authenticate: Bearer (§5 rule 3)', async (t) => {
    for (const [what, authorization] of Object.entries(HEADERS))
      await t.test(what, async () => {
        assertUnauthorized(await anonymous.get('/v1/claims', { Authorization: authorization }))
      })
  })

  test('every path under /v1 answers 401 without a token, before anything else (§5 rule 1)', async () => {
    const document = wholeOperations((await anonymous.get('/openapi.json')).body)
    const id = '01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42'
    await assertStoresNothing(service, async () => {
      for (const [template, operations] of Object.entries(document.paths as object)) {
        if (!template.startsWith('/v1/')) continue
        for (const method of Object.keys(operations)) {
          const path = template.replaceAll(/\{\w+\}/g, id)
          const withBody = method === 'post' || method === 'patch'
          const request = anonymous.send(method.toUpperCase(), path, withBody ? '{nonsense' : undefined)
          assertUnauthorized(await request)
        }
      }
    })
  })

  test('the response does not reveal whether the token was unknown or revoked', async () => {
    const { revoked } = await newAccount()
    const answers = await Promise.all(
      [unknownToken, revoked, token.slice(0, -1)].map((it) => service.clientWith(it).get('/v1/claims')),
    )
    assert.equal(new Set(answers.map(({ body }) => body.error.message)).size, 1)
  })

  test('a token in the query or the body is ignored', async () => {
    assertUnauthorized(await anonymous.get(`/v1/claims?access_token=${token}`))
    assertUnauthorized(await anonymous.post('/v1/customers', { access_token: token, external_id: 'x' }))
  })

  test('an expired token answers 401, one that expires later is valid', async () => {
    const { email } = await newAccount()
    const tokenUntil = (ms: number) =>
      createToken(service.app, { email, name: 't', expiresAt: new Date(Date.now() + ms) })
    const expired = service.clientWith(await tokenUntil(-1_000))
    assertUnauthorized(await expired.get('/v1/claims'))
    const valid = service.clientWith(await tokenUntil(3_600_000))
    assert.equal((await valid.get('/v1/claims')).status, 200)
  })

  test('a token is revoked at once, on every server of the database (§5 rule 3)', async () => {
    const second = await sharedSecondService()
    const { email } = await newAccount()
    const secret = await createToken(service.app, { email, name: 'mine', expiresAt: null })
    const clients = [service.clientWith(secret), second.clientWith(secret)]
    for (const client of clients) assert.equal((await client.get('/v1/claims')).status, 200)

    await revokeToken(service.app, await tokenId(email, 'mine'))
    for (const client of clients) assertUnauthorized(await client.get('/v1/claims'))
  })

  test('revoking one token leaves the account’s others valid', async () => {
    const { valid } = await newAccount()
    assert.equal((await service.clientWith(valid).get('/v1/claims')).status, 200)
  })
})

describe('200', () => {
  test('the scheme may have any letter case and several spaces after it', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      const { status } = await anonymous.get('/v1/claims', { Authorization: `${scheme} ${token}` })
      assert.equal(status, 200, scheme)
    }
  })

  test('all tokens of an account see the same records', async () => {
    const { email, valid } = await newAccount()
    const other = await createToken(service.app, { email, name: 'other', expiresAt: null })
    const id = await service.clientWith(valid).customer(uniqueName())
    assert.equal((await service.clientWith(other).get(`/v1/customers/${id}`)).status, 200)
  })

  test('health checks and documentation need no token', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs/', '/docs/errors/TOKEN_INVALID']) {
      assert.equal((await anonymous.get(path)).status, 200, path)
    }
  })
})

/** An account with a valid token and a revoked one. */
async function newAccount(): Promise<{ email: string; valid: string; revoked: string }> {
  const { email } = await createUser(service.app, `${uniqueName()}@example.com`)
  const valid = await createToken(service.app, { email, name: 'valid', expiresAt: null })
  const revoked = await createToken(service.app, { email, name: 'revoked', expiresAt: null })
  await revokeToken(service.app, await tokenId(email, 'revoked'))
  return { email, valid, revoked }
}

async function tokenId(email: string, name: string): Promise<string> {
  const [row] = await service.sql(
    'SELECT t.id FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE u.email = $1 AND t.name = $2',
    [email, name],
  )
  return String(row?.id)
}
