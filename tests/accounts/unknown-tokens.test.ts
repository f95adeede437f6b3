import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { findSession } from '../../src/accounts/sessions/session-store.ts'
import { authenticateToken } from '../../src/accounts/tokens/authenticate-token.ts'
import { signUpByInvitation } from '../support/session-client.ts'
import { sharedService } from '../support/shared.ts'
import { hashSessionToken, hashToken, newToken } from '../support/source/accounts.ts'

/* An unknown token costs a statement. Requests with unknown tokens wait in a queue per client. */

const service = await sharedService()
const { app, sql } = service
const TRIES = 1_100
/** Half of the 750 that wait: while one connection is busy with the current request, the other may go on for a while. */
const SOON = 375

/** Tokens that the server has not met yet, of an account that is there. */
async function storedToken(): Promise<string> {
  const token = newToken()
  await sql(
    `INSERT INTO api_tokens (id, user_id, name, token_hash, created_at)
     SELECT gen_random_uuid(), id, 'new here', $1, now() FROM users LIMIT 1`,
    [hashToken(token)],
  )
  return token
}

/** All connections for who is asking are open and in use until what is returned is called. */
async function holdConnections(): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const holdOne = () =>
    new Promise<void>((held, failed) => {
      const holding = app.db.identity.withConnection(() => {
        held()
        return promise
      })
      holding.catch(failed)
    })
  await Promise.all([holdOne(), holdOne()])
  return resolve
}

const enter = async (token: string, ip: string) => authenticateToken(app, `Bearer ${token}`, { ip })

test('a flood of random tokens from one address delays no other caller and fills only its own queue', async () => {
  const stored = await storedToken()
  await signUpByInvitation(service)
  const release = await holdConnections()
  const order: string[] = []
  const flood = Array.from({ length: TRIES }, () =>
    enter(newToken(), '203.0.113.7').catch((error: { code: string }) => order.push(error.code)),
  )
  const honest = [
    enter(stored, '198.51.100.1').then(() => order.push('token')),
    findSession(app.db.identity, hashSessionToken(randomBytes(16).toString('hex'))).then(() =>
      order.push('sign-in'),
    ),
  ]
  release()
  await Promise.all([...flood, ...honest])
  const served = order.filter((what) => what !== 'UNAVAILABLE')
  assert.ok(served.length < TRIES, 'the line of one address has an end')
  for (const who of ['token', 'sign-in'])
    assert.ok(served.indexOf(who) < SOON, `${who}: ${served.indexOf(who)}`)
})

test('neither does a flood from the addresses of one /64 network', async () => {
  const stored = await storedToken()
  const release = await holdConnections()
  const order: string[] = []
  const flood = Array.from({ length: TRIES }, (_, n) =>
    enter(newToken(), `2001:db8:0:1::${n.toString(16)}`).catch((error: { code: string }) =>
      order.push(error.code),
    ),
  )
  const honest = enter(stored, '2001:db8:0:2::1').then(() => order.push('token'))
  release()
  await Promise.all([...flood, honest])
  const served = order.filter((what) => what !== 'UNAVAILABLE')
  assert.ok(served.indexOf('token') < SOON, `${served.indexOf('token')}`)
})
