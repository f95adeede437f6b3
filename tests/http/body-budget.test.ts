import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { eventually } from '../support/eventually.ts'
import { newClaim, uniqueName } from '../support/new-records.ts'
import { connectRaw, type RawConnection } from '../support/raw-connection.ts'
import { head, sendRaw } from '../support/raw-http.ts'
import { startTestService } from '../support/test-service.ts'

/* Bodies that are on their way hold memory for as long as their senders please. */

const MIB = 1024 * 1024
const service = await startTestService({ after })
const { api } = service
const headersOf = (token: string | null, length: number) => ({
  Authorization: `Bearer ${token}`,
  'Content-Type': 'application/json',
  'Content-Length': length,
})

describe('large bodies that do not arrive', () => {
  test('are refused beyond 32 MiB of an account, before they are read; others are answered', async (t) => {
    const bytes = head('POST', '/v1/claims/batch', headersOf(api.token, 8 * MIB))
    const begun: RawConnection[] = []
    for (let n = 0; n < 5; n++) {
      const connection = await connectRaw(t, service.url)
      connection.write(bytes)
      begun.push(connection)
    }
    const isRefused = (connection: RawConnection) => /^HTTP\/1\.1 503 .*UNAVAILABLE/s.test(connection.read())
    await eventually(async () => begun.some(isRefused))
    assert.equal(begun.filter(isRefused).length, 1)
    assertError(await sendRaw(service.url, bytes), 503, 'UNAVAILABLE')
    assert.equal((await api.post('/v1/customers', { external_id: uniqueName() })).status, 201)
    const other = await service.newAccount()
    const { id } = await newClaim(other)
    const event = { claim_id: id, type: 'a', value: 'v'.repeat(200_000) }
    assert.equal((await other.post('/v1/events', event)).status, 201)

    for (const { socket } of begun) socket.destroy()
    const value = 'v'.repeat(200_000)
    const { id: own } = await newClaim(api)
    await eventually(
      async () => (await api.post('/v1/events', { claim_id: own, type: 'a', value })).status === 201,
    )
  })

  test('of accounts that fill all the room give way, after a while, to who has less', async (t) => {
    const isOpen = ({ socket, read }: RawConnection) => !socket.destroyed && read() === ''
    const begin = async (account: ApiClient, count: number) => {
      const connections: RawConnection[] = []
      for (let n = 0; n < count; n++) {
        // Its token is known, so that what is sent is let in before what comes after it.
        assert.equal((await account.get('/v1/me')).status, 200)
        const connection = await connectRaw(t, service.url)
        connection.write(head('POST', '/v1/claims/batch', headersOf(account.token, 8 * MIB)))
        connections.push(connection)
      }
      assert.equal((await account.get('/v1/me')).status, 200)
      assert.equal(connections.filter(isOpen).length, count)
      return connections
    }
    const [a, b, c, d, last] = (await Promise.all(Array.from({ length: 5 }, () => service.newAccount()))) as [
      ApiClient,
      ApiClient,
      ApiClient,
      ApiClient,
      ApiClient,
    ]
    const greedy = await begin(a, 4)
    const others = [...(await begin(b, 2)), ...(await begin(c, 1)), ...(await begin(d, 1))]
    const { id } = await newClaim(last)
    const event = { claim_id: id, type: 'a', value: 'v'.repeat(200_000) }
    await eventually(async () => (await last.post('/v1/events', event)).status === 201)
    assert.deepEqual([greedy.filter(isOpen).length, others.filter(isOpen).length], [3, 4])
  })

  test('of strangers have 16 KiB at most', async () => {
    for (const path of ['/api/auth/sign-in/email', '/api/auth/sign-up/email']) {
      const answer = await sendRaw(service.url, head('POST', path, headersOf(null, 16 * 1024 + 1)))
      assertError(answer, 413, 'PAYLOAD_TOO_LARGE')
      assert.match(answer.body.error.message, /16 KiB/)
    }
  })
})

test('a body that does not say how long it is, is taken whole', async () => {
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
