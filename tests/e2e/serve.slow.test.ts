import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { Conformance } from '../support/conformance.ts'
import { contractWith } from '../support/contracts.ts'
import { databaseProcess, hasRunningDatabase, madeDataFolder, newDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { holdClaims } from '../support/held-rows.ts'
import { exchangeLines } from '../support/line-exchange.ts'
import { runCli, type ServeProcess, startServeProcess } from '../support/serve-process.ts'
import { signalEach } from '../support/signal-each.ts'
import { STOP_MS } from '../support/source/service.ts'
import { createTestDatabase } from '../support/test-database.ts'

const clientOf = async ({ url, token }: Pick<ServeProcess, 'url' | 'token'>) =>
  new ApiClient(url, token, new Conformance(await (await fetch(`${url}/openapi.json`)).json()))

test('a stop has less time than the ten seconds after which a container is killed', () => {
  assert.ok(STOP_MS < 10_000)
})

describe('serve with its embedded database', { concurrency: 2 }, () => {
  test('stops by itself, though its database is frozen', {
    skip: process.platform !== 'linux' && 'elsewhere the processes of a server are not listed so',
  }, async (t) => {
    const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
    const served = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
    const postmaster = await databaseProcess(CLAIMKEEPER_DATA_DIR)
    const children = (await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')).trim()
    const frozen = [postmaster, ...children.split(' ').map(Number)]
    t.after(() => signalEach(frozen, 'SIGCONT'))
    signalEach(frozen, 'SIGSTOP')
    const asked = fetch(`${served.url}/readyz`).catch(() => {})
    await served.end('SIGTERM')
    await asked
    signalEach(frozen, 'SIGCONT')
  })

  test('starts from nothing, shows a token once, keeps its data between runs, and lets commands work at any time', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await newDataFolder(t)
    const first = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
    assert.ok(first.token, 'the banner shows the first token')
    const api = await clientOf(first)
    const claim = await api.claim(await api.customer('acme'), contractWith())
    const other = await runCli(['serve'], { CLAIMKEEPER_DATA_DIR })
    assert.equal(other.status, 1)
    assert.match(other.stderr.trimEnd(), /^claimkeeper: .*already.*CLAIMKEEPER_DATA_DIR.*$/)
    const made = await runCli(['user', 'create', '--email', 'ann@example.com'], { CLAIMKEEPER_DATA_DIR })
    assert.equal(made.status, 0, made.stderr)

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

describe('serve on a PostgreSQL of one’s own', { concurrency: 2 }, () => {
  test('a claim goes OPEN, PENDING, CONFIRMED on its own, by the live checks', async (t) => {
    const DATABASE_URL = await createTestDatabase(t)
    const api = await clientOf(await startServeProcess(t, { DATABASE_URL }))
    const customer = await api.customer('acme')
    const settled = await api.claim(customer, contractWith({ review_window: 0 }))
    const timedOut = await api.claim(
      customer,
      contractWith({ activity_window: 0.001, review_window: 86_400, timeout_outcome: 'confirm' }),
    )
    assert.equal(
      (await api.post('/v1/events', { claim_id: settled.id, type: 'done' })).body.claim.status,
      'PENDING',
    )

    const confirmed = await eventually(
      async () => {
        const claim = await api.readClaim(settled.id)
        return claim.status === 'CONFIRMED' && claim
      },
      { seconds: 180 },
    )
    const pending = await api.readClaim(timedOut.id)
    assert.deepEqual([pending.status, pending.scheduled_outcome], ['PENDING', 'CONFIRMED'])
    for (const { status_since } of [confirmed, pending]) assert.match(status_since, /:00\.000Z$/)
  })

  test('servers that start together on an empty database make one account between them', async (t) => {
    const DATABASE_URL = await createTestDatabase(t, { migrated: false })
    const servers = await Promise.all([1, 2, 3].map(() => startServeProcess(t, { DATABASE_URL })))
    assert.equal(servers.filter(({ token }) => token !== null).length, 1)
  })

  test('a request that does not end, and a client that goes on sending lines, do not hold up the stop', async (t) => {
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
    await held.keepWaiting()
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
    await held.letGo()
    assert.ok(answers.every(({ status }) => status === 201 || status === 503))

    const again = await clientOf({ ...(await startServeProcess(t, { DATABASE_URL })), token: served.token })
    const log = new Set(await again.eventIds(id))
    for (const { id: name, status } of answers) if (status === 201) assert.ok(log.has(name), name)
  })
})
