import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import pg from 'pg'
import { watchRevocations } from '../../src/accounts/revocation-store.ts'
import { eventually } from '../support/eventually.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { hashToken, revokeToken } from '../support/source/accounts.ts'
import { Database } from '../support/source/database.ts'
import { createApp } from '../support/source/service.ts'
import type { Scope } from '../support/test-database.ts'
import { startTestService } from '../support/test-service.ts'
import { newOwnedToken, remembers, startTokenServer } from './token-servers.ts'

/* Tokens are cached. A revoked token is nevertheless rejected at once on every server (§5 rule 3). */

const service = await startTestService({ after })
const { app, databaseUrl, sql } = service

const startServer = (t: Scope) => startTokenServer(t, databaseUrl)
const newToken = (expiresAt: Date | null = null) => newOwnedToken(service, expiresAt)

/** The sessions on which servers listen for revocations: they hold the advisory locks. */
const LISTENERS = `SELECT DISTINCT l.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'advisory' AND l.classid = 1129011299 AND a.datname = current_database()`

describe('a server that receives notifications of revocations', () => {
  test('reads a token from the database once and then from its cache', async (t) => {
    const server = await startServer(t)
    const { token, owner } = await newToken()
    assert.equal(await server.find(token), owner)
    // On a busy machine a probe may be late. The server then reads the database again.
    await eventually(async () => {
      await remembers(server, token)
      const before = server.lookUps()
      const answers = await Promise.all(Array.from({ length: 100 }, () => server.find(token)))
      assert.deepEqual(new Set(answers), new Set([owner]))
      return server.lookUps() === before
    })
  })

  test('does not cache that a token is unknown', async (t) => {
    const server = await startServer(t)
    const { token, id, owner } = await newToken()
    await sql('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [id])
    assert.equal(await server.find(token), null)
    await sql('UPDATE api_tokens SET revoked_at = NULL WHERE id = $1', [id])
    assert.equal(await server.find(token), owner)
  })

  test('removes only the revoked token from its cache', async (t) => {
    const server = await startServer(t)
    const kept = await newToken()
    // Retried with another revocation, because after a late probe the server also reads the database.
    await eventually(async () => {
      const ended = await newToken()
      for (const { token } of [ended, kept]) await remembers(server, token)
      await revokeToken(app, ended.id)
      const before = server.lookUps()
      assert.equal(await server.find(kept.token), kept.owner)
      const isRemembered = server.lookUps() === before
      assert.equal(await server.find(ended.token), null)
      return isRemembered
    })
  })

  test('observes the expiry of a cached token, also one that is set later', async (t) => {
    const server = await startServer(t)
    const expiresAt = new Date(Date.now() + 1_000)
    const { token, owner } = await newToken(expiresAt)
    await eventually(async () => {
      // The database's clock is this machine's too.
      const startedMs = Date.now()
      const found = await server.find(token)
      if (found === null) assert.ok(Date.now() >= expiresAt.getTime())
      else assert.ok(found === owner && startedMs < expiresAt.getTime())
      return found === null
    })

    const later = await newToken()
    await remembers(server, later.token)
    await sql("UPDATE api_tokens SET expires_at = now() - interval '1 second' WHERE id = $1", [later.id])
    await eventually(async () => (await server.find(later.token)) === null)
  })

  test('rejects a token that was revoked, deleted or moved to another account by SQL', async (t) => {
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

test('catchUp does not resolve after the end of the session, even if the probe arrives with the end', async (t) => {
  const proxy = await startFaultProxy(t, databaseUrl)
  const db = new Database({ connectionString: proxy.url, poolSize: 1 })
  const history: string[] = []
  const note = (what: string) => () => void history.push(what)
  const watch = await watchRevocations(db, () => {}, note('lost'))
  t.after(async () => {
    await watch.close()
    await db.close()
  })
  const [listener] = await sql(`${LISTENERS} ORDER BY l.pid DESC`)
  proxy.onStatement(() => {
    // The statement is passed on. Its answer waits in the proxy.
    setImmediate(proxy.freeze)
  })
  const caughtUp = watch.catchUp(60_000).then(note('caught up'), note('rejected'))
  const pid = listener?.pid
  await eventually(async () => {
    const [session] = await sql('SELECT state, query FROM pg_stat_activity WHERE pid = $1', [pid])
    return session?.state === 'idle' && `${session.query}`.startsWith('SELECT pg_notify')
  })
  await sql('SELECT pg_terminate_backend($1)', [pid])
  await eventually(async () => (await sql('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).length === 0)
  proxy.thaw()
  await caughtUp
  await eventually(async () => history.includes('lost'))
  const resolved = history.indexOf('caught up')
  assert.ok(resolved < history.indexOf('lost'), `${history}`)
})

test('a watch of revocations that cannot acknowledge is lost before its session ends', async (t) => {
  const proxy = await startFaultProxy(t, databaseUrl)
  const db = new Database({ connectionString: proxy.url, poolSize: 1 })
  const history: string[] = []
  const watch = await watchRevocations(
    db,
    () => {},
    () => void history.push('lost'),
  )
  t.after(async () => {
    await watch.close()
    await db.close()
  })
  const end = pg.Client.prototype.end as () => Promise<void>
  t.mock.method(pg.Client.prototype, 'end', function (this: pg.Client) {
    if (this.port === Number(new URL(proxy.url).port)) history.push('ended')
    return end.call(this)
  })
  proxy.inject({ statement: 'SELECT pg_advisory_lock_shared($n, $n)' }, { refused: 'XX000' })
  await revokeToken(app, (await newToken()).id)
  await eventually(async () => history.includes('ended'))
  assert.equal(history[0], 'lost')
})

describe('a server that receives no notifications', () => {
  test('because its session was ended: it reads the database each time, rejects at once, and caches again after it reconnects', async (t) => {
    const server = await startServer(t)
    const [kept, ended] = [await newToken(), await newToken()]
    for (const { token } of [kept, ended]) await remembers(server, token)
    await sql(`SELECT pg_terminate_backend(pid) FROM (${LISTENERS}) AS l`)
    await eventually(async () => {
      const before = server.lookUps()
      await server.find(kept.token)
      return server.lookUps() > before
    })
    await revokeToken(app, ended.id)
    assert.equal(await server.find(ended.token), null)
    assert.equal(await server.find(kept.token), kept.owner)
    await remembers(server, kept.token)
    await revokeToken(app, kept.id)
    assert.equal(await server.find(kept.token), null)
  })

  test('because its session was ended: it rejects a token as soon as the request to revoke it is answered', async (t) => {
    const server = await startServer(t)
    for (let round = 0; round < 2; round++) {
      const { token, id } = await newToken()
      await remembers(server, token)
      const ended = await sql(`SELECT pid, pg_terminate_backend(pid) FROM (${LISTENERS}) AS l`)
      await eventually(async () => {
        const pids = ended.map(({ pid }) => pid)
        return (await sql('SELECT FROM pg_stat_activity WHERE pid = ANY ($1)', [pids])).length === 0
      })
      await revokeToken(app, id)
      assert.equal(await server.find(token), null)
    }
  })

  test('because the database was unavailable at its start: it reads the database each time and caches once it has connected', async (t) => {
    const proxy = await startFaultProxy(t, databaseUrl)
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
    let lookUps = 0
    proxy.onStatement((statement) => {
      if (statement === 'find_token_owner') lookUps++
    })
    await eventually(async () => {
      const before = lookUps
      assert.equal(await away.tokenOwners.find(hashToken(token), 'here'), owner)
      return lookUps === before
    })
  })
})
