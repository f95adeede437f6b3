import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { clientOf } from '../support/client-of.ts'
import { contractWith } from '../support/contracts.ts'
import { databaseProcess, hasRunningDatabase, madeDataFolder, newDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { holdClaims } from '../support/held-rows.ts'
import { exchangeLines } from '../support/line-exchange.ts'
import { runCli, startServeProcess } from '../support/serve-process.ts'
import { serverProcesses, signalEach } from '../support/signal-each.ts'
import { STOP_TIMEOUT_MS } from '../support/source/service.ts'
import { createTestDatabase } from '../support/test-database.ts'

test('a stop has less time than the ten seconds after which a container is killed', () => {
  assert.ok(STOP_TIMEOUT_MS < 10_000)
})

describe('serve with its embedded database', { concurrency: 2 }, () => {
  test('stops by itself, though its database is frozen', {
    skip: process.platform !== 'linux' && 'elsewhere the processes of a server are not listed so',
  }, async (t) => {
    const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
    const served = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
    const frozen = await serverProcesses(await databaseProcess(CLAIMKEEPER_DATA_DIR))
    t.after(() => signalEach(frozen, 'SIGCONT'))
    signalEach(frozen, 'SIGSTOP')
    const request = fetch(`${served.url}/readyz`).catch(() => {})
    await served.end('SIGTERM')
    await request
    signalEach(frozen, 'SIGCONT')
  })

  test('starts from nothing, shows a token once, keeps its data between runs, and lets commands work at any time', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await newDataFolder(t)
    const first = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
    assert.equal(first.output().split(`${first.token}`).length, 2, 'the banner shows the first token, once')
    const api = await clientOf(first)
    const claim = await api.claim(await api.customer('acme'), contractWith())
    const other = await runCli(['serve'], { CLAIMKEEPER_DATA_DIR })
    assert.equal(other.status, 1)
    assert.match(other.stderr.trimEnd(), /^claimkeeper: .*already.*CLAIMKEEPER_DATA_DIR.*$/)
    assert.equal((await fetch(`${first.url}/readyz`)).status, 200)
    const created = await runCli(['user', 'create', '--email', 'ann@example.com'], { CLAIMKEEPER_DATA_DIR })
    assert.equal(created.status, 0, created.stderr)

    assert.equal(await first.end('SIGTERM'), 0)
    assert.equal(hasRunningDatabase(CLAIMKEEPER_DATA_DIR), false)
    const args = ['token', 'create', '--email', 'ann@example.com', '--name', 'test']
    const { stdout } = await runCli(args, { CLAIMKEEPER_DATA_DIR })
    assert.equal(hasRunningDatabase(CLAIMKEEPER_DATA_DIR), false, 'what was started was stopped')

    const second = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
    assert.equal(second.token, null, 'the token is shown only once')
    const again = await clientOf({ url: second.url, token: first.token })
    assert.deepEqual(await again.readClaim(claim.id), claim)
    const ann = await clientOf({ url: second.url, token: stdout.trim() })
    assert.deepEqual((await ann.get('/v1/claims')).body.data, [])
    assert.equal(await second.end('SIGINT'), 0)
    assert.equal(hasRunningDatabase(CLAIMKEEPER_DATA_DIR), false)
  })
})

const minuteOf = (time: string) => Math.floor(Date.parse(time) / 60_000)

describe('serve on a PostgreSQL of one’s own', { concurrency: 2 }, () => {
  test('a claim goes OPEN, PENDING, CONFIRMED on its own, by the live checks', async (t) => {
    const DATABASE_URL = await createTestDatabase(t)
    const api = await clientOf(await startServeProcess(t, { DATABASE_URL }))
    const customer = await api.customer('acme')
    // Both are due in the same minute, so that one check decides both.
    const { settled, timedOut } = await eventually(async () => {
      const timedOut = await api.claim(
        customer,
        contractWith({ activity_window: 0.001, review_window: 86_400, timeout_outcome: 'confirm' }),
      )
      const settled = await api.claim(customer, contractWith({ review_window: 0 }))
      const { body } = await api.post('/v1/events', { claim_id: settled.id, type: 'done' })
      assert.equal(body.claim.status, 'PENDING')
      return minuteOf(timedOut.created_at) === minuteOf(body.event.created_at) && { settled, timedOut }
    })

    const confirmed = await eventually(
      async () => {
        const claim = await api.readClaim(settled.id)
        return claim.status === 'CONFIRMED' && claim
      },
      { seconds: 180 },
    )
    const pending = await api.readClaim(timedOut.id)
    assert.deepEqual([pending.status, pending.scheduled_outcome], ['PENDING', 'CONFIRMED'])
    assert.match(confirmed.status_since, /:00\.000Z$/)
    assert.equal(pending.status_since, confirmed.status_since)
  })

  test('servers that start together on an empty database make one account between them', async (t) => {
    const DATABASE_URL = await createTestDatabase(t, { migrated: false })
    const servers = await Promise.all([1, 2, 3].map(() => startServeProcess(t, { DATABASE_URL })))
    assert.equal(servers.filter(({ token }) => token !== null).length, 1)
  })

  test('an unfinished request and a client that keeps sending lines do not delay the stop', async (t) => {
    const DATABASE_URL = await createTestDatabase(t)
    const served = await startServeProcess(t, { DATABASE_URL })
    const api = await clientOf(served)
    const customer = await api.customer('acme')
    const [id, stuckId] = [
      (await api.claim(customer, contractWith())).id,
      (await api.claim(customer, contractWith())).id,
    ]
    const held = await holdClaims(t, DATABASE_URL, [stuckId])
    const stuck = api.post('/v1/events', { claim_id: stuckId, type: 'done' }).catch(() => null)
    await held.untilStatementsWait()
    const exchange = exchangeLines(api, '/v1/events/batch')
    const submit = async (name: string) => {
      await exchange.send(`${JSON.stringify({ claim_id: id, id: name, type: 'seen' })}\n`)
      return exchange.next()
    }
    assert.equal((await submit('0')).status, 201)

    const ended = served.end('SIGTERM')
    const answers: { id: string; status: number }[] = []
    for (let n = 1; ; n++) {
      const answer = await submit(`${n}`).catch(() => null)
      if (answer === null) break
      answers.push({ id: `${n}`, status: answer.status })
    }
    assert.equal(await ended, 0)
    assert.equal(await stuck, null)
    await held.release()
    assert.ok(answers.every(({ status }) => status === 201 || status === 503))

    const again = await clientOf({ ...(await startServeProcess(t, { DATABASE_URL })), token: served.token })
    const log = new Set(await again.eventIds(id))
    for (const { id: name, status } of answers) if (status === 201) assert.ok(log.has(name), name)
  })
})
