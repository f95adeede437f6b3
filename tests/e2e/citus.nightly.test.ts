import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Answer, ApiClient } from '../support/api-client.ts'
import { type CitusCluster, findCitus, startCitusCluster } from '../support/citus-cluster.ts'
import { clientOf } from '../support/client-of.ts'
import { contractWith } from '../support/contracts.ts'
import { findDistribution, isOnCitus } from '../support/database-nodes.ts'
import { startEventLoad } from '../support/event-load.ts'
import { eventually } from '../support/eventually.ts'
import { newClaim, uniqueName } from '../support/new-records.ts'
import type { PostgresNode } from '../support/postgres-node.ts'
import { runCli, startServeProcess } from '../support/serve-process.ts'
import { setReminder } from '../support/set-reminder.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import type { Contract } from '../support/source/contracts.ts'
import { Database, MIN_CONNECTIONS } from '../support/source/database.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { type App, createApp } from '../support/source/service.ts'
import { createTestDatabase } from '../support/test-database.ts'

/* The service on a cluster of its own, of a coordinator and two machines, of which one dies and another comes. */

const bin = findCitus()
const DATABASE = 'claimkeeper'

const eventTo = (api: ApiClient, claimId: string, id: string) =>
  api.post(`/v1/claims/${claimId}/events`, { id, type: 'progress' })

/** The app of a server besides those that are processes. */
async function appOn(connectionString: string, t: TestContext): Promise<App> {
  const distribution = await findDistribution(connectionString)
  const app = createApp(new Database({ connectionString, poolSize: MIN_CONNECTIONS, distribution }))
  t.after(() => app.db.close())
  return app
}

const tryToCreate = async (api: ApiClient) =>
  api.post('/v1/claims', {
    customer_id: await api.customer(uniqueName('customer')),
    contract: contractWith({}),
  })

/** The body of the first answer that is no 503: connections to a machine that has just died may still be found out. */
async function whenItAnswers(send: () => Promise<Answer>, expected: number): Promise<Answer['body']> {
  const { status, body } = await eventually(async () => {
    const answer = await send()
    return answer.status !== 503 && answer
  })
  assert.equal(status, expected, JSON.stringify(body))
  return body
}

const whySkipped = () => {
  if (bin === null) return 'no PostgreSQL with Citus on this machine'
  return !isOnCitus() && 'npm run test:citus has it'
}

