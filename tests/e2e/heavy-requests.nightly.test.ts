import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Cleanup } from '../../bench/cleanup.ts'
import { ServerProcess } from '../../bench/server-process.ts'
import type { ApiClient } from '../support/api-client.ts'
import { clientOf } from '../support/client-of.ts'
import { eventually } from '../support/eventually.ts'
import { newClaim, newCustomer } from '../support/new-records.ts'
import { connectRaw } from '../support/raw-connection.ts'
import { head } from '../support/raw-http.ts'
import { startTestService } from '../support/test-service.ts'

/*
 * Requests whose values take twenty times their text, many at once, to a server with half of the usual heap: it lives,
 * and answers everybody. What it answers is looked at elsewhere.
 */

const HEAP_MB = 512
const BUILD = fileURLToPath(new URL('../../scripts/build.ts', import.meta.url))
const MIB = 1024 * 1024
const JSON_TYPE = { 'Content-Type': 'application/json' }

execFileSync(process.execPath, [BUILD, '--if-stale'])
const service = await startTestService({ after })
const cleanup = new Cleanup()
after(() => cleanup.run())
const server = await ServerProcess.start(
  { url: service.databaseUrl },
  [`--max-old-space-size=${HEAP_MB}`],
  cleanup,
)
const newClient = async () => clientOf({ url: server.url, token: (await service.newAccount()).token })
const attackers = [await newClient(), await newClient()]
const honest = await newClient()

const emptyObjects = (count: number) => `[${Array(count).fill('{}').join(',')}]`
const heavyContract = `{"price":1,"activity_window":1000000,"review_window":0,"timeout_outcome":"fail",
  "fulfillment_condition":{"event":"e","match":{"a":${emptyObjects(21_000)}}}}`
const listOf = (list: string, item: string, bytes: number) =>
  `{"${list}":[${Array(Math.floor(bytes / (item.length + 1)))
    .fill(item)
    .join(',')}]}`

interface Heavy {
  name: string
  path: string
  /** Of one account at once. */
  atOnce: number
  body: (attacker: ApiClient) => Promise<string>
}

const requests: Heavy[] = [
  {
    name: 'batches of claims with contracts of empty objects',
    path: '/v1/claims/batch',
    atOnce: 3,
    body: async (attacker) => {
      const { id } = await newCustomer(attacker)
      return listOf('claims', `{"customer_id":"${id}","contract":${heavyContract}}`, 8 * MIB - 100)
    },
  },
  {
    name: 'batches of claims from schemas with such contracts',
    path: '/v1/claims/batch',
    atOnce: 12,
    body: async (attacker) => {
      const { id } = await newCustomer(attacker)
      const schemas: string[] = []
      for (let i = 0; i < 20; i++) {
        const { body } = await attacker.send(
          'POST',
          '/v1/schemas',
          `{"contract":${heavyContract}}`,
          JSON_TYPE,
        )
        schemas.push(body.id)
      }
      return JSON.stringify({ claims: schemas.map((schema_id) => ({ customer_id: id, schema_id })) })
    },
  },
  {
    name: 'batches of events with payloads of empty objects',
    path: '/v1/events/batch',
    atOnce: 3,
    body: async (attacker) => {
      const { id } = await newClaim(attacker)
      const event = `{"claim_id":"${id}","type":"e","a":${emptyObjects(80_000)}}`
      return listOf('events', event, 8 * MIB - 100)
    },
  },
  {
    name: 'events with such payloads',
    path: '/v1/events',
    atOnce: 24,
    body: async (attacker) => {
      const { id } = await newClaim(attacker)
      return `{"claim_id":"${id}","type":"e","a":${emptyObjects(80_000)}}`
    },
  },
  {
    name: 'simulations of events with such payloads',
    path: '/v1/simulations',
    atOnce: 8,
    body: async () => {
      const event = `{"at":"2026-01-01T00:00:00.000Z","type":"e","a":${emptyObjects(80_000)}}`
      const contract = `"contract":${heavyContract}`
      return `{${contract},${listOf('events', event, MIB - contract.length - 100).slice(1)}`
    },
  },
]

for (const { name, path, atOnce, body } of requests) {
  test(`${name} get a response or a rejection, and other accounts are served`, async () => {
    const requests: Promise<number>[] = []
    for (const attacker of attackers) {
      const text = await body(attacker)
      for (let i = 0; i < atOnce; i++) {
        const answer = attacker.send('POST', path, text, { ...JSON_TYPE, Prefer: 'return=minimal' })
        requests.push(answer.then(({ status }) => status))
      }
    }
    const all = Promise.all(requests)
    all.catch(() => {})
    const { id } = await newClaim(honest)
    for (let n = 0; n < 20; n++) {
      assert.equal((await honest.post('/v1/events', { claim_id: id, type: 'note', n })).status, 201)
    }
    const statuses = await all
    for (const status of statuses) assert.ok([200, 204, 503].includes(status), `${status}`)
    assert.ok(statuses.some((status) => status < 300))
  })
}

test('events to many claims under such contracts, and lines to one claim, with unread responses', async (t) => {
  const [attacker] = attackers as [ApiClient, ApiClient]
  const customer = await newCustomer(attacker)
  const claims: string[] = []
  while (claims.length < 120) {
    const contract = heavyContract.replace('"a":[', `"a":[${claims.length},`)
    const items = Array.from({ length: 60 }, (_, i) => contract.replace('"a":[', `"a":[${i},`))
    const texts = items.map((item) => `{"customer_id":"${customer.id}","contract":${item}}`)
    const { body } = await attacker.send('POST', '/v1/claims/batch', `{"claims":[${texts}]}`, JSON_TYPE)
    claims.push(...body.results.map(({ claim }: { claim: { id: string } }) => claim.id))
  }
  const send = async (type: string, body: string) => {
    const { write } = await connectRaw(t, server.url, { reads: false })
    const headers = { Authorization: `Bearer ${attacker.token}`, 'Content-Type': type }
    write(head('POST', '/v1/events/batch', { ...headers, 'Content-Length': Buffer.byteLength(body) }) + body)
  }
  const events = claims.map((claim_id) => ({ claim_id, type: 'note' }))
  for (let i = 0; i < 3; i++) await send('application/json', JSON.stringify({ events }))
  const line = `${JSON.stringify({ claim_id: claims[0], type: 'note' })}\n`
  for (let i = 0; i < 6; i++) await send('application/x-ndjson', line.repeat(500))
  // On a busy machine some wait for longer than they may, and are refused.
  const hasEvents = (id: string | undefined, count: number) =>
    eventually(async () => (await attacker.get(`/v1/claims/${id}`)).body.events?.length > count, {
      seconds: 180,
    })
  await hasEvents(claims.at(-1), 0)
  await hasEvents(claims[0], 100)
  const { id } = await newClaim(honest)
  assert.equal((await honest.post('/v1/events', { claim_id: id, type: 'note' })).status, 201)
})
