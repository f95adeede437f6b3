import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startBalancer } from '../support/balancer.ts'
import { contractWith } from '../support/contracts.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { eventually } from '../support/eventually.ts'
import { readPages, readStream } from '../support/feed-readers.ts'
import { uniqueName } from '../support/new-records.ts'
import { runCli, type ServeProcess, startServeProcess } from '../support/serve-process.ts'
import { CODE_VERSION } from '../support/source/database.ts'
import { startSteadyCallers } from '../support/steady-callers.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { hasLastRelease, installLastRelease, makeNextVersion } from '../support/versions.ts'
import { faultsOfChain, startWebhookReceiver } from '../support/webhook-receiver.ts'

/*
 * Two upgrades behind a load balancer under load: from the last release to this version, and from this version to a next one,
 * whose migrations a job runs first. Then a server of this version starts again on the tables of the next one. No request is
 * refused, and logs, feeds and webhooks contain each acknowledged event once.
 */

const numbered = (n: number) => String(n).padStart(4, '0')
const NEXT = numbered(CODE_VERSION + 1)
const AFTER_NEXT = numbered(CODE_VERSION + 2)
const WORKS = `-- Works with servers from ${numbered(CODE_VERSION)} on.\n`
const MIGRATIONS = {
  [`${NEXT}-remark.sql`]: `${WORKS}ALTER TABLE claims ADD COLUMN remark text;\n`,
  [`${AFTER_NEXT}-by-remark.sql`]: `${WORKS}-- In the background.\nCREATE INDEX CONCURRENTLY claims_by_remark ON claims (user_id, remark);\n`,
}
const hasHistory = await hasLastRelease()
const TYPES = ['created', 'event_recorded', 'event_recorded', 'pending'].map((what) => `candidate.${what}`)

