import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { eventually } from '../../support/eventually.ts'
import { newClaim, uniqueName } from '../../support/new-records.ts'
import { connectRaw, type RawConnection } from '../../support/raw-connection.ts'
import { head, sendRaw } from '../../support/raw-http.ts'
import { sharedService } from '../../support/shared.ts'

/* Bodies that arrive slowly hold memory. */

const MIB = 1024 * 1024
const service = await sharedService()
const { api } = service
const headersOf = (token: string | null, length: number) => ({
  Authorization: `Bearer ${token}`,
  'Content-Type': 'application/json',
  'Content-Length': length,
})

test('a body whose Content-Length exceeds every limit answers 413 without Retry-After', async () => {
  for (const length of [64 * MIB + 1, 99_999_999_999]) {
    const answer = await sendRaw(service.url, head('POST', '/v1/claims/batch', headersOf(api.token, length)))
    assertError(answer, 413, 'PAYLOAD_TOO_LARGE')
    assert.equal(answer.headers.get('retry-after'), null)
  }
})

describe('large bodies that do not arrive', () => {
  test('are refused beyond 32 MiB of an account before they are read, and other accounts are answered', async (t) => {
    const bytes = head('POST', '/v1/claims/batch', headersOf(api.token, 8 * MIB))
    const connections: RawConnection[] = []
    for (let n = 0; n < 5; n++) {
      const connection = await connectRaw(t, service.url)
      connection.write(bytes)
      connections.push(connection)
    }
    const isRefused = (connection: RawConnection) => /^HTTP\/1\.1 503 .*UNAVAILABLE/s.test(connection.read())
    await eventually(async () => connections.some(isRefused))
    assert.equal(connections.filter(isRefused).length, 1)
    assertError(await sendRaw(service.url, bytes), 503, 'UNAVAILABLE')
    assert.equal((await api.post('/v1/customers', { external_id: uniqueName() })).status, 201)
    const other = await service.newAccount()
    const { id } = await newClaim(other)
    const event = { claim_id: id, type: 'a', value: 'v'.repeat(200_000) }
    assert.equal((await other.post('/v1/events', event)).status, 201)

    for (const { socket } of connections) socket.destroy()
    const value = 'v'.repeat(200_000)
    const { id: own } = await newClaim(api)
    await eventually(
      async () => (await api.post('/v1/events', { claim_id: own, type: 'a', value })).status === 201,
    )
  })

  test('are read to their end after a refusal, so that the connection stays open', async (t) => {
    const { socket, write, read } = await connectRaw(t, service.url)
    const bytes = 2 * MIB
    write(head('POST', '/v1/claims/batch', headersOf('unknown', bytes)))
    write('x'.repeat(bytes))
    write(head('GET', '/v1/me', headersOf(api.token, 0)))
    await eventually(async () => /401 .*\r\n\r\n.*HTTP\/1\.1 200 /s.test(read()))
    assert.ok(!socket.destroyed)
  })

  test('in small chunks are also read to their end after a refusal', async (t) => {
    const { socket, write, read, receives } = await connectRaw(t, service.url)
    const { 'Content-Length': _, ...headers } = headersOf('unknown', 0)
    write(head('POST', '/v1/claims', { ...headers, 'Transfer-Encoding': 'chunked' }))
    await receives(/^HTTP\/1\.1 401 /)
    write(`${'1\r\nx\r\n'.repeat(5_000)}0\r\n\r\n${head('GET', '/v1/me', headersOf(api.token, 0))}`)
    await eventually(async () => /HTTP\/1\.1 200 /.test(read()))
    assert.ok(!socket.destroyed)
  })

  test('without a valid token have 16 KiB at most', async () => {
    for (const path of ['/api/auth/sign-in/email', '/api/auth/sign-up/email']) {
      const answer = await sendRaw(service.url, head('POST', path, headersOf(null, 16 * 1024 + 1)))
      assertError(answer, 413, 'PAYLOAD_TOO_LARGE')
      assert.match(answer.body.error.message, /16 KiB/)
    }
  })
})

test('a body without Content-Length is read whole', async () => {
  const { id } = await newClaim(api)
  const event = JSON.stringify({ claim_id: id, type: 'a', value: 'v'.repeat(200_000) })
  const half = event.length / 2
  const chunks = [event.slice(0, half), event.slice(half)].map(
    (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
  )
  const { 'Content-Length': _, ...headers } = headersOf(api.token, 0)
  const top = head('POST', '/v1/events', { ...headers, 'Transfer-Encoding': 'chunked' })
  assert.equal((await sendRaw(service.url, `${top}${chunks.join('')}0\r\n\r\n`)).status, 201)
})
