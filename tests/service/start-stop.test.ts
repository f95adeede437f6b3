import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createClaim } from '../../src/claims/create/create-claims.ts'
import { getClaim } from '../../src/claims/get-claim.ts'
import { contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { holdClaims, holdCreations, holdReads, holdTokens } from '../support/held-rows.ts'
import { newClaim } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { hashToken } from '../support/source/accounts.ts'
import { Database } from '../support/source/database.ts'
import { Scheduler } from '../support/source/decisions.ts'
import {
  type App,
  createApp,
  type Lifecycle,
  lifecyclesOf,
  startAll,
  stopAll,
} from '../support/source/service.ts'
import { POOL_SIZE } from '../support/test-service.ts'

/* What starts and stops with the service. */

const service = await sharedService()
const { api, databaseUrl } = service
const userId: string = (await api.get('/v1/me')).body.id
const { id: claimId, customer_id: customerId } = await newClaim(api)

/** Work of a part that goes on until it is let go. */
interface Work {
  release: () => Promise<unknown>
  /** What came of it. */
  done: () => Promise<unknown>
}

const submissionOf = (id: string) => ({
  userId,
  address: { kind: 'claim', id: claimId } as const,
  submission: { id, type: 'a', payload: {}, payloadBytes: 2 },
  payloadJson: '{}',
})
const newClaimOf = (customerId: string) => ({
  customerId,
  source: { contract: contractWith() },
  testClockId: null,
  reference: null,
  place: 0,
  metadata: {},
  reminders: null,
})
const OVERVIEW = { userId, customerId: null, testClockId: null, days: 30, timeZone: 'UTC' }

const job = Promise.withResolvers<void>()
const jobs = { begun: 0, ended: 0 }
const scheduler = new Scheduler(
  [
    {
      name: 'long',
      every: 1,
      run: async () => {
        jobs.begun++
        await job.promise
        jobs.ended++
      },
    },
  ],
  (error) => assert.fail(error as Error),
)

/** Gives each part work; the owners of tokens have none but to listen, and who waits for news is let go at the stop. */
const BEGIN: Record<string, (app: App, t: TestContext) => Promise<Work | null>> = {
  tokenOwners: async () => null,
  lockedClocks: async () => null,
  feedCursors: async () => null,
  feedWatch: async () => null,
  webhookSecrets: async () => null,
  // What it leaves at work: tests/database/background-migrations.test.ts.
  backgroundMigrations: async () => null,
  tokenUse: async (app, t) => {
    const held = await holdTokens(t, databaseUrl)
    const tokenHash = hashToken(api.token as string)
    app.tokenUse.note({ userId, tokenHash })
    await held.untilStatementsWait()
    const wasUsed = async () => {
      const rows = await service.sql('SELECT last_used_at FROM api_tokens WHERE token_hash = $1', [tokenHash])
      assert.notEqual(rows[0]?.last_used_at, null)
    }
    return { release: held.release, done: wasUsed }
  },
  submissions: async (app, t) => {
    const held = await holdClaims(t, databaseUrl, [claimId])
    const submitted = app.submissions.submit(submissionOf('before'))
    await held.untilStatementsWait()
    return { release: held.release, done: () => submitted }
  },
  creations: async (app, t) => {
    const held = await holdCreations(t, databaseUrl)
    const created = createClaim(app, userId, newClaimOf(customerId), async () => {})
    await held.untilStatementsWait()
    return { release: held.release, done: () => created }
  },
  shortClaims: async (app, t) => {
    const held = await holdReads(t, databaseUrl)
    const read = getClaim(app, userId, { kind: 'claim', id: claimId })
    await held.untilStatementsWait()
    return { release: held.release, done: () => read }
  },
  overviews: async (app, t) => {
    const held = await holdReads(t, databaseUrl)
    const overview = app.overviews.get(OVERVIEW)
    await held.untilStatementsWait()
    return { release: held.release, done: () => overview }
  },
  scheduler: async () => {
    await eventually(async () => jobs.begun > 0)
    return {
      release: async () => job.resolve(),
      done: async () => assert.deepEqual(jobs, { begun: 1, ended: 1 }),
    }
  },
}

function newApp(t: TestContext): App {
  const { distribution } = service.app.db
  const app = createApp(new Database({ connectionString: databaseUrl, poolSize: POOL_SIZE, distribution }))
  t.after(() => app.db.close())
  return app
}

const partOf = (app: App, name: string): Lifecycle =>
  name === 'scheduler' ? scheduler : (app[name as keyof App] as unknown as Lifecycle)

test('each part of the service is tried here', (t) => {
  const app = newApp(t)
  const tried = Object.keys(BEGIN).map((name) => partOf(app, name))
  assert.deepEqual(new Set(tried), new Set([...lifecyclesOf(app), scheduler]))
})

test('each part stops though it was never started', async (t) => {
  const app = newApp(t)
  for (const name of Object.keys(BEGIN)) await partOf(app, name).stop()
})

for (const [name, begin] of Object.entries(BEGIN)) {
  test(`the part ${name} finishes its work before it stops, and can be stopped twice`, async (t) => {
    const app = newApp(t)
    const part = partOf(app, name)
    await startAll([part])
    const work = await begin(app, t)
    const stopped = { isDone: false }
    const stopping = Promise.all([part.stop(), part.stop()]).then(() => {
      stopped.isDone = true
    })
    if (work) {
      // A way to the database and back.
      await app.db.checks.query({ text: 'SELECT 1' })
      assert.equal(stopped.isDone, false)
      await work.release()
    }
    await stopping
    await work?.done()
  })
}

test('a request that waits for a locked clock continues at the stop, and later requests do not wait', async (t) => {
  const { lockedClocks } = newApp(t)
  const clock = { userId, id: claimId }
  const waiting = lockedClocks.untilFree(clock)
  await lockedClocks.stop()
  await waiting
  await lockedClocks.untilFree(clock)
})

test('a request that waits for notifications continues at the stop, and later requests do not wait', async (t) => {
  const { feedWatch } = newApp(t)
  const { signal } = new AbortController()
  const place = { userId, parts: ['changes'] as const, after: 1n << 60n }
  const waiting = feedWatch.waitForNews(place, 60_000, signal)
  await feedWatch.stop()
  await waiting
  await feedWatch.waitForNews(place, 60_000, signal)
})

test('behind its stop the queue refuses, and no use of a token is noted', async (t) => {
  const app = newApp(t)
  await startAll(lifecyclesOf(app))
  await stopAll(lifecyclesOf(app), (error) => assert.fail(error as Error))
  const refused = { code: 'UNAVAILABLE', message: 'The server is stopping.' }
  await assert.rejects(app.submissions.submit(submissionOf('behind')), refused)
  app.tokenUse.note({ userId, tokenHash: Buffer.alloc(32) })
  assert.equal(app.tokenOwners.cached(hashToken(api.token as string)), null)
})

test('the error of a part that fails to stop is reported, and the other parts stop', async () => {
  const errors: unknown[] = []
  let isStopped = false
  const failing = { stop: () => Promise.reject(new Error('stuck')) }
  const good = {
    stop: async () => {
      isStopped = true
    },
  }
  await stopAll([failing, good], (error) => errors.push(error))
  assert.deepEqual([isStopped, errors.map(String)], [true, ['Error: stuck']])
})
