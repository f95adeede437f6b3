import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import type { ApiClient } from '../../support/api-client.ts'
import { eventually } from '../../support/eventually.ts'
import { newClaim } from '../../support/new-records.ts'
import { connectRaw, type RawConnection } from '../../support/raw-connection.ts'
import { head } from '../../support/raw-http.ts'
import { startTestService } from '../../support/test-service.ts'

/* Large bodies that do not arrive are aborted after some seconds. */

const MIB = 1024 * 1024
const service = await startTestService({ after })
const headersOf = (token: string | null, length: number) => ({
  Authorization: `Bearer ${token}`,
  'Content-Type': 'application/json',
  'Content-Length': length,
})

describe('large bodies that do not arrive', () => {
  test('of accounts that fill the budget are cut off after a while, in favour of accounts with less', async (t) => {
    const isOpen = ({ socket, read }: RawConnection) => !socket.destroyed && read() === ''
    const openAll = async (account: ApiClient, count: number, bytes: number) => {
      const connections: RawConnection[] = []
      for (let n = 0; n < count; n++) {
        // Caches the token, so that the connections are admitted in order.
        assert.equal((await account.get('/v1/me')).status, 200)
        const connection = await connectRaw(t, service.url)
        connection.write(head('POST', '/v1/claims/batch', headersOf(account.token, bytes)))
        connections.push(connection)
      }
      assert.equal((await account.get('/v1/me')).status, 200)
      assert.equal(connections.filter(isOpen).length, count)
      return connections
    }
    // Each account gets half of what is left.
    const sizes = [8, 4, 2, 1, 0.5, 0.25, 0.125, 0.0625].map((mib) => mib * MIB)
    const held: RawConnection[][] = []
    for (const bytes of sizes) held.push(await openAll(await service.newAccount(), 4, bytes))
    const last = await service.newAccount()
    const { id } = await newClaim(last)
    const event = { claim_id: id, type: 'a', value: 'v'.repeat(200_000) }
    await eventually(async () => (await last.post('/v1/events', event)).status === 201)
    assert.deepEqual(
      held.map((connections) => connections.filter(isOpen).length),
      [3, 4, 4, 4, 4, 4, 4, 4],
    )
  })

  test('of few accounts leave part of the budget to others, however often they are sent again', async (t) => {
    const [last, ...accounts] = (await Promise.all(
      Array.from({ length: 5 }, () => service.newAccount()),
    )) as [ApiClient, ...ApiClient[]]
    const { id } = await newClaim(last)
    const event = { claim_id: id, type: 'a', value: 'v'.repeat(200_000) }
    let sockets: Socket[] = []
    for (let round = 0; round < 3; round++) {
      for (const socket of sockets) socket.destroy()
      sockets = []
      for (const account of accounts) {
        for (let n = 0; n < 4; n++) {
          const { socket, write } = await connectRaw(t, service.url)
          write(head('POST', '/v1/claims/batch', headersOf(account.token, 8 * MIB)))
          sockets.push(socket)
        }
        assert.equal((await account.get('/v1/me')).status, 200)
      }
      assert.equal((await last.post('/v1/events', event)).status, 201)
    }
  })
})

test('bodies without Content-Length leave part of the budget to later requests', async (t) => {
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
