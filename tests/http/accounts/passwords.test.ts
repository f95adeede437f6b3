import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hashPassword } from 'better-auth/crypto'
import type { Answer } from '../../support/api-client.ts'
import { assertError } from '../../support/assert-error.ts'
import { uniqueName } from '../../support/new-records.ts'
import { PASSWORD, SessionClient, signIn, signUpByInvitation } from '../../support/session-client.ts'
import { startTestService } from '../../support/test-service.ts'

const service = await startTestService({ after }, { hashesSlowly: true })

test('an unknown email takes as long as a wrong password: both are hashed', async () => {
  const { email } = await signUpByInvitation(service)
  const [known, unknown] = [await hashingTime(email), await hashingTime(`${uniqueName()}@example.com`)]
  assert.ok(unknown > known / 3, `unknown ${unknown} ms, known ${known} ms`)
})

test('a hash of before is renewed by the right password, and takes as long for a wrong one', async () => {
  const { email: longKnown } = await signUpByInvitation(service)
  const storedHash = async () => {
    const [row] = await service.sql(
      'SELECT password FROM credentials WHERE user_id = (SELECT id FROM users WHERE email = $1)',
      [longKnown],
    )
    return row?.password as string
  }
  const old = await hashPassword(PASSWORD)
  assert.match(await storedHash(), /^\$scrypt\$ln=17,r=8,p=1\$/)
  await service.sql('UPDATE credentials SET password = $1 WHERE password = $2', [old, await storedHash()])
  const [wrong, unknown] = [await hashingTime(longKnown), await hashingTime(`${uniqueName()}@example.com`)]
  assert.ok(wrong > unknown / 3 && unknown > wrong / 3, `wrong ${wrong} ms, unknown ${unknown} ms`)
  assert.equal(await storedHash(), old)

  await signIn(service, longKnown)
  const renewed = await storedHash()
  assert.match(renewed, /^\$scrypt\$ln=17,r=8,p=1\$/)
  await signIn(service, longKnown)
  assert.equal(await storedHash(), renewed)
})

test('no answer holds the token of the session: it is in the cookie alone', async () => {
  const { email: own, browser: other } = await signUpByInvitation(service)
  const said = [
    await other.post('/api/auth/sign-in/email', { email: own, password: PASSWORD }),
    await other.get('/api/auth/get-session'),
    await other.get('/api/auth/list-sessions'),
  ]
  const token = decodeURIComponent(other.cookie.split('=')[1] ?? '').split('.')[0] as string
  const { id, token: name } = (said[1] as Answer).body.session
  const listed = said[2]?.body.find((session: { id: string }) => session.id === id)
  assert.equal(name, listed.token)
  const change = { currentPassword: PASSWORD, newPassword: PASSWORD }
  const changed = await other.post('/api/auth/change-password', change)
  assert.equal(changed.status, 200)
  const next = decodeURIComponent(other.cookie.split('=')[1] ?? '').split('.')[0] as string
  assert.ok(token.length >= 32 && next.length >= 32 && token !== next)
  for (const { body } of [...said, changed]) {
    const text = JSON.stringify(body)
    assert.ok(!text.includes(token) && !text.includes(next), text)
  }
})

/** Of the quicker of two wrong attempts, in milliseconds. */
async function hashingTime(email: string): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 2; i++) {
    const startedAt = performance.now()
    const body = { email, password: 'wrong one' }
    assertError(await new SessionClient(service).post('/api/auth/sign-in/email', body), 401, 'SIGN_IN_FAILED')
    times.push(performance.now() - startedAt)
  }
  return Math.min(...times)
}
