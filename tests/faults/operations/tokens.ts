import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { revokeSession } from '../../../src/accounts/sessions/end-sessions.ts'
import { createOwnToken } from '../../../src/accounts/tokens/tokens.ts'
import { findUserByEmail } from '../../../src/accounts/user-store.ts'
import { shareReadiness } from '../../../src/doctor/readiness.ts'
import { contextOf } from '../../../src/platform/database/context.ts'
import { eventually } from '../../support/eventually.ts'
import { uniqueName } from '../../support/new-records.ts'
import {
  createToken,
  createUser,
  hashSessionToken,
  hashToken,
  revokeToken,
  TokenOwners,
} from '../../support/source/accounts.ts'
import type { Operation } from '../fault-table.ts'
import { fateOf } from '../history.ts'
import type { Testbed } from '../testbed.ts'

const tokenRevocation: Operation = {
  name: 'the revocation of a token',
  begin: async (testbed) => {
    const { app, clientWith, sql } = testbed.service
    // The previous fault may have ended the listening session.
    await eventually(async () => (await sql(SESSIONS)).length === 1)
    const { token, id } = await newToken(testbed)
    const own = clientWith(token)
    assert.equal((await own.get('/v1/claims')).status, 200)
    let isDone = false
    return {
      run: () =>
        revokeToken(app, id).then(
          () => {
            isDone = true
          },
          () => {},
        ),
      finish: async () => {
        if (!isDone) await revokeToken(app, id)
        assert.equal((await own.get('/v1/claims')).status, 401)
      },
    }
  },
}

const sessionRevocation: Operation = {
  name: 'the revocation of a session with its token',
  begin: async (testbed) => {
    const { app, clientWith, sql } = testbed.service
    await eventually(async () => (await sql(SESSIONS)).length === 1)
    const { email } = await createUser(app, `${uniqueName()}@example.com`)
    const { id: userId } = (await findUserByEmail(app.db, email)) as { id: string }
    const session = { id: randomUUID(), userId, tokenHash: 'the session that asks' }
    const tokenHash = hashSessionToken(session.id)
    await sql(
      `INSERT INTO sessions (id, user_id, token, created_at, updated_at, expires_at)
        VALUES ($1, $2, $3, now(), now(), now() + interval '1 day')`,
      [session.id, userId, tokenHash],
    )
    const created = { sessionId: session.id, name: 'test', expiresAt: null }
    const own = clientWith((await createOwnToken(contextOf(app.db, userId), created)).secret)
    assert.equal((await own.get('/v1/claims')).status, 200)
    let isDone = false
    return {
      run: () =>
        revokeSession(app, session, tokenHash).then(
          () => {
            isDone = true
          },
          () => {},
        ),
      finish: async () => {
        if (!isDone) await revokeSession(app, session, tokenHash)
        assert.equal((await own.get('/v1/claims')).status, 401)
        assert.deepEqual(await sql('SELECT 1 FROM sessions WHERE id = $1', [session.id]), [])
      },
    }
  },
}

const listening: Operation = {
  name: 'listening for revocations',
  begin: async (testbed) => {
    const { app, sql } = testbed.service
    const owners = new TokenOwners(app.db)
    const { token, id } = await newToken(testbed)
    const sessions = async () => (await sql(SESSIONS)).length
    return {
      run: () => owners.start(),
      finish: async () => {
        const hash = hashToken(token)
        assert.ok(await owners.find(hash, 'here'))
        await sql('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [id])
        await eventually(async () => (await owners.find(hash, 'here')) === null)
        await owners.stop()
        // The session of the service remains.
        await eventually(async () => (await sessions()) === 1)
      },
    }
  },
}

const unknownToken: Operation = {
  name: 'a request with a token that is not cached',
  alsoSends: ['find_token_owner', 'touch_api_token'],
  begin: async (testbed) => {
    const { token } = await newToken(testbed)
    const own = testbed.service.clientWith(token)
    return {
      run: async () => void fateOf(await own.get('/v1/me')),
      finish: async () => assert.equal((await own.get('/v1/me')).status, 200),
    }
  },
}

const readiness: Operation = {
  name: 'readiness',
  begin: async ({ service: { app } }) => ({
    // A result is cached for some seconds, so each run creates its own cache.
    run: () => shareReadiness(app)().catch(() => {}),
    finish: () => shareReadiness(app)(),
  }),
}

/** Sessions outside of the pools that listen for revocations, by their last statement. */
const SESSIONS = `SELECT query FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'claimkeeper'
    AND query ~ 'pg_notify|LISTEN|pg_advisory_(un)?lock_shared|token_revocations|synchronous_commit'
    AND query !~ 'currval|connection_settings'`

async function newToken({ service }: Testbed): Promise<{ token: string; id: string }> {
  const { email } = await createUser(service.app, `${uniqueName()}@example.com`)
  const token = await createToken(service.app, { email, name: 'test', expiresAt: null })
  const [row] = await service.sql('SELECT id FROM api_tokens WHERE token_hash = $1', [hashToken(token)])
  return { token, id: String(row?.id) }
}

export const TOKEN_OPERATIONS: readonly Operation[] = [
  tokenRevocation,
  sessionRevocation,
  listening,
  unknownToken,
  readiness,
]
