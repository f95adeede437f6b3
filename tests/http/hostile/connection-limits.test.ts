import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { eventually } from '../../support/eventually.ts'
import { holdClaims } from '../../support/held-rows.ts'
import { newClaim } from '../../support/new-records.ts'
import { connectRaw } from '../../support/raw-connection.ts'
import { head } from '../../support/raw-http.ts'
import { sharedService } from '../../support/shared.ts'
import { startTestService } from '../../support/test-service.ts'

/* How many connections there may be, and how many requests may wait on one. */

const service = await sharedService()
const { api, databaseUrl } = service
/** With room for ten. */
const small = await startTestService({ after }, { databaseUrl, maxConnections: 10 })
const Authorization = `Bearer ${api.token}`
const answersIn = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

describe('pipelined requests', () => {
  test('are answered in their order', async (t) => {
    const connection = await connectRaw(t, service.url)
    const paths = ['/healthz', '/nowhere', '/v1/claims', '/readyz', '/openapi.json', '/healthz']
    connection.write(paths.map((path) => head('GET', path, {})).join(''))
    await connection.receives(/(HTTP.*){6}alive"}$/s)
    assert.deepEqual(answersIn(connection.read()), [200, 404, 401, 200, 200, 200])
  })

  test('are processed one at a time', async (t) => {
    const [first, second] = [await newClaim(api), await newClaim(api)]
    const held = await holdClaims(t, databaseUrl, [first.id])
    const connection = await connectRaw(t, service.url)
    for (const { id } of [first, second]) {
      const body = JSON.stringify({ claim_id: id, type: 'a' })
      const headers = { Authorization, 'Content-Type': 'application/json', 'Content-Length': body.length }
      connection.write(head('POST', '/v1/events', headers) + body)
    }
    await held.untilStatementsWait()
    assert.deepEqual((await api.readClaim(second.id)).events, [])
    await held.release()
    await connection.receives(/(HTTP.*){2}/s)
    assert.deepEqual(answersIn(connection.read()), [201, 201])
  })

  test('close the connection if more than 32 are queued', async (t) => {
    const connection = await connectRaw(t, service.url)
    connection.write(head('GET', '/v1/claims', { Authorization }).repeat(200))
    await connection.isClosed()
    assert.ok(answersIn(connection.read()).length <= 1, 'the request in progress')
  })

  test('before malformed HTTP are answered first', async (t) => {
    const { id } = await newClaim(api)
    const held = await holdClaims(t, databaseUrl, [id])
    const connection = await connectRaw(t, service.url)
    const body = JSON.stringify({ claim_id: id, type: 'a' })
    const headers = { Authorization, 'Content-Type': 'application/json', 'Content-Length': body.length }
    connection.write(
      `${head('POST', '/v1/events', headers)}${body}${head('GET', '/healthz', {})}GARBAGE\r\n\r\n`,
    )
    await held.untilStatementsWait()
    assert.equal(connection.read(), '')
    await held.release()
    await connection.isClosed()
    assert.deepEqual(answersIn(connection.read()), [201, 200, 400])
  })
})

describe('connections', () => {
  beforeEach(() => eventually(async () => small.clientPorts.size === 0))

  test('that are idle are closed for new connections, the oldest first', async (t) => {
    const idle = []
    for (let n = 0; n < 10; n++)
      idle.push(await connectRaw(t, small.url, { localAddress: `127.0.0.${2 + n}` }))
    const another = await connectRaw(t, small.url, { localAddress: '127.0.0.50' })
    another.write(head('GET', '/healthz', {}))
    await another.receives(/^HTTP\/1\.1 200/)
    await idle[0]?.isClosed()
    idle[1]?.write(head('GET', '/healthz', {}))
    await idle[1]?.receives(/^HTTP\/1\.1 200/)
  })

  test('that are all busy are kept, and a new connection is answered 503 at once', async (t) => {
    const { id } = await newClaim(api)
    const held = await holdClaims(t, databaseUrl, [id])
    for (let n = 0; n < 10; n++) {
      const busy = await connectRaw(t, small.url, { localAddress: `127.0.0.${2 + n}` })
      const body = JSON.stringify({ claim_id: id, type: 'a' })
      const headers = { Authorization, 'Content-Type': 'application/json', 'Content-Length': body.length }
      busy.write(head('POST', '/v1/events', headers) + body)
    }
    await held.untilStatementsWait()
    await eventually(async () => small.clientPorts.size === 10)
    const refused = await connectRaw(t, small.url)
    await refused.receives(/^HTTP\/1\.1 503 .*Retry-After: 2.*"UNAVAILABLE"/s)
    await refused.isClosed()
    await held.release()
  })

  test('of one address are at most half of all; a trusted proxy may have all', async (t) => {
    const open = async (url: string) => {
      const connections = []
      for (let n = 0; n < 6; n++) connections.push(await connectRaw(t, url))
      connections[5]?.write(head('GET', '/healthz', {}))
      await connections[5]?.receives(/^HTTP\/1\.1 200/)
      return connections[0]
    }
    await (await open(small.url))?.isClosed()
    const proxied = await startTestService(t, {
      databaseUrl,
      maxConnections: 10,
      trustedProxies: '127.0.0.1',
    })
    const first = await open(proxied.url)
    first?.write(head('GET', '/healthz', {}))
    await first?.receives(/^HTTP\/1\.1 200/)
  })
})
