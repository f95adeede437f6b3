import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import pg from 'pg'
import { clientOf } from '../../support/client-of.ts'
import { eventually } from '../../support/eventually.ts'
import { addLargeSchemas, fillLog, sqlOf } from '../../support/large-records.ts'
import { newClaim, newSchema } from '../../support/new-records.ts'
import { connectRaw } from '../../support/raw-connection.ts'
import { head } from '../../support/raw-http.ts'
import { residentBytes } from '../../support/resident-memory.ts'
import { startServeProcess } from '../../support/serve-process.ts'
import { createTestDatabase, type Scope } from '../../support/test-database.ts'

/* Answers that do not fit into memory, or not many at once: read, read slowly, and not read at all. */

const MIB = 1024 * 1024

async function startServer(t: Scope) {
  const DATABASE_URL = await createTestDatabase(t)
  const server = await startServeProcess(t, { DATABASE_URL })
  const database = new pg.Client({ connectionString: DATABASE_URL })
  // The test's database may be dropped under it.
  database.on('error', () => {})
  await database.connect()
  t.after(() => database.end())
  const api = await clientOf(server)
  const before = await residentBytes(server.child)
  return {
    ...server,
    api,
    sql: sqlOf(database),
    Authorization: `Bearer ${server.token}`,
    /** MiB that the process has taken since. */
    grown: async () => ((await residentBytes(server.child)) - before) / MIB,
  }
}

/** The bytes of an answer, as they come. */
async function sizeOf(url: string, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(url, { headers })
  assert.equal(answer.status, 200)
  let bytes = 0
  for await (const chunk of answer.body ?? []) bytes += chunk.length
  return bytes
}

describe('all schemas of an account', () => {
  test('are returned completely in bounded memory, however many and large they are', async (t) => {
    const { api, url, sql, Authorization, grown } = await startServer(t)
    const { id } = await newSchema(api)
    await addLargeSchemas(sql, id, 1_500)
    const sizes = await Promise.all([1, 2].map(() => sizeOf(`${url}/v1/schemas`, { Authorization })))
    for (const size of sizes) assert.ok(size > 1_500 * 65_000, `${size} bytes`)
    assert.ok((await grown()) < 300, `${await grown()} MiB more`)
  })
})

describe('the log of a claim', () => {
  test('of 57 MB is returned to sixteen concurrent requests in bounded memory', async (t) => {
    const { api, url, sql, Authorization, grown } = await startServer(t)
    const { id } = await newClaim(api)
    await fillLog(sql, id, 228, 250_000)
    const sizes = await Promise.all(
      Array.from({ length: 16 }, () => sizeOf(`${url}/v1/claims/${id}`, { Authorization })),
    )
    for (const size of sizes) assert.ok(size > 57_000_000, `${size} bytes`)
    assert.ok((await grown()) < 400, `${await grown()} MiB more`)
  })

  test('that clients do not read is not buffered, and other requests are answered in bounded memory', async (t) => {
    const { api, url, sql, Authorization, grown } = await startServer(t)
    const { id } = await newClaim(api)
    await fillLog(sql, id, 228, 250_000)
    for (let n = 0; n < 60; n++) {
      const unread = await connectRaw(t, url, { reads: false })
      unread.write(head('GET', `/v1/claims/${id}`, { Authorization }))
    }
    const { id: another } = await newClaim(api)
    for (let n = 0; n < 100; n++) {
      assert.equal((await api.post('/v1/events', { claim_id: another, type: 'a' })).status, 201)
    }
    assert.ok((await grown()) < 400, `${await grown()} MiB more`)
  })
})

test('a stop aborts a response by a reset, because HTTP/1.0 takes the end of the connection for the end of the response', async (t) => {
  const { api, url, sql, Authorization, end } = await startServer(t)
  const { id } = await newSchema(api)
  await addLargeSchemas(sql, id, 500)
  const { socket, write } = await connectRaw(t, url, { reads: false })
  write(`GET /v1/schemas HTTP/1.0\r\nHost: x\r\nAuthorization: ${Authorization}\r\n\r\n`)
  await eventually(async () => socket.bytesRead > 0)
  assert.equal(await end('SIGTERM'), 0)
  const ending = new Promise<string>((resolve) => {
    socket.on('end', () => resolve('an end'))
    socket.on('error', ({ message }) => resolve(message))
  })
  socket.resume()
  assert.equal(await ending, 'read ECONNRESET')
})
