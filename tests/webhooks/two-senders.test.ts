import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { after, describe, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { eventually } from '../support/eventually.ts'
import { newClaim } from '../support/new-records.ts'
import { sharedWebhookService } from '../support/shared.ts'
import { faultsOfChain, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { startWebhookService } from '../support/webhook-service.ts'

const first = await sharedWebhookService()
await startWebhookService({ after }, { databaseUrl: first.databaseUrl, withoutAccount: true })
const { sql } = first
const receiver = await startWebhookReceiver({ after })

async function newEndpoint(api: ApiClient, url: string): Promise<string> {
  const { status, body } = await api.post('/v1/webhook_endpoints', { url })
  assert.equal(status, 201)
  return body.id
}

const sendersOf = (ids: readonly string[]) =>
  sql('SELECT DISTINCT sender FROM webhook_endpoints WHERE id = ANY ($1) AND sender IS NOT NULL', [ids])

const of = (path: string, { received }: WebhookReceiver = receiver) =>
  received.filter((one) => one.path === path)

describe('two servers on one database', () => {
  test('two servers send each delivery once, and both send', async () => {
    const api = await first.newAccount()
    const ids: string[] = []
    for (let i = 0; i < 40; i++) ids.push(await newEndpoint(api, `${receiver.url}/${i}`))
    const held: ServerResponse[] = []
    receiver.answer((response) => held.push(response))
    for (let i = 0; i < 3; i++) await newClaim(api)
    // One server sends to at most 16 endpoints of an account at a time, so the other must lease some of the rest.
    await eventually(async () => (await sendersOf(ids)).length === 2)
    receiver.answer((response) => response.end())
    for (const response of held) response.end()
    await eventually(async () => receiver.received.length >= 120)
    for (let i = 0; i < 40; i++) {
      assert.equal(of(`/${i}`).length, 3)
      assert.deepEqual(faultsOfChain(of(`/${i}`)), [])
    }
  })
})

describe('a leased endpoint', () => {
  test('an endpoint leased by another server gets nothing from this server until that lease ends', async () => {
    const api = await first.newAccount()
    const id = await newEndpoint(api, `${receiver.url}/lost`)
    receiver.answer((response) => setTimeout(() => response.end(), 50))
    const claims = Array.from({ length: 40 }, () => newClaim(api))
    await Promise.all(claims)
    await eventually(async () => of('/lost').length > 0)
    await sql(
      `UPDATE webhook_endpoints SET sender = $2, sender_until = now() + interval '29 seconds' WHERE id = $1`,
      [id, randomUUID()],
    )
    // It begins nothing new 2 s later; what was made by then is written down all the same.
    await newClaim(api)
    await sql(`UPDATE webhook_endpoints SET sender_until = now() - interval '1 second' WHERE id = $1`, [id])
    await eventually(async () => new Set(of('/lost').map(({ headers }) => headers['webhook-id'])).size === 41)
    assert.deepEqual(faultsOfChain(of('/lost')), [])
    await eventually(async () => (await api.get(`/v1/webhook_endpoints/${id}`)).body.health.waiting === 0)
  })

  test('a lease or a pause from before the clock was set back ends at once', async () => {
    const api = await first.newAccount()
    const taken = await newEndpoint(api, `${receiver.url}/taken`)
    const paused = await newEndpoint(api, `${receiver.url}/paused`)
    await sql(
      `UPDATE webhook_endpoints SET sender = $2, sender_until = now() + interval '1 hour' WHERE id = $1`,
      [taken, randomUUID()],
    )
    await sql(`UPDATE webhook_endpoints SET paused_until = now() + interval '1 hour' WHERE id = $1`, [paused])
    await newClaim(api)
    for (const path of ['/taken', '/paused']) await eventually(async () => of(path).length === 1)
  })
})
