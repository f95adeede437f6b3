import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import {
  DatabaseUnavailable,
  Pool,
  type PooledConnection,
  SERVICE_ACCOUNT,
} from '../support/source/database.ts'
import { createTestDatabase, type Scope } from '../support/test-database.ts'
import { poolsOf } from './pools-of.ts'

const connectionString = await createTestDatabase({ after })
const openPool = poolsOf(connectionString)
const open = (t: Scope): PooledConnection => openPool(t, { size: 2 }).for(SERVICE_ACCOUNT)

const pidOf = async (db: PooledConnection) =>
  (await db.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' }))[0]?.pid

test('a thousand callers may wait for a connection; one more is refused at once, and the others are served', async (t) => {
  const db = open(t)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const holders = [1, 2].map(() => db.withConnection(() => released))
  // Without a statement, so that they are served before they have waited too long, however slow the machine is.
  const waiting = Array.from({ length: 1_000 }, (_, i) => db.withConnection(async () => i))
  await assert.rejects(db.query({ text: 'SELECT 1' }), {
    code: 'UNAVAILABLE',
    message: 'Too many requests are waiting for the database.',
    outcome: 'not applied',
  })
  release()
  await Promise.all(holders)
  assert.deepEqual(await Promise.all(waiting), [...Array(1_000).keys()])
})

test('one account never has all connections, and those that wait take turns with its flood', async (t) => {
  const pool = openPool(t, { size: 2 })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const served: string[] = []
  const flood = Array.from({ length: 20 }, () =>
    pool.for('noisy').withConnection(async () => {
      await released
      served.push('noisy')
    }),
  )
  assert.deepEqual(await pool.for('quiet').query({ text: 'SELECT 1 AS one' }), [{ one: 1 }])
  const first = pool.for('quiet').withConnection(() => released)
  const second = pool.for('quiet').withConnection(async () => served.push('quiet'))
  release()
  await Promise.all([...flood, first, second])
  assert.ok(served.indexOf('quiet') <= 3, `${served}`)
})

test('of one account 250 callers may wait; one more is refused, and another account is not', async (t) => {
  const pool = openPool(t, { size: 2 })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const flood = Array.from({ length: 251 }, () => pool.for('noisy').withConnection(() => released))
  await assert.rejects(pool.for('noisy').query({ text: 'SELECT 1' }), { code: 'UNAVAILABLE' })
  assert.deepEqual(await pool.for('quiet').query({ text: 'SELECT 1 AS one' }), [{ one: 1 }])
  release()
  await Promise.all(flood)
})

test('accounts that are many do not keep the service’s own work out', async (t) => {
  const pool = openPool(t, { size: 2 })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const flood = Array.from({ length: 1_002 }, (_, n) => pool.for(`${n}`).withConnection(() => released))
  await assert.rejects(pool.for('one more').query({ text: 'SELECT 1' }), { code: 'UNAVAILABLE' })
  const own = pool.for(SERVICE_ACCOUNT).query({ text: 'SELECT 1 AS one' })
  release()
  assert.deepEqual(await own, [{ one: 1 }])
  await Promise.all(flood)
})

test('a connection released inside a transaction is not reused', async (t) => {
  const db = openPool(t, { size: 1 }).for(SERVICE_ACCOUNT)
  let forgotten: number | undefined
  await db.withConnection(async (connection) => {
    await connection.query({ text: 'BEGIN' })
    const [row] = await connection.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' })
    forgotten = row?.pid
  })
  assert.notEqual(await pidOf(db), forgotten)
})

test('a connection released with a statement in progress is not reused', async (t) => {
  const db = openPool(t, { size: 1 }).for(SERVICE_ACCOUNT)
  const pid = await pidOf(db)
  let unawaited: Promise<unknown> = Promise.resolve()
  await db.withConnection(async (connection) => {
    unawaited = connection.query({ text: 'SELECT pg_sleep(60)' }).catch((error: unknown) => error)
  })
  assert.notEqual(await pidOf(db), pid)
  assert.ok((await unawaited) instanceof DatabaseUnavailable)
})

test('a statement that is sent after its connection was released does not run', async (t) => {
  const db = open(t)
  const kept = await db.withConnection(async (connection) => ({ connection }))
  await assert.rejects(
    kept.connection.query({ text: 'CREATE TABLE too_late (x int)' }),
    /after its connection was released/,
  )
  assert.deepEqual(await db.query({ text: "SELECT to_regclass('too_late') AS found" }), [{ found: null }])
})

test('a transaction with a failed statement is not reported as committed, even if the error was ignored', async (t) => {
  const db = open(t)
  const work = db.transaction(async (connection) => {
    await connection.query({ text: 'CREATE TABLE never_there (x int)' })
    await connection.query({ text: 'SELECT 1/0' }).catch(() => {})
  })
  await assert.rejects(work, /nothing was committed/)
  assert.deepEqual(await db.query({ text: "SELECT to_regclass('never_there') AS found" }), [{ found: null }])
})

test('a transaction whose work fails with the failure of another connection is rolled back', async (t) => {
  const db = open(t)
  const work = db.transaction(async (connection) => {
    await connection.query({ text: 'CREATE TABLE half_way (x int)' })
    await db.query({ text: 'SELECT pg_terminate_backend(pg_backend_pid())' })
  })
  await assert.rejects(work, DatabaseUnavailable)
  assert.deepEqual(await db.query({ text: "SELECT to_regclass('half_way') AS found" }), [{ found: null }])
  const open_ = await db.query({
    text: `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
  })
  assert.deepEqual(open_, [])
})

test('a transaction whose work fails leaves nothing, and its connection serves the next', async (t) => {
  const db = open(t)
  const work = db.transaction(async (connection) => {
    await connection.query({ text: 'CREATE TABLE half_done (x int)' })
    throw new Error('no')
  })
  await assert.rejects(work, { message: 'no' })
  assert.deepEqual(await db.query({ text: "SELECT to_regclass('half_done') AS found" }), [{ found: null }])
})

test('after the server ends a connection, the next query uses a new one', async (t) => {
  const db = open(t)
  const ended = db.query({ text: 'SELECT pg_terminate_backend(pg_backend_pid())' })
  await assert.rejects(
    ended,
    (error: unknown) => error instanceof DatabaseUnavailable && error.outcome === 'unknown',
  )
  assert.deepEqual(await db.query({ text: 'SELECT 2 AS two' }), [{ two: 2 }])
})

test('a statement that the database refuses for its length has surely changed nothing', async (t) => {
  const db = openPool(t, { size: 2, statementTimeoutMs: 50 }).for(SERVICE_ACCOUNT)
  const endless = db.query({ text: 'SELECT pg_sleep(60)' })
  await assert.rejects(
    endless,
    (error: unknown) => error instanceof DatabaseUnavailable && error.outcome === 'not applied',
  )
})

test('close ends if the server is silent and an acquired connection runs no statement', async (t) => {
  const server = await startSilentServer(t)
  const pool = new Pool({ connectionString: server.url, size: 1 })
  const { promise: acquired, resolve: onAcquired } = Promise.withResolvers<void>()
  const work = pool.for(SERVICE_ACCOUNT).withConnection(async (connection) => {
    await connection.query({ text: 'SELECT 1' })
    onAcquired()
    await server.left
    return connection.query({ text: 'SELECT 1' })
  })
  await acquired
  server.fallSilent()
  const [closed, worked] = await Promise.allSettled([pool.close(), work])
  assert.deepEqual([closed.status, worked.status], ['fulfilled', 'rejected'])
})

interface SilentServer {
  url: string
  /** It neither answers nor hangs up any more, as a machine that has stopped. */
  fallSilent: () => void
  /** Resolves when somebody has hung up. */
  left: Promise<void>
}

async function startSilentServer(t: Scope): Promise<SilentServer> {
  const { hostname, port } = new URL(connectionString)
  const { promise: left, resolve: hasLeft } = Promise.withResolvers<void>()
  const sockets: Socket[] = []
  let isSilent = false
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const database = connect(Number(port), hostname)
    sockets.push(client, database)
    for (const socket of [client, database]) socket.on('error', () => {})
    client.on('data', (bytes) => isSilent || database.write(bytes))
    client.on('close', hasLeft).on('end', hasLeft)
    database.on('data', (bytes) => isSilent || client.write(bytes))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = new URL(connectionString)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const fallSilent = () => {
    isSilent = true
  }
  return { url: url.href, fallSilent, left }
}
