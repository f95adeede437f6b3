import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../support/eventually.ts'
import { holdClaims } from '../../support/held-rows.ts'
import { exchangeLines } from '../../support/line-exchange.ts'
import { newClaim } from '../../support/new-records.ts'
import { connectRaw } from '../../support/raw-connection.ts'
import { head } from '../../support/raw-http.ts'
import { startTestService } from '../../support/test-service.ts'

/* How long a connection may keep the server waiting, and that the server is then rid of it. */

const MIB = 1024 * 1024
const { api, databaseUrl } = await startTestService({ after })
const hasty = await startTestService(
  { after },
  { databaseUrl, timeouts: { headersMs: 700, bodyMs: 700 }, withoutAccount: true },
)
/** Here something must be answered in time before something else is late. */
const lenient = await startTestService(
  { after },
  { databaseUrl, timeouts: { bodyMs: 4_000, streamMs: 4_000 }, withoutAccount: true },
)
const authorization = `Bearer ${api.token}`

describe('a head that does not arrive in time', () => {
  test('on hundreds of connections leaves no connection open', async (t) => {
    const connections = await Promise.all(Array.from({ length: 300 }, () => connectRaw(t, hasty.url)))
    for (const connection of connections) connection.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    for (const connection of connections) await connection.isClosed()
    await eventually(async () => hasty.clientPorts.size === 0)
  })
})

describe('a body that does not arrive in time', () => {
  test('because an earlier request is in progress does not time out', async (t) => {
    const claim = await newClaim(api)
    const held = await holdClaims(t, databaseUrl, [claim.id])
    const headers = { Authorization: authorization, 'Content-Type': 'application/json' }
    const event = JSON.stringify({ claim_id: claim.id, type: 'a' })
    // More than the server buffers unread.
    const customer = `{"external_id": "late", "name": null}${' '.repeat(900_000)}`
    const connection = await connectRaw(t, lenient.url)
    connection.write(head('POST', '/v1/events', { ...headers, 'Content-Length': event.length }) + event)
    connection.write(
      head('POST', '/v1/customers', { ...headers, 'Content-Length': customer.length }) + customer,
    )
    await held.untilStatementsWait()
    const late = await connectRaw(t, lenient.url)
    late.write(`${head('POST', '/v1/customers', { ...headers, 'Content-Length': 500 })}{"external_id"`)
    await late.isClosed()
    await held.release()
    await connection.receives(/^HTTP\/1\.1 201 .*HTTP\/1\.1 201 .*"external_id":"late"/s)
  })
})

describe('a stream of lines', { concurrency: true }, () => {
  test('without progress is aborted, without a second response in it', async (t) => {
    const connection = await connectRaw(t, lenient.url)
    const line = '{"type":"a"}\n'
    const headers = {
      Authorization: authorization,
      'Content-Type': 'application/x-ndjson',
      'Transfer-Encoding': 'chunked',
    }
    connection.write(`${head('POST', '/v1/events/batch', headers)}${line.length.toString(16)}\r\n${line}\r\n`)
    await connection.receives(/^HTTP\/1\.1 200 .*"status":400/s)
    await connection.isClosed()
    assert.equal(connection.read().match(/HTTP\/1\.1/g)?.length, 1)
    assert.doesNotMatch(connection.read(), /0\r\n\r\n$/, 'it must not look like an answer that is whole')
  })

  test('may take longer than the timeout of a body while it makes progress', async () => {
    const { id } = await newClaim(api)
    const exchange = exchangeLines(hasty.clientWith(api.token), '/v1/events/batch')
    const startedAt = performance.now()
    for (let n = 0; performance.now() - startedAt < 2_500; n++) {
      await exchange.send(`${JSON.stringify({ claim_id: id, id: `${n}`, type: 'a' })}\n`)
      assert.equal((await exchange.next()).status, 201)
    }
    assert.deepEqual(await exchange.rest(), [])
  })
})

describe('a response that is not read', () => {
  test('is sent whole if it is read slowly', async (t) => {
    const service = await startTestService(t, {
      databaseUrl,
      timeouts: { responseMs: 8_000 },
      withoutAccount: true,
    })
    const { id } = await newClaim(api)
    const value = 'v'.repeat(250 * 1024)
    for (let n = 0; n < 30; n++) await api.post('/v1/events', { claim_id: id, type: 'x', value })
    const response = await fetch(`${service.url}/v1/claims/${id}`, {
      headers: { Authorization: authorization },
    })
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      await pause(5)
    }
    assert.ok(bytes > 7 * MIB)
  })
})
