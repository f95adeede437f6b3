import { createHmac, randomBytes } from 'node:crypto'
import { setPassword } from '../../src/accounts/credential-store.ts'
import { sessionCookieName } from '../../src/accounts/sessions/session-cookie.ts'
import { createUser, hashSessionToken } from './source/accounts.ts'
import type { TestService } from './test-service.ts'

/* Sessions that are inserted directly into the database, for tests that are not about signing in. */

export const PASSWORD = 'correct horse battery'

/** A new account with a password. */
export async function newUserWithPassword(
  { app, sql }: Pick<TestService, 'app' | 'sql'>,
  email: string,
  name: string,
) {
  const { id } = await createUser(app, email)
  await sql('UPDATE users SET name = $2 WHERE id = $1', [id, name])
  await setPassword(app.db, id, await app.passwords.hash(PASSWORD))
}

type Ask = TestService['sql']

/** Creates a session of the account. Returns its cookie. */
export async function newSession(sql: Ask, userId: string): Promise<{ name: string; value: string }> {
  const token = randomBytes(24).toString('base64url')
  await sql(
    `INSERT INTO sessions (id, user_id, token, ip_address, created_at, updated_at, expires_at)
     SELECT gen_random_uuid(), $1, $2, '127.0.0.1', now, now, now + interval '14 days' FROM clock_timestamp() AS now`,
    [userId, hashSessionToken(token)],
  )
  const signature = createHmac('sha256', await sessionSecret(sql))
    .update(token)
    .digest('base64')
  return { name: sessionCookieName(false), value: encodeURIComponent(`${token}.${signature}`) }
}

export async function userIdOf(sql: Ask, email: string): Promise<string> {
  const [user] = await sql('SELECT id FROM users WHERE email = lower($1)', [email])
  return user?.id as string
}

/** The service's secret. Created if it is missing. */
async function sessionSecret(sql: Ask): Promise<string> {
  await sql("INSERT INTO server_secrets (name, value) VALUES ('sessions', $1) ON CONFLICT DO NOTHING", [
    randomBytes(32).toString('base64url'),
  ])
  const [row] = await sql("SELECT value FROM server_secrets WHERE name = 'sessions'")
  return row?.value as string
}
