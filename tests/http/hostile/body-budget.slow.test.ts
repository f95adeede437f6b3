import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import type { ApiClient } from '../../support/api-client.ts'
import { assertError } from '../../support/assert-error.ts'
import { eventually } from '../../support/eventually.ts'
import { newClaim } from '../../support/new-records.ts'
import { connectRaw, type RawConnection } from '../../support/raw-connection.ts'
import { head } from '../../support/raw-http.ts'
import { startTestService } from '../../support/test-service.ts'

/* Senders of large bodies that do not arrive make room for others after some seconds. */

const MIB = 1024 * 1024
const service = await startTestService({ after })
const headersOf = (token: string | null, length: number) => ({
  Authorization: `Bearer ${token}`,
  'Content-Type': 'application/json',
  'Content-Length': length,
})

describe('large bodies that do not arrive', () => {
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

  test('of accounts that always send others give way as well, though none of them is old', async (t) => {
    const since = performance.now()
    const [last, ...accounts] = (await Promise.all(
      Array.from({ length: 5 }, () => service.newAccount()),
    )) as [ApiClient, ...ApiClient[]]
    let begun: Socket[] = []
    const beginAnew = async () => {
      for (const socket of begun) socket.destroy()
      begun = []
      for (const [n, account] of accounts.entries()) {
        // It is known whose token it is, and which connections were closed.
        assert.equal((await account.get('/v1/me')).status, 200)
        for (let count = [4, 2, 1, 1][n] as number; count > 0; count--) {
          const { socket, write } = await connectRaw(t, service.url)
          write(head('POST', '/v1/claims/batch', headersOf(account.token, 8 * MIB)))
          begun.push(socket)
        }
      }
      assert.equal((await last.get('/v1/me')).status, 200)
    }
    const { id } = await newClaim(last)
    const event = { claim_id: id, type: 'a', value: 'v'.repeat(200_000) }
    await beginAnew()
    assertError(await last.post('/v1/events', event), 503, 'UNAVAILABLE')
    await eventually(async () => {
      await beginAnew()
      return (await last.post('/v1/events', event)).status === 201
    })
    assert.ok(performance.now() - since > 3_000, 'not at once: they may be done soon')
  })
})

test('bodies that do not say how long they are leave room to whoever comes next', async (t) => {
  const greedy = [await service.newAccount(), await service.newAccount()]
  const other = await service.newAccount()
  for (const account of [...greedy, other]) assert.equal((await account.get('/v1/me')).status, 200)
  const { id } = await newClaim(other)
  const piece = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`
  const growing: RawConnection[] = []
  for (const account of greedy) {
    const { 'Content-Length': _, ...headers } = headersOf(account.token, 0)
    for (let n = 0; n < 5; n++) {
      const connection = await connectRaw(t, service.url)
      connection.write(
        head('POST', '/v1/events/batch', { ...headers, 'Transfer-Encoding': 'chunked' }) + piece(20_000),
      )
      growing.push(connection)
    }
  }
  await Promise.all(
    growing.map(
      ({ socket }) => new Promise((resolve) => socket.write(piece(Math.floor(6.9 * MIB)), resolve)),
    ),
  )
  for (let n = 0; n < 10; n++) {
    const event = { claim_id: id, type: 'a', value: 'v'.repeat(200_000) }
    assert.equal((await other.post('/v1/events', event)).status, 201)
  }
})
