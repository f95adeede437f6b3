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
import { assertAllTurns } from './all-turns.ts'

/* Answers that are read slowly, or not at all, cost nobody else anything. */

const MIB = 1024 * 1024
const service = await startTestService({ after })

/** An account with a claim, the contract of which makes each answer long. */
async function newGreedy(): Promise<{ account: ApiClient; claimId: string }> {
  const account = await service.newAccount()
  const { id } = await newCustomer(account)
  const claim = await account.claim(id, largeContract())
  return { account, claimId: claim.id }
}

/** Sends a batch, and reads nothing of the answer. */
async function sendUnread(t: TestContext, account: ApiClient, events: object[]): Promise<RawConnection> {
  const connection = await connectRaw(t, service.url, { reads: false })
  const body = JSON.stringify({ events })
  const headers = { Authorization: `Bearer ${account.token}`, 'Content-Type': 'application/json' }
  connection.write(head('POST', '/v1/events/batch', { ...headers, 'Content-Length': body.length }) + body)
  return connection
}

const countEvents = async (account: ApiClient, claimId: string) =>
  (await account.readClaim(claimId)).events.length

test('two accounts that do not read the answers to full batches keep the heavy requests of others out for seconds at most', async (t) => {
  for (const bytes of [7.5 * MIB, 2.5 * MIB]) {
    const { account, claimId } = await newGreedy()
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

/** Events of a batch: an answer is more than a connection takes unread, and of 64 batches all may wait in the queue at once. */
const EACH = 70

test('of an account that does not read its answers no more than 64 batches are begun, in whichever burst they come', async (t) => {
  const { account, claimId } = await newGreedy()
  const event = { claim_id: claimId, type: 'note' }
  const before = await service.openConnections()
  const sent = await Promise.all(
    Array.from({ length: 80 }, () => sendUnread(t, account, Array(EACH).fill(event))),
  )
  await eventually(async () => (await countEvents(account, claimId)) >= 64 * EACH)
  const { id } = await newClaim(service.api)
  const other = await service.api.post('/v1/events/batch', { events: [{ claim_id: id, type: 'note' }] })
  assert.equal(other.status, 200)
  const begun = (await countEvents(account, claimId)) / EACH
  // Where the machine is slow, the first have waited so long that they give way; a few connections are the clients'.
  const cut = Math.max(0, before + sent.length - (await service.openConnections()))
  assert.ok(begun <= 64 + cut + 5, `${begun} were begun, and ${cut} cut off`)
  for (const { socket } of sent) socket.destroy()
  const next = await account.post('/v1/events/batch', { events: [event] })
  assert.equal(next.status, 200)
})

test('batches that are cut off since they are too large together leave their turns', async (t) => {
  const account = await service.newAccount()
  const top = head('POST', '/v1/events/batch', {
    Authorization: `Bearer ${account.token}`,
    'Content-Type': 'application/json',
    'Transfer-Encoding': 'chunked',
  })
  const piece = 64 * 1024
  const chunk = `${piece.toString(16)}\r\n${' '.repeat(piece)}\r\n`
  const begun: RawConnection[] = []
  for (let n = 0; n < 64; n++) {
    const connection = await connectRaw(t, service.url)
    connection.write(top + chunk.repeat(16))
    begun.push(connection)
  }
  const isCut = ({ socket }: RawConnection) => socket.destroyed || socket.closed
  await eventually(async () => begun.filter(isCut).length > 20)
  for (const { socket } of begun) socket.destroy()
  await assertAllTurns(t, service, account)
})

test('callers who leave while it is asked whose token they have leave their turns', async (t) => {
  const account = await service.newAccount()
  const held = await holdTokens(t, service.databaseUrl)
  const top = head('POST', '/v1/events/batch', {
    Authorization: `Bearer ${account.token}`,
    'Content-Type': 'application/json',
    'Content-Length': 10_000,
  })
  const before = await service.openConnections()
  const begun: RawConnection[] = []
  for (let n = 0; n < 64; n++) {
    const connection = await connectRaw(t, service.url)
    connection.write(`${top}{`)
    begun.push(connection)
  }
  await held.keepWaiting()
  for (const { socket } of begun) socket.resetAndDestroy()
  await eventually(async () => (await service.openConnections()) <= before)
  await held.letGo()
  await assertAllTurns(t, service, account)
})
