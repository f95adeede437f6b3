import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { clientOf } from '../support/client-of.ts'
import { databaseProcess, hasRunningDatabase, madeDataFolder, newDataFolder } from '../support/data-folder.ts'
import { isRunning } from '../support/embedded-data-folder.ts'
import { startEventLoad } from '../support/event-load.ts'
import { eventually } from '../support/eventually.ts'
import { movedBy, TIMES_OF_CLAIM } from '../support/moved-times.ts'
import { newClaim } from '../support/new-records.ts'
import { runCli, type ServeProcess, startServeProcess } from '../support/serve-process.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestService } from '../support/test-service.ts'

/* One service of several processes: what one alone does, they do together, whichever of them dies. */

const loading = (name: string) => `--import ${new URL(`../support/${name}.ts`, import.meta.url).href}`

/** Two workers on a database of the tests, and a server beside them that makes accounts and asks the database. */
async function startTwo(t: TestContext, settings: Record<string, string> = {}) {
  const DATABASE_URL = await createTestDatabase(t)
  const served = await startServeProcess(t, { DATABASE_URL, CLAIMKEEPER_WORKERS: '2', ...settings })
  const beside = await startTestService(t, { databaseUrl: DATABASE_URL })
  const api = await clientOf({ url: served.url, token: beside.api.token })
  return { served, beside, api, pids: () => pidsOf(served) }
}

