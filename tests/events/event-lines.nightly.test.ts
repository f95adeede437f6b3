import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Answer } from '../support/api-client.ts'
import { clientOf } from '../support/client-of.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { eventually } from '../support/eventually.ts'
import { holdClaims } from '../support/held-rows.ts'
import { exchangeLines } from '../support/line-exchange.ts'
import { newClaim } from '../support/new-records.ts'
import { startServeProcess } from '../support/serve-process.ts'
import { sharedService } from '../support/shared.ts'
import { createTestDatabase, type Scope } from '../support/test-database.ts'

/* POST /v1/events/batch with NDJSON (§4.3): more lines than the service takes while none can be recorded. */

const service = await sharedService()
const { api } = service
const PATH = '/v1/events/batch'
const MIB = 1024 * 1024

const line = (fields: object) => `${JSON.stringify(fields)}\n`
const statuses = (results: Answer['body'][]): number[] => results.map(({ status }) => status)

test('a client that sends faster than can be recorded is slowed down, not refused', async (t) => {
  const { id } = await newClaim(api)
  const value = 'v'.repeat(200 * 1024)
  const events = Array.from({ length: 250 }, (_, i) => ({ claim_id: id, id: `${i}`, type: 'a', value }))
  const flood = await startFlood(t, id, events.map(line))
  const results = await flood.release()
  assert.deepEqual(statuses(results), Array(events.length).fill(204))
  assert.deepEqual(
    await api.eventIds(id),
    events.map((event) => event.id),
  )
})

test('lines that wait do not fill the memory, long as they are', async (t) => {
  const { id } = await newClaim(api)
  const events = Array.from({ length: 150 }, (_, i) => ({ claim_id: id, id: `${i}`, type: 'a' }))
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  const flood = await startFlood(
    t,
    id,
    events.map((event) => `${JSON.stringify(event).padEnd(MIB)}\n`),
  )
  collectGarbage()
  const grown = process.memoryUsage().arrayBuffers - before
  const results = await flood.release()
  assert.deepEqual(statuses(results), Array(events.length).fill(204))
  assert.ok(grown < 64 * MIB, `lines that wait hold ${Math.round(grown / MIB)} MiB`)
})

/** Sends the lines while nothing can be written to their claim, for as long as the connection takes them. */
async function startFlood(t: Scope, claimId: string, lines: readonly string[]) {
  const held = await holdClaims(t, service.databaseUrl, [claimId])
  const exchange = exchangeLines(api, PATH, { Prefer: 'return=minimal' })
  let sent = 0
  const sending = (async () => {
    for (const text of lines) {
      await exchange.send(text)
      sent++
    }
    exchange.end()
  })()
  const results: Answer['body'][] = []
  const reading = (async () => {
    for (let next = await exchange.next(); next !== null; next = await exchange.next()) results.push(next)
  })()
  await held.untilStatementsWait()
  let [before, still] = [-1, 0]
  await eventually(async () => {
    still = sent === before ? still + 1 : 0
    before = sent
    return still === 10
  })
  return {
    release: async () => {
      await held.release()
      await Promise.all([sending, reading])
      return results
    },
  }
}

/* Nobody looks at what the client sends next while as much is in work as a request may have. */
describe('a stream that breaks while no more lines are taken', async () => {
  const databaseUrl = await createTestDatabase({ after })
  const server = await startServeProcess({ after }, { DATABASE_URL: databaseUrl })
  const api = await clientOf(server)

  for (const { what, lines, value } of [
    { what: '500 lines', lines: 500, value: '' },
    { what: '1 MiB of lines', lines: 5, value: 'v'.repeat(250 * 1024) },
  ]) {
    test(`with ${what} in work: the server lives, and records what came in whole lines`, async (t) => {
      const { id } = await newClaim(api)
      const held = await holdClaims(t, databaseUrl, [id])
      const exchange = exchangeLines(api, PATH)
      const events = Array.from({ length: lines }, (_, i) => ({ claim_id: id, id: `${i}`, type: 'a', value }))
      await exchange.send(events.map(line).join(''))
      await held.untilStatementsWait()
      exchange.leave()
      // The server has seen the end of the connection once it answers others after it.
      for (let n = 0; n < 20; n++) assert.equal((await api.get('/healthz')).status, 200)
      await held.release()
      await eventually(async () => (await api.readClaim(id)).events.length === lines)
      assert.equal(server.child.exitCode, null)
    })
  }
})
