import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiClient } from '../../support/api-client.ts'
import { Conformance } from '../../support/conformance.ts'
import { eventually } from '../../support/eventually.ts'
import { holdClaims } from '../../support/held-rows.ts'
import { exchangeLines } from '../../support/line-exchange.ts'
import { newClaim } from '../../support/new-records.ts'
import { startServeProcess } from '../../support/serve-process.ts'
import { createTestDatabase } from '../../support/test-database.ts'

/* A client that goes away while as much is in work as a request may have: nobody looks at what it reads next. */

const KIB = 1024

describe('a stream that breaks while no more lines are taken', () => {
  for (const { what, lines, value } of [
    { what: '500 lines', lines: 500, value: '' },
    { what: '1 MiB of lines', lines: 5, value: 'v'.repeat(250 * KIB) },
  ]) {
    test(`with ${what} in work: the server lives, and records what came in whole lines`, async (t) => {
      const DATABASE_URL = await createTestDatabase(t)
      const server = await startServeProcess(t, { DATABASE_URL })
      const api = await clientOf(server)
      const { id } = await newClaim(api)
      const held = await holdClaims(t, DATABASE_URL, [id])
      const exchange = exchangeLines(api, '/v1/events/batch')
      const events = Array.from({ length: lines }, (_, i) => ({ claim_id: id, id: `${i}`, type: 'a', value }))
      await exchange.send(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
      await held.keepWaiting()
      exchange.leave()
      // The server has seen the end of the connection once it answers others after it.
      for (let n = 0; n < 20; n++) assert.equal((await api.get('/healthz')).status, 200)
      await held.letGo()
      await eventually(async () => (await api.readClaim(id)).events.length === lines)
      assert.equal(server.child.exitCode, null)
    })
  }
})

async function clientOf({ url, token }: { url: string; token: string | null }): Promise<ApiClient> {
  const document = await (await fetch(`${url}/openapi.json`)).json()
  return new ApiClient(url, token, new Conformance(document))
}
