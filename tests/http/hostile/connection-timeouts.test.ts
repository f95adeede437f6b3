import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { eventually } from '../../support/eventually.ts'
import { fillLog } from '../../support/large-records.ts'
import { newClaim } from '../../support/new-records.ts'
import { connectRaw } from '../../support/raw-connection.ts'
import { head } from '../../support/raw-http.ts'
import { sharedService } from '../../support/shared.ts'
import { startTestService } from '../../support/test-service.ts'

/* How long a connection may keep the server waiting, and that the server is then rid of it. */
const patient = await sharedService()
const { api, databaseUrl } = patient
/** Tests reach it by connections of their own alone. */
const hasty = await startTestService(
  { after },
  { databaseUrl, timeouts: { headersMs: 700, bodyMs: 700, responseMs: 700 }, withoutAccount: true },
)
const authorization = `Bearer ${api.token}`

describe('a head that does not arrive in time', () => {
  test('answers 400, and the connection is closed although the client keeps its side open', async (t) => {
    const connection = await connectRaw(t, hasty.url)
    connection.write('GET /v1/claims HTTP/1.1\r\nHost: x\r\n')
    await connection.receives(/^HTTP\/1\.1 400 .*VALIDATION_ERROR/s)
    await connection.isClosed()
    // What has no owner any more is reset, rather than waited for in FIN-WAIT-2.
    await eventually(async () => {
      connection.write('x')
      return connection.socket.destroyed
    })
  })
})

test('a connection that sends nothing in time is closed without a response, because a browser may be about to use it', async (t) => {
  const connection = await connectRaw(t, hasty.url)
  await connection.isClosed()
  assert.equal(connection.read(), '')
})

describe('a body that does not arrive in time', () => {
  const top = head('POST', '/v1/customers', {
    Authorization: authorization,
    'Content-Type': 'application/json',
    'Content-Length': 500,
  })

  test('answers 400, and the connection is closed', async (t) => {
    const connection = await connectRaw(t, hasty.url)
    connection.write(`${top}{"external_id"`)
    await connection.receives(/^HTTP\/1\.1 400 .*did not arrive in time/s)
    await connection.isClosed()
  })

  test('of a refused request causes no second response', async (t) => {
    const connection = await connectRaw(t, hasty.url)
    connection.write(top.replace(authorization, 'Bearer unknown'))
    await connection.receives(/^HTTP\/1\.1 401 /)
    await connection.isClosed()
    assert.equal(connection.read().match(/HTTP\/1\.1/g)?.length, 1)
  })
})

test('a body in chunks of one byte is read whole', async (t) => {
  const headers = { Authorization: authorization, 'Transfer-Encoding': 'chunked' }
  const connection = await connectRaw(t, patient.url)
  const chunks = [...`{"events":[${' '.repeat(30_000)}]}`].map((byte) => `1\r\n${byte}\r\n`)
  const top = head('POST', '/v1/events/batch', { ...headers, 'Content-Type': 'application/json' })
  connection.write(`${top}${chunks.join('')}0\r\n\r\n`)
  await connection.receives(/^HTTP\/1\.1 400 .*"path":"events"/s)
})

describe('a response that is not read', () => {
  test('is aborted when it makes no progress', async (t) => {
    const { id } = await newClaim(api)
    // More than the system keeps for a connection.
    await fillLog(hasty.sql, id, 48, 250 * 1024)
    t.after(() => hasty.sql('DELETE FROM claim_events WHERE claim_id = $1', [id]))
    const unread = await connectRaw(t, hasty.url, { reads: false })
    unread.write(head('GET', `/v1/claims/${id}`, { Authorization: authorization }))
    await eventually(async () => unread.socket.bytesRead > 0)
    await eventually(async () => hasty.clientPorts.size === 0)
    // HTTP/1.0 would take an end for the end of the response.
    const ending = new Promise<string>((resolve) => {
      unread.socket.on('end', () => resolve('an end'))
      unread.socket.on('error', ({ message }) => resolve(message))
    })
    unread.socket.resume()
    assert.equal(await ending, 'read ECONNRESET')
  })
})
