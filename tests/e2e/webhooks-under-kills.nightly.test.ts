import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { Conformance } from '../support/conformance.ts'
import { contractWith } from '../support/contracts.ts'
import { databaseProcess, embeddedUrl, madeDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { type Hook, startFailingReceiver } from '../support/failing-receiver.ts'
import { readPages } from '../support/feed-readers.ts'
import { uniqueName } from '../support/new-records.ts'
import { type ServeProcess, startServeProcess } from '../support/serve-process.ts'
import { faultsOfChain } from '../support/webhook-receiver.ts'

/*
 * Two servers are killed twice each and the database once, while claims are settled and resolved and a receiver fails 30 times in
 * 100: each notification arrives, numbered and linked. A killed server's endpoint is nobody's for 30 s: so there is another one
 * for the second kills to strike, and both are waited for together. WEBHOOK_CLAIMS=20000 resolves more.
 */

const CLAIMS = Number(process.env.WEBHOOK_CLAIMS ?? 512)
/** Each with a test clock and claims of its own. */
const WORKERS = 16
/** That are settled before their clock is advanced. */
const SETTLED_AT_ONCE = 25
/** Per killed server with one endpoint: deliveries in flight, and delivered ones that were not recorded. */
const MAX_REPEATED_PER_KILL = 64
const SECONDS = 60 + CLAIMS / 20

test('servers and the database are killed while webhooks go to a receiver that often fails: all arrive, numbered and linked', async (t) => {
  const dataDir = await madeDataFolder(t)
  const settings = {
    CLAIMKEEPER_WEBHOOK_ALLOW_PRIVATE: 'true',
    CLAIMKEEPER_WEBHOOK_RETRIES: new Array(30).fill('0.2').join(','),
  }
  /** The first has the embedded database, which outlives it; the other one is its guest. */
  const start = async (place: number) =>
    startServeProcess(t, {
      ...settings,
      ...(place === 0 ? { CLAIMKEEPER_DATA_DIR: dataDir } : { DATABASE_URL: await embeddedUrl(dataDir) }),
    })
  const servers: ServeProcess[] = [await start(0)]
  servers.push(await start(1))
  const urls = () => servers.map(({ url }) => url)
  const token = servers[0]?.token ?? null
  const conformance = new Conformance(await (await fetch(`${urls()[0]}/openapi.json`)).json())
  const api = () => new ApiClient(urls()[0] as string, token, conformance)

  /** Sends it to one server or the other until it is answered. */
  const send = (path: string, body: object) =>
    eventually(
      async () => {
        const response = await fetch(urls()[Math.floor(Math.random() * 2)] + path, {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(5_000),
        }).catch(() => null)
        return response !== null && response.status < 500
      },
      { seconds: 60 },
    )
  const customer = await api().customer(uniqueName('hooked'))
  const workers = await Promise.all(
    Array.from({ length: WORKERS }, () => newWorker(api(), customer, CLAIMS / WORKERS)),
  )
  /** Settles a number of the claims, and resolves them by advancing their clocks. */
  const resolve = (part: number) =>
    Promise.all(
      workers.map(async ({ clock, claims }) => {
        const some = claims.splice(0, Math.ceil((CLAIMS / WORKERS) * part))
        for (const [i, id] of some.entries()) {
          await send(`/v1/claims/${id}/events`, { id: 'only', type: 'done' })
          const isLast = i === some.length - 1
          if (!isLast && i % SETTLED_AT_ONCE < SETTLED_AT_ONCE - 1) continue
          clock.hours++
          const frozen_time = new Date(clock.start + clock.hours * 3_600_000).toISOString()
          await send(`/v1/test_clocks/${clock.id}/advance`, { frozen_time })
        }
      }),
    )
  const replace = async (place: number) => {
    await servers[place]?.end('SIGKILL')
    servers[place] = await start(place)
  }
  const feed = { urls, token }
  const fed = () => readPages(feed, 0).stop()

  const receiver = await startFailingReceiver(t)
  const newEndpoint = async (path: string) => {
    const secret = Promise.withResolvers<string>()
    const hook = receiver.hook(path, secret.promise)
    const earliest = (await fed()).length
    const created = await api().post('/v1/webhook_endpoints', { url: hook.url })
    assert.equal(created.status, 201)
    secret.resolve(created.body.secret)
    return { id: created.body.id as string, hook, earliest, latest: (await fed()).length }
  }
  const first = await newEndpoint('/first')
  let working = resolve(0.6)
  await eventually(async () => first.hook.taken.size > CLAIMS / 20, { seconds: 60 })
  await replace(0)
  await replace(1)
  await working
  const second = await newEndpoint('/second')
  working = resolve(0.2)
  await eventually(async () => second.hook.taken.size > CLAIMS / 20, { seconds: 60 })
  await replace(1)
  await replace(0)
  await working
  const had = first.hook.taken.size
  working = resolve(1)
  await eventually(async () => first.hook.taken.size > had + CLAIMS / 20, { seconds: 60 })
  const stopped = await databaseProcess(dataDir)
  process.kill(stopped, 'SIGQUIT')
  await eventually(async () => (await databaseProcess(dataDir).catch(() => stopped)) !== stopped)
  await working

  const all = (await fed()).map(({ id }) => id)
  assert.equal(new Set(all).size, all.length)
  assert.ok(all.length >= CLAIMS * 3)
  for (const { id, hook, earliest, latest } of [first, second]) {
    await eventually(
      async () => {
        if (hook.taken.size < all.length - latest) return false
        return (await api().get(`/v1/webhook_endpoints/${id}`)).body.health.waiting === 0
      },
      { seconds: SECONDS },
    )
    assert.deepEqual(hook.faults, [])
    assert.deepEqual(faultsOfChain(hook.received), [])
    const bodies = bodiesInOrder(hook)
    assert.equal(hook.taken.size, bodies.length)
    // All from some moment of its creation on, in the order of the feed.
    assert.ok(bodies.length <= all.length - earliest && bodies.length >= all.length - latest)
    assert.deepEqual(
      bodies.map((body) => JSON.parse(body).id),
      all.slice(-bodies.length),
    )
    const { last_delivery } = (await api().get(`/v1/webhook_endpoints/${id}`)).body
    const hash = createHash('sha256')
      .update(bodies.at(-1) as string)
      .digest('hex')
    assert.deepEqual(last_delivery, { number: bodies.length, hash })
    assert.deepEqual(await statuses(api(), id), { succeeded: bodies.length })
    const again = [...hook.taken.values()].reduce((sum, times) => sum + times - 1, 0)
    t.diagnostic(
      `${bodies.length} deliveries, ${hook.received.length} attempts, ${again} taken again after a kill`,
    )
    assert.ok(again <= 5 * MAX_REPEATED_PER_KILL, `${again} taken again`)
  }
})

async function newWorker(api: ApiClient, customer_id: string, count: number) {
  const start = Date.parse('2026-01-01T00:00:00Z')
  const { id } = (await api.post('/v1/test_clocks', { frozen_time: new Date(start).toISOString() })).body
  const contract = contractWith({ activity_window: 1e9, review_window: 60 })
  const claims: string[] = []
  while (claims.length < count) {
    const some = new Array(Math.min(1_000, count - claims.length)).fill({
      customer_id,
      contract,
      test_clock_id: id,
    })
    const { status, body } = await api.post('/v1/claims/batch', { claims: some })
    assert.equal(status, 200)
    claims.push(...body.results.map(({ claim }: { claim: { id: string } }) => claim.id))
  }
  return { clock: { id, start, hours: 0 }, claims }
}

/** What arrived at an endpoint, each once. */
function bodiesInOrder({ received }: Hook): string[] {
  const bodies = new Map(
    received.map(({ headers, body }) => [Number(headers['claimkeeper-delivery-number']), body]),
  )
  return [...bodies].sort(([a], [b]) => a - b).map(([, body]) => body)
}

/** How many of an endpoint's deliveries have which status. */
async function statuses(api: ApiClient, id: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (let after = ''; ; ) {
    const { body } = await api.get(`/v1/webhook_deliveries?endpoint_id=${id}&limit=100${after}`)
    for (const { status } of body.data) counts[status] = (counts[status] ?? 0) + 1
    if (body.next_cursor === null) return counts
    after = `&after=${body.next_cursor}`
  }
}
