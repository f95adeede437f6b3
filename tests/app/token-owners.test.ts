import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createUser } from '../../src/app/accounts/users.ts'
import { createApp } from '../../src/app/app.ts'
import { hashToken } from '../../src/app/tokens/api-token.ts'
import { LONGEST_TRUST_MS, TokenOwners } from '../../src/app/tokens/token-owners.ts'
import { createToken, revokeToken } from '../../src/app/tokens/tokens.ts'
import { Database } from '../../src/storage/database/database.ts'
import { eventually } from '../support/eventually.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { uniqueName } from '../support/new-records.ts'
import type { Scope } from '../support/test-database.ts'
import { startTestService } from '../support/test-service.ts'

/* Tokens are remembered, and a revoked one is refused at once on every server all the same (§5 rule 3). */

const service = await startTestService({ after })
const { app, sql } = service

interface Server {
  find: (token: string) => Promise<string | null>
  /** How often the database was asked for a token. */
  asked: () => number
  proxy: FaultProxy
}

/** What a server knows of tokens, on connections of its own, whose questions are counted. */
async function startServer(t: Scope): Promise<Server> {
  const proxy = await startFaultProxy(t, service.databaseUrl)
  const db = new Database({ connectionString: proxy.url, poolSize: 5 })
  const owners = new TokenOwners(db)
  let asked = 0
  proxy.listen((statement) => {
    if (statement === 'find_token_owner') asked++
  })
  await owners.start()
  t.after(async () => {
    await owners.stop()
    await db.close()
  })
  return { find: (token) => owners.find(hashToken(token), 'here'), asked: () => asked, proxy }
}

async function newToken(
  expiresAt: Date | null = null,
): Promise<{ token: string; id: string; owner: string }> {
  const { email } = await createUser(app, `${uniqueName()}@example.com`)
  const token = await createToken(app, { email, name: 'test', expiresAt })
  const [row] = await sql('SELECT id, user_id FROM api_tokens WHERE token_hash = $1', [hashToken(token)])
  return { token, id: String(row?.id), owner: String(row?.user_id) }
}

/** Resolves once the server answers for the token without asking the database. */
async function remembers({ find, asked }: Server, token: string): Promise<void> {
  await eventually(async () => {
    const before = asked()
    await find(token)
    return asked() === before
  })
}

/** The sessions on which servers hear of revocations: those that hold their advisory locks. */
const LISTENERS = `SELECT DISTINCT l.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'advisory' AND l.classid = 1129011299 AND a.datname = current_database()`

