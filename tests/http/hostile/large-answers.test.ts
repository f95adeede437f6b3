import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import pg from 'pg'
import { ApiClient } from '../../support/api-client.ts'
import { Conformance } from '../../support/conformance.ts'
import { contractWith } from '../../support/contracts.ts'
import { eventually } from '../../support/eventually.ts'
import { addLargeSchemas, fillLog, largeContract, sqlOf } from '../../support/large-records.ts'
import { newClaim, newCustomer, newSchema } from '../../support/new-records.ts'
import { processMemory } from '../../support/process-memory.ts'
import { connectRaw } from '../../support/raw-connection.ts'
import { head } from '../../support/raw-http.ts'
import { startServeProcess } from '../../support/serve-process.ts'
import { createTestDatabase, type Scope } from '../../support/test-database.ts'
import { startTestService } from '../../support/test-service.ts'

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
  const document = await (await fetch(`${server.url}/openapi.json`)).json()
  const api = new ApiClient(server.url, server.token, new Conformance(document))
  const before = await processMemory(server.child)
  return {
    ...server,
    api,
    sql: sqlOf(database),
    Authorization: `Bearer ${server.token}`,
    /** MiB that the process has taken since. */
    grown: async () => ((await processMemory(server.child)) - before) / MIB,
  }
}

/** For what is only read: an account of a service that many have. */
const shared = await startTestService({ after })

/** The bytes of an answer, as they come. */
async function sizeOf(url: string, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(url, { headers })
  assert.equal(answer.status, 200)
  let bytes = 0
  for await (const chunk of answer.body ?? []) bytes += chunk.length
  return bytes
}

describe('all schemas of an account', () => {
  test('are answered whole, many and large as they are, in little memory', async (t) => {
    const { api, url, sql, Authorization, grown } = await startServer(t)
    const { id } = await newSchema(api)
    await addLargeSchemas(sql, id, 1_500)
    const sizes = await Promise.all([1, 2].map(() => sizeOf(`${url}/v1/schemas`, { Authorization })))
    for (const size of sizes) assert.ok(size > 1_500 * 65_000, `${size} bytes`)
    assert.ok((await grown()) < 300, `${await grown()} MiB more`)
  })

  test('are in the order of their creation, each once', async () => {
    const api = await shared.newAccount()
    const ids: string[] = []
    for (let n = 0; n < 30; n++) {
      const contract = n % 3 === 0 ? largeContract(n) : contractWith({ price: n })
      ids.push((await api.post('/v1/schemas', { contract })).body.id)
    }
    const { body } = await api.get('/v1/schemas')
    assert.deepEqual(
      body.data.map((schema: { id: string }) => schema.id),
      ids,
    )
  })
})

describe('the log of a claim', () => {
  test('of 57 MB is answered sixteen times at once, in little memory', async (t) => {
    const { api, url, sql, Authorization, grown } = await startServer(t)
    const { id } = await newClaim(api)
    await fillLog(sql, id, 228, 250_000)
    const sizes = await Promise.all(
      Array.from({ length: 16 }, () => sizeOf(`${url}/v1/claims/${id}`, { Authorization })),
    )
    for (const size of sizes) assert.ok(size > 57_000_000, `${size} bytes`)
    assert.ok((await grown()) < 400, `${await grown()} MiB more`)
  })

  test('of many and of long events has each once, in its order', async () => {
    const api = await shared.newAccount()
    const { id } = await newClaim(api)
    await fillLog(shared.sql, id, 1_000, 20)
    for (const [n, length] of [5_000, 0, 250_000, 4_096, 10].entries()) {
      const event = { claim_id: id, id: `sent-${n}`, type: 'a', value: 'é'.repeat(length / 2), n }
      assert.equal((await api.post('/v1/events', event)).status, 201)
    }
    const { events } = await api.readClaim(id)
    const expected = [
      ...Array.from({ length: 1_000 }, (_, n) => `event-${n + 1}`),
      ...[0, 1, 2, 3, 4].map((n) => `sent-${n}`),
    ]
    assert.deepEqual(
      events.map((event: { id: string }) => event.id),
      expected,
    )
    assert.deepEqual(
      events.slice(-5).map((event: { value: string }) => event.value.length),
      [2_500, 0, 125_000, 2_048, 5],
    )
  })

  test('that nobody reads is kept for none: others are answered, in little memory', async (t) => {
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

test('a page of long contracts is a page, and its order and cursor are those of the list', async () => {
  const api = await shared.newAccount()
  const customer = await newCustomer(api)
  const ids: string[] = []
  for (let n = 0; n < 25; n++) {
    const contract = n % 2 === 0 ? largeContract(n) : contractWith({ price: n })
    ids.push((await api.claim(customer.id, contract)).id)
  }
  const first = (await api.get('/v1/claims?limit=20')).body
  const second = (await api.get(`/v1/claims?limit=20&after=${first.next_cursor}`)).body
  const seen = [...first.data, ...second.data]
  assert.deepEqual(
    seen.map(({ id }) => id),
    ids,
  )
  assert.equal(seen[4].contract.fulfillment_condition.match.slice(0, 2), '4 ')
  assert.deepEqual([first.next_cursor, second.next_cursor], [ids[19], null])
})

test('a contract is read byte by byte as it was answered to who created it, short or long', async () => {
  const { url } = shared
  const api = await shared.newAccount()
  const Authorization = `Bearer ${api.token}`
  const customer = await newCustomer(api)
  const odd = {
    'é "\\\u2028': ['\u0001\n', 1e21, 0.1, -1.5e-7, true, null, {}, []],
    2: '',
    1: { z: 1, a: 2 },
  }
  const textOf = async (path: string) => (await fetch(url + path, { headers: { Authorization } })).text()
  for (const long of ['', 'x'.repeat(60_000)]) {
    const contract = contractWith({ fulfillment_condition: { event: 'done', match: { ...odd, long } } })
    const body = JSON.stringify({ customer_id: customer.id, contract })
    const headers = { Authorization, 'Content-Type': 'application/json' }
    const created = await (await fetch(`${url}/v1/claims`, { method: 'POST', headers, body })).text()
    const claim = JSON.parse(created)
    assert.deepEqual(claim.contract, contract)
    assert.equal(await textOf(`/v1/claims/${claim.id}`), created)
    const list = await textOf('/v1/claims?order=desc&limit=1')
    const { events: _, ...listed } = claim
    assert.equal(list, JSON.stringify({ data: [listed], next_cursor: JSON.parse(list).next_cursor }))
  }
})

test('a failure in the middle breaks the connection: no part is taken for the whole', async (t) => {
  const { api, url, sql, Authorization } = await startServer(t)
  const { id } = await newSchema(api)
  await addLargeSchemas(sql, id, 500)
  const slow = await connectRaw(t, url, { reads: false })
  slow.write(head('GET', '/v1/schemas', { Authorization }))
  await eventually(async () => slow.socket.bytesRead > 0)
  await sql('ALTER TABLE claim_schemas RENAME TO lost')
  let text = ''
  slow.socket.on('data', (chunk) => (text = (text + chunk).slice(-20)))
  slow.socket.resume()
  await slow.isClosed()
  assert.doesNotMatch(text, /0\r\n\r\n$/)
  assert.equal((await api.get('/healthz')).status, 200)
})

test('a stop breaks it off by a reset: to HTTP/1.0 an end would be that of the answer', async (t) => {
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
