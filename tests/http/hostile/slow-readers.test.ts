import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractWith } from '../../support/contracts.ts'
import { eventually } from '../../support/eventually.ts'
import { holdClaims, holdSchemas } from '../../support/held-rows.ts'
import { newClaim, newSchema } from '../../support/new-records.ts'
import { connectRaw, type RawConnection } from '../../support/raw-connection.ts'
import { head } from '../../support/raw-http.ts'
import { sharedService } from '../../support/shared.ts'
import { startTestService } from '../../support/test-service.ts'
import { assertAllPermits } from './assert-all-permits.ts'

/* Batches and simulations of slow clients delay only their own account. */

const service = await sharedService()

test('batches whose bodies do not arrive, or break off, hold no permit', async (t) => {
  const account = await service.newAccount()
  const { id } = await newClaim(account)
  const events = [{ claim_id: id, type: 'note' }]
  const top = head('POST', '/v1/events/batch', {
    Authorization: `Bearer ${account.token}`,
    'Content-Type': 'application/json',
    'Content-Length': 1_000,
  })
  const connections: RawConnection[] = []
  for (let n = 0; n < 64; n++) {
    const connection = await connectRaw(t, service.url)
    connection.write(`${top}{"events":[`)
    connections.push(connection)
  }
  const waiting = [0, 1].map(() => account.post('/v1/events/batch', { events }))
  const aborted = await connectRaw(t, service.url)
  aborted.write(`${top}{"events":[`)
  aborted.socket.resetAndDestroy()
  for (const [n, { socket }] of connections.entries()) n % 2 === 0 ? socket.resetAndDestroy() : socket.end()
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 200)
  await assertAllPermits(t, service, account)
})

test('at most four simulations of an account run at once, and other accounts do not wait', async (t) => {
  const [greedy, other] = [await service.newAccount(), await service.newAccount()]
  const simulation = { contract: contractWith(), events: [{ at: '2026-01-01T00:00:00Z', type: 'note' }] }
  const { id: schema_id } = await newSchema(greedy)
  const held = await holdSchemas(t, service.databaseUrl)
  const body = JSON.stringify({ ...simulation, contract: undefined, schema_id })
  const top = head('POST', '/v1/simulations', {
    Authorization: `Bearer ${greedy.token}`,
    'Content-Type': 'application/json',
    'Content-Length': body.length,
  })
  const connections: RawConnection[] = []
  for (let n = 0; n < 4; n++) {
    const connection = await connectRaw(t, service.url)
    connection.write(top + body)
    connections.push(connection)
  }
  await held.untilStatementsWait()
  // The schemas are read in batches, so the number of waiting locks is not four. This request is read after all four.
  assert.equal((await greedy.get('/v1/me')).status, 200)
  let isAnswered = false
  const waiting = greedy.post('/v1/simulations', simulation).finally(() => {
    isAnswered = true
  })
  assert.equal((await other.post('/v1/simulations', simulation)).status, 200)
  assert.equal(isAnswered, false)
  await held.release()
  for (const { receives } of connections) await receives(/^HTTP\/1\.1 200 /)
  assert.equal((await waiting).status, 200)
})

test('simulations whose bodies do not arrive hold no permit', async (t) => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => service.newAccount()))
  const other = await service.newAccount()
  const connections: RawConnection[] = []
  for (const account of [...accounts, other]) {
    const headers = { Authorization: `Bearer ${account.token}`, 'Content-Type': 'application/json' }
    for (let n = 0; n < 4; n++) {
      const connection = await connectRaw(t, service.url)
      connection.write(`${head('POST', '/v1/simulations', { ...headers, 'Content-Length': 10_000 })}{`)
      connections.push(connection)
    }
    assert.equal((await account.get('/v1/me')).status, 200)
  }
  const simulation = { contract: contractWith(), events: [{ at: '2026-01-01T00:00:00Z', type: 'note' }] }
  assert.equal((await other.post('/v1/simulations', simulation)).status, 200)
  for (const { socket } of connections) assert.ok(!socket.destroyed, 'the simulations were not aborted')
})

test('batches that wait for a permit when the server stops are refused, and nothing of them is recorded', async (t) => {
  const ends: (() => Promise<unknown>)[] = []
  const other = await startTestService(
    { after: (end) => void ends.push(end) },
    { databaseUrl: service.databaseUrl },
  )
  const account = other.clientWith((await service.newAccount()).token)
  const { id } = await newClaim(account)
  const held = await holdClaims(t, service.databaseUrl, [id])
  const send = async (bytes: number) => {
    const body = JSON.stringify({ events: [{ claim_id: id, type: 'note', text: 'x'.repeat(bytes) }] })
    const connection = await connectRaw(t, other.url)
    const headers = {
      Authorization: `Bearer ${account.token}`,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    }
    connection.write(head('POST', '/v1/events/batch', headers) + body)
    return connection
  }
  for (let n = 0; n < 64; n++) await send(10)
  await eventually(async () => other.app.submissions.waiting === 64)
  const waiting = [await send(10), await send(10_000)]
  assert.equal((await account.get('/v1/me')).status, 200)
  const stopped = Promise.all(ends.map((end) => end()))
  for (const { receives } of waiting) await receives(/^HTTP\/1\.1 503 .*The server is stopping\./s)
  await held.release()
  await stopped
})