describe('a server that hears of revocations', () => {
  test('asks the database for a token once, and never again while it is used', async (t) => {
    const server = await startServer(t)
    const { token, owner } = await newToken()
    assert.equal(await server.find(token), owner)
    const answers = await Promise.all(Array.from({ length: 100 }, () => server.find(token)))
    assert.deepEqual(new Set(answers), new Set([owner]))
    assert.equal(server.asked(), 1)
  })

  test('does not remember that a token is unknown', async (t) => {
    const server = await startServer(t)
    const { token, id, owner } = await newToken()
    await sql('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [id])
    assert.equal(await server.find(token), null)
    await sql('UPDATE api_tokens SET revoked_at = NULL WHERE id = $1', [id])
    assert.equal(await server.find(token), owner)
  })

  test('forgets its tokens one by one: the others are remembered', async (t) => {
    const server = await startServer(t)
    const [kept, ended] = [await newToken(), await newToken()]
    for (const { token } of [kept, ended]) await remembers(server, token)
    await revokeToken(app, ended.id)
    const before = server.asked()
    assert.equal(await server.find(kept.token), kept.owner)
    assert.equal(server.asked(), before)
    assert.equal(await server.find(ended.token), null)
  })

  test('honours an expiry from memory, and one that is set later', async (t) => {
    const server = await startServer(t)
    const expiresAt = new Date(Date.now() + 1_000)
    const { token, owner } = await newToken(expiresAt)
    assert.equal(await server.find(token), owner)
    await eventually(async () => {
      // The database's clock is this machine's too.
      const askedAt = Date.now()
      const found = await server.find(token)
      assert.ok(found === null || askedAt < expiresAt.getTime())
      return found === null
    })

    const later = await newToken()
    await remembers(server, later.token)
    await sql("UPDATE api_tokens SET expires_at = now() - interval '1 second' WHERE id = $1", [later.id])
    await eventually(async () => (await server.find(later.token)) === null)
  })

  test('takes a token no more that was ended, deleted or given away by hand', async (t) => {
    const servers = [await startServer(t), await startServer(t)]
    const other = await newToken()
    for (const [statement, expected] of [
      ['UPDATE api_tokens SET revoked_at = now() WHERE id = $1', null],
      ['DELETE FROM api_tokens WHERE id = $1', null],
      [`UPDATE api_tokens SET user_id = '${other.owner}' WHERE id = $1`, other.owner],
    ] as const) {
      const { token, id } = await newToken()
      for (const server of servers) await remembers(server, token)
      await sql(statement, [id])
      for (const { find } of servers) {
        await eventually(async () => (await find(token)) === expected)
      }
    }
  })
})

describe('revokeToken', () => {
  test('resolves when each of three servers refuses the token, which all use at that time, round after round', async (t) => {
    const servers = [await startServer(t), await startServer(t), await startServer(t)]
    for (let round = 0; round < 40; round++) {
      const { token, id, owner } = await newToken()
      let revoked = false
      const users = servers.flatMap((server) =>
        [1, 2].map(async () => {
          for (;;) {
            const wasRevoked = revoked
            const found = await server.find(token)
            if (wasRevoked) assert.equal(found, null, `round ${round}`)
            if (found === null) return
            assert.equal(found, owner)
            await pause(0)
          }
        }),
      )
      const startedAt = performance.now()
      await revokeToken(app, id)
      revoked = true
      assert.ok(performance.now() - startedAt < LONGEST_TRUST_MS, 'nobody was waited for in vain')
      await Promise.all(users)
    }
  })

  test('resolves rightly, and soon, for many tokens at once', async (t) => {
    const servers = [await startServer(t), await startServer(t), await startServer(t)]
    for (let round = 0; round < 10; round++) {
      const tokens = await Promise.all(Array.from({ length: 8 }, () => newToken()))
      for (const server of servers) for (const { token } of tokens) await server.find(token)
      const startedAt = performance.now()
      await Promise.all(
        tokens.map(async ({ id, token }) => {
          await revokeToken(app, id)
          for (const { find } of servers) assert.equal(await find(token), null, `round ${round}`)
        }),
      )
      assert.ok(performance.now() - startedAt < LONGEST_TRUST_MS, 'nobody was waited for in vain')
    }
  })

  test('revoking twice changes nothing, and does not wait in vain', async (t) => {
    const server = await startServer(t)
    const { token, id } = await newToken()
    await remembers(server, token)
    const startedAt = performance.now()
    for (let i = 0; i < 2; i++) await revokeToken(app, id)
    assert.ok(performance.now() - startedAt < LONGEST_TRUST_MS)
    assert.equal(await server.find(token), null)
  })

  test('does not wait for servers that have ended', async (t) => {
    const { token, id } = await newToken()
    await t.test('a server that remembers it, and ends', async (inner) => {
      await remembers(await startServer(inner), token)
    })
    const startedAt = performance.now()
    await revokeToken(app, id)
    assert.ok(performance.now() - startedAt < LONGEST_TRUST_MS)
  })
})

describe('a server that hears nothing any more', () => {
  test('because its session was ended: it asks each time, refuses at once, and remembers again when it is back', async (t) => {
    const server = await startServer(t)
    const [kept, ended] = [await newToken(), await newToken()]
    for (const { token } of [kept, ended]) await remembers(server, token)
    await sql(`SELECT pg_terminate_backend(pid) FROM (${LISTENERS}) AS l`)
    await eventually(async () => {
      const before = server.asked()
      await server.find(kept.token)
      return server.asked() > before
    })
    await revokeToken(app, ended.id)
    assert.equal(await server.find(ended.token), null)
    assert.equal(await server.find(kept.token), kept.owner)
    await remembers(server, kept.token)
    await revokeToken(app, kept.id)
    assert.equal(await server.find(kept.token), null)
  })

  test('because its connection is dead without a word: a revoked token is refused three seconds later at most', async (t) => {
    const server = await startServer(t)
    const [byCommand, byHand] = [await newToken(), await newToken()]
    for (const { token } of [byCommand, byHand]) await remembers(server, token)
    server.proxy.strike({ statement: 'SELECT pg_notify($n, $n)' }, 'silence before')
    // The next sign of life is lost, which makes the connection dead from here on.
    await eventually(async () => server.proxy.hasStruck())
    const startedAt = performance.now()
    await sql('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [byHand.id])
    await Promise.all([
      revokeToken(app, byCommand.id).then(async () => {
        assert.equal(await server.find(byCommand.token), null)
      }),
      eventually(async () => (await server.find(byHand.token)) === null),
    ])
    assert.ok(performance.now() - startedAt < LONGEST_TRUST_MS + 2_000)
    const { token, owner } = await newToken()
    await remembers(server, token)
    assert.equal(await server.find(token), owner)
  })

  test('because the database was away when it started: it asks each time, and remembers once it is there', async (t) => {
    const proxy = await startFaultProxy(t, service.databaseUrl)
    const { token, owner } = await newToken()
    proxy.goDown()
    const db = new Database({ connectionString: proxy.url, poolSize: 2 })
    const away = createApp(db)
    await away.tokenOwners.start()
    t.after(async () => {
      await away.tokenOwners.stop()
      await db.close()
    })
    await assert.rejects(away.tokenOwners.find(hashToken(token), 'here'), { code: 'UNAVAILABLE' })
    proxy.comeBack()
    assert.equal(await away.tokenOwners.find(hashToken(token), 'here'), owner)
    let asked = 0
    proxy.listen((statement) => {
      if (statement === 'find_token_owner') asked++
    })
    await eventually(async () => {
      const before = asked
      assert.equal(await away.tokenOwners.find(hashToken(token), 'here'), owner)
      return asked === before
    })
  })
})
