import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { ApiClient } from '../../support/api-client.ts'
import { eventually } from '../../support/eventually.ts'
import { holdTokens } from '../../support/held-rows.ts'
import { largeContract } from '../../support/large-records.ts'
import { newClaim, newCustomer } from '../../support/new-records.ts'
import { connectRaw, type RawConnection } from '../../support/raw-connection.ts'
import { head } from '../../support/raw-http.ts'
import { startTestService } from '../../support/test-service.ts'
import { assertAllPermits } from './assert-all-permits.ts'

/* Responses that are read slowly or not at all do not slow other accounts down. */

const MIB = 1024 * 1024
const service = await startTestService({ after })

/** An account with a claim whose contract makes each response long. */
async function newAccountWithLongResponses(): Promise<{ account: ApiClient; claimId: string }> {
  const account = await service.newAccount()
  const { id } = await newCustomer(account)
  const claim = await account.claim(id, largeContract())
  return { account, claimId: claim.id }
}

/** Sends a batch and does not read the response. */
async function sendUnread(t: TestContext, account: ApiClient, events: object[]): Promise<RawConnection> {
  const connection = await connectRaw(t, service.url, { reads: false })
  const body = JSON.stringify({ events })
  const headers = { Authorization: `Bearer ${account.token}`, 'Content-Type': 'application/json' }
  connection.write(head('POST', '/v1/events/batch', { ...headers, 'Content-Length': body.length }) + body)
  return connection
}

const countEvents = async (account: ApiClient, claimId: string) =>
  (await account.readClaim(claimId)).events.length

test('two accounts that do not read the responses to full batches delay heavy requests of others by seconds at most', async (t) => {
  for (const bytes of [7.5 * MIB, 2.5 * MIB]) {
    const { account, claimId } = await newAccountWithLongResponses()
    const lists = Array.from({ length: bytes / 300 / 3 }, () => [])
    const event = { claim_id: claimId, type: 'note', lists }
    await sendUnread(t, account, Array(300).fill(event))
    await eventually(async () => (await countEvents(account, claimId)) === 300)
  }
  const { api } = service
  const { id } = await newClaim(api)
  const heavy = { claim_id: id, type: 'note', lists: Array.from({ length: 60_000 }, () => []) }
  assert.equal((await api.post('/v1/events', heavy)).status, 201)
})

/** The response exceeds the buffers of a connection, and the events of 64 batches fit into the queue. */
const EVENTS_PER_BATCH = 70

test('at most 64 batches of an account that reads no responses are started', async (t) => {
  const { account, claimId } = await newAccountWithLongResponses()
  const event = { claim_id: claimId, type: 'note' }
  const before = service.clientPorts.size
  const sent = await Promise.all(
    Array.from({ length: 80 }, () => sendUnread(t, account, Array(EVENTS_PER_BATCH).fill(event))),
  )
  await eventually(async () => (await countEvents(account, claimId)) >= 64 * EVENTS_PER_BATCH)
  const { id } = await newClaim(service.api)
  const other = await service.api.post('/v1/events/batch', { events: [{ claim_id: id, type: 'note' }] })
  assert.equal(other.status, 200)
  const started = (await countEvents(account, claimId)) / EVENTS_PER_BATCH
  // On a slow machine the first batches exceed their timeout and are aborted. A few connections belong to the clients.
  const cut = Math.max(0, before + sent.length - service.clientPorts.size)
  assert.ok(started <= 64 + cut + 5, `${started} were started, and ${cut} aborted`)
  for (const { socket } of sent) socket.destroy()
  const next = await account.post('/v1/events/batch', { events: [event] })
  assert.equal(next.status, 200, JSON.stringify(next.body))
})

test('batches that are refused or reset because they are too large together release their permits', async (t) => {
  const account = await service.newAccount()
  const top = head('POST', '/v1/events/batch', {
    Authorization: `Bearer ${account.token}`,
    'Content-Type': 'application/json',
    'Transfer-Encoding': 'chunked',
  })
  const piece = 64 * 1024
  const chunk = `${piece.toString(16)}\r\n${' '.repeat(piece)}\r\n`
  const connections: RawConnection[] = []
  for (let n = 0; n < 64; n++) {
    const connection = await connectRaw(t, service.url)
    connection.write(top + chunk.repeat(16))
    connections.push(connection)
  }
  const hasEnded = ({ socket, read }: RawConnection) => socket.destroyed || / 503 /.test(read())
  await eventually(async () => connections.filter(hasEnded).length > 20)
  for (const { socket } of connections) socket.destroy()
  await assertAllPermits(t, service, account)
})

test('clients that disconnect during the token look-up release their permits', async (t) => {
  const account = await service.newAccount()
  const held = await holdTokens(t, service.databaseUrl)
  const top = head('POST', '/v1/events/batch', {
    Authorization: `Bearer ${account.token}`,
    'Content-Type': 'application/json',
    'Content-Length': 10_000,
  })
  const before = service.clientPorts.size
  const connections: RawConnection[] = []
  for (let n = 0; n < 64; n++) {
    const connection = await connectRaw(t, service.url)
    connection.write(`${top}{`)
    connections.push(connection)
  }
  await held.untilStatementsWait()
  for (const { socket } of connections) socket.resetAndDestroy()
  await eventually(async () => service.clientPorts.size <= before)
  await held.release()
  await assertAllPermits(t, service, account)
})
