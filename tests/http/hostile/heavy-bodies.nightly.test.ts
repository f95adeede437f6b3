import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ApiClient } from '../../support/api-client.ts'
import { contractWith } from '../../support/contracts.ts'
import { eventually } from '../../support/eventually.ts'
import { newClaim, newCustomer } from '../../support/new-records.ts'
import { connectRaw } from '../../support/raw-connection.ts'
import { head } from '../../support/raw-http.ts'
import { runBatch } from '../../support/run-batch.ts'
import { startTestService } from '../../support/test-service.ts'
import { emptyObjects, heavyClaimBodies, matching } from './heavy-claim-bodies.ts'

/* Empty objects take 64 bytes for three of the text: what is in work is weighed, and items are made when it is their turn. */

const service = await startTestService({ after })
const { api } = service
const customer = await newCustomer(api)

test('memory and permits of clients that disconnect are released', async (t) => {
  const bytes = Buffer.from(JSON.stringify({ claims: heavyClaimBodies(customer.id, 60) }))
  const top = head('POST', '/v1/claims/batch', {
    Authorization: `Bearer ${api.token}`,
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
  })
  for (let round = 0; round < 4; round++) {
    const connections = await Promise.all(Array.from({ length: 3 }, () => connectRaw(t, service.url)))
    for (const connection of connections)
      connection.write(Buffer.concat([Buffer.from(top), bytes]).toString())
    await service.sql('SELECT 1')
    for (const { socket } of connections) socket.resetAndDestroy()
  }
  assert.equal((await runBatch(api, '/v1/claims/batch', heavyClaimBodies(customer.id, 60))).length, 60)
})

test('an account with many heavy requests queues behind itself, and other accounts are answered', async () => {
  const greedy = (await service.newAccount()) satisfies ApiClient
  const simulation = {
    contract: matching({}),
    events: Array.from({ length: 4 }, (_, i) => ({
      type: 'e',
      at: `2026-01-01T00:00:0${i}.000Z`,
      a: emptyObjects(80_000),
    })),
  }
  const sent = Array.from({ length: 8 }, () => greedy.post('/v1/simulations', simulation))
  const [own] = await runBatch(api, '/v1/claims/batch', heavyClaimBodies(customer.id, 1))
  assert.equal(own.status, 201)
  for (const { status } of await Promise.all(sent)) assert.ok(status === 200 || status === 503, `${status}`)
})

test('while responses of accounts at their limit are not read, bodies of others are accepted', async (t) => {
  const greedy = await Promise.all([service.newAccount(), service.newAccount()])
  const text = 'x'.repeat(60_000)
  const claims = await Promise.all(
    greedy.map(async (account) => {
      const { id } = await newCustomer(account)
      return account.claim(id, contractWith({ fulfillment_condition: { event: 'never', match: { text } } }))
    }),
  )
  for (const [i, account] of greedy.entries()) {
    const event = { claim_id: claims[i]?.id, type: 'note' }
    const events = Array.from({ length: 420 }, () => event)
    // At the worst it would take a megabyte as objects: sixteen of them are all that an account may have.
    const body = JSON.stringify({ events }).padEnd(34_952)
    const count = async () => (await account.readClaim(claims[i]?.id)).events.length
    for (let n = 1; n <= 16; n++) {
      const { write } = await connectRaw(t, service.url, { reads: false })
      const headers = { Authorization: `Bearer ${account.token}`, 'Content-Type': 'application/json' }
      write(head('POST', '/v1/events/batch', { ...headers, 'Content-Length': body.length }) + body)
      // All at once are more than may wait to be recorded.
      await eventually(async () => (await count()) === n * 420)
    }
  }
  const { id } = await newClaim(api)
  const large = { claim_id: id, type: 'note', list: Array(5_000).fill(1) }
  assert.equal((await api.post('/v1/events', large)).status, 201)
})
