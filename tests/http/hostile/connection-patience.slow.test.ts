import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../support/eventually.ts'
import { exchangeLines } from '../../support/line-exchange.ts'
import { newClaim } from '../../support/new-records.ts'
import { connectRaw } from '../../support/raw-connection.ts'
import { startTestService } from '../../support/test-service.ts'

/* How long a connection may keep the server waiting, and that the server is then rid of it. */

const MIB = 1024 * 1024
const { api, databaseUrl } = await startTestService({ after })
const hasty = await startTestService({ after }, { databaseUrl, patience: { headersMs: 700, bodyMs: 700 } })
const authorization = `Bearer ${api.token}`

describe('a head that does not arrive in time', () => {
  test('of hundreds of connections leaves none behind', async (t) => {
    const service = await startTestService(t, {
      databaseUrl,
      patience: { headersMs: 700 },
    })
    const connections = await Promise.all(Array.from({ length: 300 }, () => connectRaw(t, service.url)))
    for (const connection of connections) connection.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    for (const connection of connections) await connection.isClosed()
    await eventually(async () => (await service.openConnections()) === 0)
  })
})

describe('a stream of lines', () => {
  test('may last longer than any body, as long as it moves', async () => {
    const { id } = await newClaim(api)
    const exchange = exchangeLines(hasty.clientWith(api.token), '/v1/events/batch')
    const begun = performance.now()
    for (let n = 0; performance.now() - begun < 2_500; n++) {
      await exchange.send(`${JSON.stringify({ claim_id: id, id: `${n}`, type: 'a' })}\n`)
      assert.equal((await exchange.next()).status, 201)
    }
    assert.deepEqual(await exchange.rest(), [])
  })
})

describe('an answer that is not read', () => {
  test('is sent whole to who reads it slowly', async (t) => {
    const service = await startTestService(t, {
      databaseUrl,
      patience: { answerMs: 8_000 },
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