describe('on a Citus cluster', { skip: whySkipped() }, () => {
  let cluster: CitusCluster
  before(async () => {
    cluster = await startCitusCluster(bin as string)
  })
  after(() => cluster.stop())

  const serve = (t: TestContext, url: string, settings: Record<string, string> = {}) =>
    startServeProcess(t, { DATABASE_URL: url, CLAIMKEEPER_DISTRIBUTE: 'true', ...settings })
  const sql = (text: string) => cluster.coordinator.sql(text, DATABASE)
  const shardsOn = async ({ port }: PostgresNode) =>
    (await sql(`SELECT FROM citus_shards WHERE table_name = 'claims'::regclass AND nodeport = ${port}`))
      .length

  /** New claims: those on this node and the others. */
  async function claimsByPlace(
    api: ApiClient,
    count: number,
    { port }: PostgresNode,
    terms: Partial<Contract> = {},
  ) {
    const places = new Map<boolean, string[]>([
      [true, []],
      [false, []],
    ])
    for (let i = 0; i < count || [...places.values()].some(({ length }) => length === 0); i++) {
      const { id } = await newClaim(api, terms)
      const [row] = await sql(
        `SELECT nodeport = ${port} AS here FROM citus_shards
         WHERE table_name = 'claims'::regclass AND shardid = get_shard_id_for_distribution_column('claims', '${id}'::uuid)`,
      )
      places.get(row?.here as boolean)?.push(id)
    }
    return { here: places.get(true) as string[], elsewhere: places.get(false) as string[] }
  }

  test('a database that started on one node is distributed, and survives nodes that are lost and added', async (t) => {
    const url = await cluster.createDatabase(DATABASE)
    const plain = await serve(t, url, { CLAIMKEEPER_DISTRIBUTE: '' })
    const token = plain.token as string
    const early = await newClaim(await clientOf(plain))
    assert.equal((await eventTo(await clientOf(plain), early.id, 'early')).status, 201)
    await plain.end('SIGTERM')

    for (let again = 0; again < 2; again++) {
      const { status, stdout, stderr } = await runCli(['migrate', '--distribute'], { DATABASE_URL: url })
      assert.equal(status, 0, stderr)
      assert.match(stdout, /its tables are distributed/)
      assert.equal(/Distributing the tables/.test(stderr), again === 0)
    }
    const [first, second] = cluster.workers as [PostgresNode, PostgresNode]
    assert.deepEqual([await shardsOn(first), await shardsOn(second)], [4, 4])

    const served = await serve(t, url)
    const api = await clientOf({ url: served.url, token })
    assert.equal((await eventTo(api, early.id, 'late')).status, 201)
    assert.deepEqual(await api.eventIds(early.id), ['early', 'late'])

    await t.test('the loss of a node affects only its own claims, until it is back', async () => {
      const { here, elsewhere } = await claimsByPlace(api, 8, first)
      const beside = await appOn(url, t)
      const due = await claimsByPlace(api, 4, first, { activity_window: 0.001, review_window: 86_400 })
      const reminded = await claimsByPlace(api, 4, first)
      for (const id of Object.values(reminded).flat())
        await sql(`UPDATE claims SET ${setReminder('created_at')} WHERE id = '${id}'`)
      const remindersOf = async (id: string) =>
        (await sql(`SELECT FROM notifications WHERE subject_id = '${id}' AND kind = 'due_soon'`)).length
      const load = await startEventLoad(api, [served.url], 300)
      await load.acknowledges(200)
      await first.end('SIGKILL')
      // What was on its way is tried for some seconds, since nobody knows what became of it.
      await eventually(async () => (await eventTo(api, here[0] as string, 'while away')).status === 503)
      for (const [i, id] of here.entries()) {
        const { status, headers } = await eventTo(api, id, `away ${i}`)
        assert.deepEqual([status, headers.get('retry-after')], [503, '2'])
      }
      for (const id of elsewhere) {
        const { status, body } = await eventTo(api, id, 'elsewhere')
        assert.equal(status, 201, JSON.stringify(body))
      }
      const inAMinute = new Date(Date.now() + 60_000)
      await assert.rejects(runScheduledCheck(beside, inAMinute), { code: 'UNAVAILABLE' })
      for (const id of due.elsewhere) assert.equal((await api.readClaim(id)).status, 'PENDING')
      for (const id of reminded.elsewhere) assert.equal(await remindersOf(id), 1)
      await first.start()
      for (const id of here)
        await eventually(async () => [200, 201].includes((await eventTo(api, id, 'back')).status))
      await load.acknowledges(200)
      await load.stop()
      await load.verify(api)
      for (const id of elsewhere) assert.equal((await api.readClaim(id)).events.length, 1)
      await runScheduledCheck(beside, inAMinute)
      for (const id of due.here) assert.equal((await api.readClaim(id)).status, 'PENDING')
      for (const id of reminded.here) assert.equal(await remindersOf(id), 1)
    })

    await t.test('a silent node delays only its own claims', async () => {
      const { here, elsewhere } = await claimsByPlace(api, 8, first)
      const speakAgain = await first.silence()
      let requests: Promise<Answer>[] = []
      try {
        requests = here.flatMap((id) => [
          eventTo(api, id, 'silent'),
          api.get(`/v1/claims/${id}`),
          api.get(`/v1/claims/${id}`),
        ])
        for (let round = 0; round < 3; round++) {
          for (const id of elsewhere) {
            assert.equal((await eventTo(api, id, `${round}`)).status, 201)
            assert.equal((await api.readClaim(id)).events.length, round + 1)
          }
        }
        const created = new Map<number, number>()
        for (let n = 0; n < 20; n++) {
          const { status } = await tryToCreate(api)
          created.set(status, (created.get(status) ?? 0) + 1)
        }
        // One may have been of its shards, before the others were of other machines.
        assert.ok((created.get(201) ?? 0) >= 19, JSON.stringify([...created]))
      } finally {
        speakAgain()
      }
      for (const { status } of await Promise.all(requests))
        assert.ok([200, 201, 503].includes(status), `${status}`)
      for (const id of here)
        await eventually(async () => [200, 201].includes((await eventTo(api, id, 'silent')).status))
    })

    await t.test('shards move to a new node under load, and no event is lost or duplicated', async () => {
      const load = await startEventLoad(api, [served.url], 30, { isLight: true })
      const third = await cluster.addWorker(DATABASE)
      await sql('SELECT citus_rebalance_start()')
      await Promise.all([sql('SELECT citus_rebalance_wait()'), load.acknowledges(30)])
      assert.ok((await shardsOn(third)) >= 2, 'it has shards')
      await load.acknowledges(30)
      await load.stop()
      await load.verify(api)
    })

    await t.test('a shard is split while events come: none is lost, none doubled', async () => {
      const load = await startEventLoad(api, [served.url], 30, { isLight: true })
      await load.acknowledges(30)
      const ids = Array.from({ length: 8 }, () => newClaim(api))
      const claims = (await Promise.all(ids)).map(({ id }) => id)
      const beside = await appOn(url, t)
      const due = await Promise.all(
        Array.from({ length: 16 }, () => newClaim(api, { activity_window: 0.001, review_window: 86_400 })),
      )
      const [node] = await sql(`SELECT nodeid FROM pg_dist_node WHERE nodeport = ${second.port}`)
      // All of them: some claims stay where they are looked for, and others do not.
      const shards = await sql(`SELECT shardid, (shardminvalue::bigint + shardmaxvalue::bigint) / 2 AS middle
        FROM pg_dist_shard WHERE logicalrelid = 'claims'::regclass ORDER BY shardid`)
      for (const { shardid, middle } of shards.slice(0, 4))
        await sql(`SELECT citus_split_shard_by_split_points(${shardid}, ARRAY['${middle}'],
          ARRAY[${node?.nodeid}, ${node?.nodeid}], 'block_writes')`)
      await runScheduledCheck(beside, new Date(Date.now() + 60_000))
      for (const { id } of due) assert.equal((await api.readClaim(id)).status, 'PENDING')
      for (const id of claims) {
        await whenItAnswers(() => eventTo(api, id, 'after'), 201)
        assert.equal((await api.readClaim(id)).events.length, 1)
      }
      const batch = claims.map((claim_id) => ({ claim_id, id: 'together', type: 'progress' }))
      const { body } = await api.post('/v1/events/batch', { events: batch })
      assert.deepEqual(
        body.results.map(({ status }: { status: number }) => status),
        claims.map(() => 201),
      )
      await load.acknowledges(60)
      await load.stop()
      await load.verify(api)
    })

    await t.test('a node that may lose acknowledged data is rejected', async () => {
      await second.sql(`ALTER DATABASE ${DATABASE} SET synchronous_commit = off`)
      const { status, stderr } = await runCli(['migrate'], { DATABASE_URL: url })
      assert.equal(status, 1)
      assert.match(stderr, new RegExp(`The node 127.0.0.1:${second.port} may lose acknowledged data`))
      await second.sql(`ALTER DATABASE ${DATABASE} RESET synchronous_commit`)
    })

    await t.test(
      'an advance over claims of all nodes takes effect once, although a node is lost during it',
      async () => {
        const clock = await api.post('/v1/test_clocks', { frozen_time: '2031-01-01T00:00:00Z' })
        const ids: string[] = []
        const customer = await api.customer(uniqueName('customer'))
        for (let i = 0; i < 30; i++) {
          const body = { customer_id: customer, contract: contractWith({}), test_clock_id: clock.body.id }
          ids.push((await whenItAnswers(() => api.post('/v1/claims', body), 201)).id)
        }
        const advance = () =>
          api.post(`/v1/test_clocks/${clock.body.id}/advance`, { frozen_time: '2031-06-01T00:00:00Z' })
        const [answer] = await Promise.all([advance(), second.end('SIGKILL').then(() => second.start())])
        assert.ok([200, 503].includes(answer.status), JSON.stringify(answer.body))
        await whenItAnswers(advance, 200)
        for (const id of ids) {
          const { status, events } = await whenItAnswers(() => api.get(`/v1/claims/${id}`), 200)
          assert.equal(status, 'FAILED')
          assert.deepEqual(
            events.map(({ type }: { type: string }) => type),
            ['activity_window_elapsed', 'review_window_elapsed'],
          )
        }
      },
    )
  })
})

test('a database without Citus is not distributed, and says what it lacks', {
  skip: isOnCitus() && 'it has Citus',
}, async (t) => {
  const DATABASE_URL = await createTestDatabase(t)
  const { status, stderr } = await runSharedCli(['migrate', '--distribute'], { DATABASE_URL })
  assert.equal(status, 1)
  assert.match(stderr, /^claimkeeper: The tables cannot be distributed: the database has no Citus\. .*\n$/)
})
