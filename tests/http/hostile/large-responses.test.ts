import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { contractWith } from '../../support/contracts.ts'
import { eventually } from '../../support/eventually.ts'
import { addLargeSchemas, fillLog, largeContract } from '../../support/large-records.ts'
import { newClaim, newCustomer, newSchema } from '../../support/new-records.ts'
import { connectRaw } from '../../support/raw-connection.ts'
import { head } from '../../support/raw-http.ts'
import { sharedService } from '../../support/shared.ts'
import { startTestService } from '../../support/test-service.ts'

/* A streamed response is complete, or its connection is aborted. */

const shared = await sharedService()

describe('all schemas of an account', () => {
  test('are listed once each, in the order of creation', async () => {
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
  test('with many and long events has each event once, in order', async () => {
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
})

test('a page of long contracts has the order and cursor of the list', async () => {
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

test('a contract is returned byte for byte as in the response to its creation, short or long', async () => {
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

test('a failure in the middle aborts the connection, so that no part is taken for the whole', async (t) => {
  const { api, sql, url } = await startTestService(t)
  const { id } = await newSchema(api)
  // More than the buffers of a connection hold.
  await addLargeSchemas(sql, id, 300)
  const slow = await connectRaw(t, url, { reads: false })
  slow.write(head('GET', '/v1/schemas', { Authorization: `Bearer ${api.token}` }))
  await eventually(async () => slow.socket.bytesRead > 0)
  await sql('ALTER TABLE claim_schemas RENAME TO lost')
  let text = ''
  slow.socket.on('data', (chunk) => {
    text = (text + chunk).slice(-20)
  })
  slow.socket.resume()
  await slow.isClosed()
  assert.doesNotMatch(text, /0\r\n\r\n$/)
  assert.equal((await api.get('/healthz')).status, 200)
})