/** The process of each worker that listens, by its number: as the log has it. */
function pidsOf(served: ServeProcess): Record<string, number> {
  const lines = served.output().matchAll(/"pid":(\d+).*"worker":(\d+).*"Server listening/g)
  return Object.fromEntries([...lines].map(([, pid, worker]) => [worker, Number(pid)]))
}

const untilEnded = (pids: Iterable<number>) =>
  eventually(async () => !(await Promise.all([...pids].map(isRunning))).some(Boolean))

/** A connection of its own for each, which come to the workers by turns. */
const getEach = (api: ApiClient, count: number) =>
  Promise.all(Array.from({ length: count }, () => api.get('/v1/me', { Connection: 'close' })))

describe('several workers', { concurrency: 2 }, () => {
  test('one that is killed, fails or hangs is started again, and the others answer meanwhile', async (t) => {
    const { served, api, pids } = await startTwo(t, { NODE_OPTIONS: loading('fault-on-signal') })
    const all = new Set(Object.values(pids()))
    const untilReplaced = async (worker: string, before: Record<string, number>) => {
      await eventually(async () => pids()[worker] !== before[worker])
      for (const pid of Object.values(pids())) all.add(pid)
    }

    await t.test('killed in the middle of a load: nothing is lost, nothing doubled', async () => {
      const before = pids()
      // Many: all of them would be settled while a worker starts on a busy machine.
      const load = await startEventLoad(api, [served.url], 300)
      for (const worker of ['1', '2']) {
        await load.acknowledges(150)
        process.kill(before[worker] as number, 'SIGKILL')
        await untilReplaced(worker, before)
      }
      await load.acknowledges(150)
      await load.stop()
      assert.ok(load.retries() > 0, 'the kills were felt')
      await load.verify(api)
      assert.match(served.output(), /"worker":1,"code":null,"signal":"SIGKILL".*restarting it/)
    })

    await t.test('an uncaught exception stops only its own worker, in order', async () => {
      const before = pids()
      process.kill(before[2] as number, 'SIGUSR2')
      await untilReplaced('2', before)
      assert.match(served.output(), /"worker":2.*uncaught exception/)
      assert.match(served.output(), /"worker":2,"code":1,"signal":null.*restarting it/)
      assert.equal(pids()[1], before[1])
      // A worker that is stopped is handled like one that fails.
      process.kill(before[1] as number, 'SIGTERM')
      await untilReplaced('1', before)
      assert.ok((await getEach(api, 6)).every(({ status }) => status === 200))
    })

    await t.test('one that hangs is killed; the others answer meanwhile', async () => {
      const before = pids()
      const load = await startEventLoad(api, [served.url], 6, { isLight: true })
      process.kill(before[1] as number, 'SIGSTOP')
      await load.acknowledges(5)
      await untilReplaced('1', before)
      await load.acknowledges(5)
      await load.stop()
      await load.verify(api)
      assert.match(served.output(), /"worker":1.*"worker unresponsive, killed"/)
    })

    assert.equal(await served.end('SIGTERM'), 0)
    await untilEnded(all)
  })

  test('the one that does the scheduled checks is killed: another does them', async (t) => {
    const { served, beside, api, pids } = await startTwo(t, {
      NODE_OPTIONS: loading('minute-soon'),
      UNTIL_FIRST_CHECK_MS: '12000',
    })
    const doers = () =>
      [...served.output().matchAll(/"worker":(\d).*elected as scheduler/g)].map(([, n]) => n as string)
    const [first] = doers()
    const { id } = await newClaim(api)
    await beside.sql(`UPDATE claims SET ${movedBy('-9 years', TIMES_OF_CLAIM)}`)
    process.kill(pids()[first as string] as number, 'SIGKILL')
    await eventually(async () => doers().length === 2)
    assert.notEqual(doers()[1], first)
    // On a busy machine its first whole minute is over before it does the checks: then the next one counts.
    await eventually(async () => (await api.readClaim(id)).status !== 'OPEN', { seconds: 90 })
    // Told once the check is over.
    const logLine = new RegExp(`"worker":${doers()[1]}.*"transitions":.*"scheduled check"`)
    await eventually(async () => logLine.test(served.output()))
  })

  test('what an account may do in a minute is counted for all of them together, to the last item', async (t) => {
    const { beside, api } = await startTwo(t, { CLAIMKEEPER_RATE_LIMIT: '40' })
    const answers = await getEach(api, 60)
    assert.equal(answers.filter(({ status }) => status === 200).length, 40)
    const left = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => headers.get('ratelimit-remaining'))
    assert.deepEqual(new Set(left), new Set(Array.from({ length: 40 }, (_, i) => `${i}`)))

    const other = await beside.newAccount()
    const { id } = await newClaim(other)
    const there = await clientOf({ url: api.url, token: other.token })
    const events = Array.from({ length: 30 }, () => ({ claim_id: id, type: 'note' }))
    const batches = await Promise.all(
      [1, 2].map(() => there.post('/v1/events/batch', { events }, { Connection: 'close' })),
    )
    const statuses = batches.flatMap(({ body }) =>
      body.results.map(({ status }: { status: number }) => status),
    )
    assert.equal(statuses.filter((status) => status === 201).length, 40)
    assert.equal(statuses.filter((status) => status === 429).length, 20)
  })

  test('the process that started them is killed: they end, and the next start has the embedded database again', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
    const settings = { CLAIMKEEPER_DATA_DIR, CLAIMKEEPER_WORKERS: '2' }
    const first = await startServeProcess(t, settings)
    const { id } = await newClaim(await clientOf(first))
    await first.end('SIGKILL')
    await untilEnded(Object.values(pidsOf(first)))

    const second = await startServeProcess(t, settings)
    const api = await clientOf({ url: second.url, token: first.token })
    assert.equal((await api.readClaim(id)).status, 'OPEN')
    process.kill(await databaseProcess(CLAIMKEEPER_DATA_DIR), 'SIGQUIT')
    await eventually(async () => second.output().includes('PostgreSQL runs again'))
    await eventually(async () => (await getEach(api, 4)).every(({ status }) => status === 200))
    assert.equal(await second.end('SIGINT'), 0)
    assert.equal(hasRunningDatabase(CLAIMKEEPER_DATA_DIR), false)
  })

  test('one that cannot start: the start says so, and leaves nothing behind', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await newDataFolder(t)
    const tooMany = await runSharedCli(['serve'], { CLAIMKEEPER_DATA_DIR, CLAIMKEEPER_WORKERS: '20' })
    assert.equal(tooMany.status, 1)
    assert.match(tooMany.stderr, /CLAIMKEEPER_WORKERS must be at most 10 on the embedded database/)

    const taken = await startTestService(t)
    const { port } = new URL(taken.url)
    const settings = { DATABASE_URL: taken.databaseUrl, CLAIMKEEPER_WORKERS: '2', PORT: port }
    const { status, stderr } = await runCli(['serve'], settings)
    assert.equal(status, 1)
    assert.match(stderr, new RegExp(`Port ${port} of 127.0.0.1 is taken`))
  })
})