async function prepare(t: TestContext, lastRelease: string) {
  const settings = {
    DATABASE_URL: await createTestDatabase(t, { migrated: false }),
    CLAIMKEEPER_WEBHOOK_ALLOW_PRIVATE: 'true',
  }
  const balancer = await startBalancer(t)
  const start = async (main?: string) => {
    const server = await startServeProcess(t, settings, main)
    balancer.add(server.url)
    return server
  }
  const old = await start(lastRelease)
  const post = async (path: string, body: object) => {
    const response = await fetch(old.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${old.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.equal(response.status, 201, await response.clone().text())
    return response.json()
  }
  const customerName = uniqueName('steady')
  await post('/v1/customers', { external_id: customerName })
  const receiver = await startWebhookReceiver(t)
  await post('/v1/webhook_endpoints', { url: receiver.url, types: [...new Set(TYPES)] })
  const callers = startSteadyCallers(balancer.url, old.token, customerName)
  const goOn = (more: number) => {
    const goal = callers.aliases.length + more
    return eventually(async () => callers.aliases.length >= goal || balancer.refusals.length > 0, {
      seconds: 60,
    })
  }
  /** Drains the server before it stops, as operators should behind a load balancer. */
  const replace = async (server: ServeProcess) => {
    await balancer.drain(server.url)
    assert.equal(await server.end('SIGTERM'), 0)
  }
  return { settings, balancer, old, start, replace, receiver, callers, goOn }
}

const isReady = async ({ url }: ServeProcess) => (await fetch(`${url}/readyz`)).status === 200

test('an upgrade under load refuses no request, and each acknowledged event is stored and notified once', {
  skip: isOnCitus()
    ? 'the migrations are tried there by tests/database'
    : !hasHistory && 'the history does not go back to the last release',
}, async (t) => {
  const { settings, balancer, old, start, replace, receiver, callers, goOn } = await prepare(
    t,
    await installLastRelease(t),
  )
  const feed = { urls: () => [balancer.url], token: old.token }
  const pages = readPages(feed, 1)
  const stream = readStream(feed, () => pages.had.length)
  await goOn(10)

  const ours = await start()
  assert.match(ours.output(), /Migrating the database: 0013-/)
  await goOn(15)
  assert.ok(await isReady(old))
  assert.ok([old, ours].every(({ url }) => (balancer.answered.get(url) ?? 0) > 10))
  await replace(old)

  const next = await makeNextVersion(t, MIGRATIONS)
  const job = await runCli(['migrate'], settings, next)
  assert.equal(job.stdout, 'The database is up to date.\n', job.stderr)
  assert.match(job.stderr, /-remark\.sql\n.*-by-remark\.sql \(in the background, after the start\)\n/)
  assert.ok(await isReady(ours))
  await start(next)
  await goOn(10)
  await replace(ours)
  const again = await start()
  assert.match(again.output(), /the database is newer than this server, and works with it/)
  await goOn(15)
  assert.ok(await isReady(again))
  assert.ok((balancer.answered.get(again.url) ?? 0) > 10)

  await callers.stop()
  assert.deepEqual(balancer.refusals, [])
  const { aliases } = callers
  for (const alias of aliases) {
    const response = await fetch(`${again.url}/v1/candidates/${alias}`, {
      headers: { Authorization: `Bearer ${old.token}` },
    })
    const { status, events } = (await response.json()) as { status: string; events: { id: string }[] }
    assert.deepEqual([status, ...events.map(({ id }) => id)], ['PENDING', 'first', 'last'])
  }
  const all = await pages.stop()
  assert.deepEqual(await stream.stop(), all)
  assert.deepEqual(
    typesByAlias(all, aliases),
    aliases.map(() => ['candidate.created', 'candidate.pending']),
  )
  const delivered = () => [
    ...new Map(receiver.received.map((one) => [one.headers['webhook-id'], JSON.parse(one.body)])).values(),
  ]
  await eventually(async () => delivered().length >= aliases.length * TYPES.length)
  assert.deepEqual(faultsOfChain(receiver.received), [])
  const sent = delivered()
    .sort((a, b) => a.delivery.number - b.delivery.number)
    .map(({ type, candidate }) => ({ type, address: candidate.candidate_alias }))
  assert.deepEqual(
    typesByAlias(sent, aliases),
    aliases.map(() => TYPES),
  )
})

test('a change of a schema by a server of the last release is a version too (decision 0048)', {
  skip: isOnCitus()
    ? 'the last release does not run there'
    : !hasHistory && 'the history does not go back to the last release',
}, async (t) => {
  const settings = { DATABASE_URL: await createTestDatabase(t, { migrated: false }) }
  const old = await startServeProcess(t, settings, await installLastRelease(t))
  const send = async ({ url }: ServeProcess, method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${old.token}`, 'Content-Type': 'application/json' }
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return JSON.parse((await response.text()) || 'null')
  }
  const priced = (price: number) => ({ contract: contractWith({ price }) })
  const before = await send(old, 'POST', '/v1/schemas', priced(1))
  const customer = await send(old, 'POST', '/v1/customers', { external_id: 'acme' })
  const ours = await startServeProcess(t, settings)
  await send(ours, 'PATCH', '/v1/me', { time_zone: 'Asia/Kathmandu' })
  const during = await send(old, 'POST', '/v1/schemas', priced(1))
  for (const { id } of [before, during]) {
    const path = `/v1/schemas/${id}`
    const create = (server: ServeProcess) =>
      send(server, 'POST', '/v1/claims', { customer_id: customer.id, schema_id: id })
    const claims = [await create(ours)]
    for (const [server, price] of [
      [old, 2],
      [ours, 3],
      [old, 4],
      [old, 4],
    ] as const) {
      await send(server, 'PATCH', path, priced(price))
      claims.push(await create(ours))
    }
    const { data } = await send(ours, 'GET', `${path}/versions`)
    assert.deepEqual(
      data.map(({ version, contract, made_by }: Version) => [version, contract.price, made_by?.kind ?? null]),
      [
        [4, 4, null],
        [3, 3, 'token'],
        [2, 2, null],
        [1, 1, null],
      ],
    )
    assert.deepEqual(
      claims.map(({ schema_version, contract }) => [schema_version, contract.price]),
      [1, 2, 3, 4, 4].map((number) => [number, number]),
    )
    const ofOld = await send(ours, 'GET', `/v1/claims/${(await create(old)).id}`)
    assert.deepEqual([ofOld.schema_id, ofOld.schema_version], [id, null])
    assert.equal(await send(old, 'DELETE', path), null)
    assert.equal((await send(ours, 'GET', `${path}/versions`)).error.code, 'SCHEMA_NOT_FOUND')
  }
  // A server without time zones of accounts keeps working.
  assert.equal((await send(old, 'GET', '/v1/overview')).statuses.OPEN.count, 12)
  assert.equal((await send(old, 'GET', '/v1/me')).id, (await send(ours, 'GET', '/v1/me')).id)
})

interface Version {
  version: number
  contract: { price: number }
  made_by: { kind: string } | null
}

function typesByAlias(
  delivered: readonly { type: string; address: string | null }[],
  aliases: readonly string[],
) {
  const byAlias = Map.groupBy(delivered, ({ address }) => address)
  return aliases.map((alias) => byAlias.get(alias)?.map(({ type }) => type))
}
