import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import pg from 'pg'
import { ApiClient } from '../support/api-client.ts'
import { Conformance } from '../support/conformance.ts'
import { contractWith } from '../support/contracts.ts'
import { databaseProcess, hasRunningDatabase, madeDataFolder, newDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { holdClaims } from '../support/held-rows.ts'
import { exchangeLines } from '../support/line-exchange.ts'
import { runCli, type ServeProcess, startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

const clientOf = async ({ url, token }: Pick<ServeProcess, 'url' | 'token'>) =>
  new ApiClient(url, token, new Conformance(await (await fetch(`${url}/openapi.json`)).json()))

describe('serve with its embedded database', { concurrency: true }, () => {
  test('stops before it would be killed, though its database is frozen', {
    skip: process.platform !== 'linux' && 'elsewhere the processes of a server are not listed so',
  }, async (t) => {
    const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
    const served = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
    const postmaster = await databaseProcess(CLAIMKEEPER_DATA_DIR)
    const children = (await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')).trim()
    const frozen = [postmaster, ...children.split(' ').map(Number)]
    const signalEach = (signal: NodeJS.Signals) => {
      // Some end as soon as others go on.
      for (const pid of frozen) if (existsSync(`/proc/${pid}`)) process.kill(pid, signal)
    }
    t.after(() => signalEach('SIGCONT'))
    signalEach('SIGSTOP')
    const asked = fetch(`${served.url}/readyz`).catch(() => {})
    const startedAt = performance.now()
    await served.end('SIGTERM')
    assert.ok(performance.now() - startedAt < 10_000)
    await asked
    signalEach('SIGCONT')
  })

  test('starts from nothing, shows a token once, keeps its data between runs, and stops clean', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await newDataFolder(t)
    const first = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
    const { token } = first
    assert.ok(token, 'the banner shows the first token')
    assert.match(first.output(), /curl /)
    const claim = await (async () => {
      const api = await clientOf(first)
      return api.claim(await api.customer('acme'), contractWith())
    })()

    assert.equal(await first.end('SIGTERM'), 0)
    assert.equal(hasRunningDatabase(CLAIMKEEPER_DATA_DIR), false)

    const second = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
    assert.equal(second.token, null, 'the token is shown only once')
    const api = await clientOf({ url: second.url, token })
    assert.deepEqual(await api.readClaim(claim.id), claim)
    assert.equal(await second.end('SIGINT'), 0)
    assert.equal(hasRunningDatabase(CLAIMKEEPER_DATA_DIR), false)
  })

  test('killed with SIGKILL under load, it finds every acknowledged event again, each once', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
    const first = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
    const api = await clientOf(first)
    const customer = await api.customer('acme')
    const claims = await Promise.all(Array.from({ length: 5 }, () => api.claim(customer, contractWith())))

    const acknowledged = new Map<string, object>()
    const inDoubt = new Map<string, object>()
    const { promise: underLoad, resolve: reachLoad } = Promise.withResolvers<void>()
    const load = claims.map(async ({ id: claim_id }, i) => {
      for (let n = 0; ; n++) {
        const event = { claim_id, id: `event-${i}-${n}`, type: 'progress', value: n }
        inDoubt.set(event.id, event)
        const answer = await api.post('/v1/events', event).catch(() => null)
        if (answer === null) return
        assert.equal(answer.status, 201)
        acknowledged.set(event.id, event)
        inDoubt.delete(event.id)
        if (acknowledged.size === 200) reachLoad()
      }
    })
    await underLoad
    await first.end('SIGKILL')
    await Promise.all(load)
    assert.equal(hasRunningDatabase(CLAIMKEEPER_DATA_DIR), true, 'the database outlives its killed parent')

    const second = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
    const again = await clientOf({ url: second.url, token: first.token })
    for (const event of [...inDoubt.values(), ...[...acknowledged.values()].slice(-5)]) {
      assert.ok([200, 201].includes((await again.post('/v1/events', event)).status), 'a retry is safe')
    }
    const logs = await Promise.all(claims.map(async ({ id }) => (await again.readClaim(id)).events))
    assert.deepEqual(
      logs
        .flat()
        .map(({ id }: { id: string }) => id)
        .sort(),
      [...acknowledged.keys(), ...inDoubt.keys()].sort(),
    )
  })

  test('a second start on the same data folder says so in one line', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
    const first = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
    const { status, stderr } = await runCli(['serve'], { CLAIMKEEPER_DATA_DIR })
    assert.equal(status, 1)
    assert.match(stderr.trimEnd(), /^claimkeeper: .*already.*CLAIMKEEPER_DATA_DIR.*$/)
    assert.equal((await fetch(`${first.url}/readyz`)).status, 200)
  })

  test('comes back by itself when its database is killed', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
    const served = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
    const api = await clientOf(served)
    const claim = await api.claim(await api.customer('acme'), contractWith())
    process.kill(await databaseProcess(CLAIMKEEPER_DATA_DIR), 'SIGKILL')
    const answer = await eventually(
      async () => {
        const { status } = await api.post('/v1/events', { claim_id: claim.id, id: 'after', type: 'done' })
        return status < 500 && status
      },
      { seconds: 30 },
    )
    assert.ok(answer === 201 || answer === 200)
    assert.equal((await api.readClaim(claim.id)).events.length, 1)
  })

  test('the command line works while the service runs and while it does not', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await newDataFolder(t)
    const settings = { CLAIMKEEPER_DATA_DIR }
    assert.equal((await runCli(['migrate'], settings)).status, 0)
    const created = await runCli(['user', 'create', '--email', 'ann@example.com'], settings)
    assert.equal(created.status, 0, created.stderr)
    assert.equal(hasRunningDatabase(CLAIMKEEPER_DATA_DIR), false, 'what was started was stopped')

    const served = await startServeProcess(t, settings)
    assert.equal(served.token, null, 'there is an account, so none is made')
    const { stdout } = await runCli(
      ['token', 'create', '--email', 'ANN@example.com', '--name', 'test'],
      settings,
    )
    assert.match(stdout, /^ck_[A-Za-z0-9_-]{43}\n$/, 'the token alone')
    const api = await clientOf({ url: served.url, token: stdout.trim() })
    assert.equal((await api.get('/v1/claims')).status, 200)

    const list = JSON.parse((await runCli(['token', 'list', '--json'], settings)).stdout)
    assert.equal(list.length, 1)
    assert.doesNotMatch(JSON.stringify(list), new RegExp(stdout.trim()))
    assert.equal((await runCli(['token', 'revoke', list[0].id], settings)).status, 0)
    assert.equal((await api.get('/v1/claims')).status, 401, 'revoking is immediate')

    assert.equal(await served.end('SIGTERM'), 0)
    assert.match((await runCli(['token', 'list'], settings)).stdout, /ann@example.com .*revoked/)
    assert.equal(hasRunningDatabase(CLAIMKEEPER_DATA_DIR), false)
  })
})

describe('serve on a PostgreSQL of one’s own', { concurrency: true }, () => {
  test('a claim goes OPEN, PENDING, CONFIRMED on its own, by the live checks', async (t) => {
    const DATABASE_URL = await createTestDatabase(t)
    const api = await clientOf(await startServeProcess(t, { DATABASE_URL }))
    const customer = await api.customer('acme')
    const settled = await api.claim(customer, contractWith({ review_window: 0 }))
    const timedOut = await api.claim(
      customer,
      contractWith({ activity_window: 0.5, timeout_outcome: 'confirm' }),
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
      { seconds: 75 },
    )
    assert.match(confirmed.status_since, /:00\.000Z$/, 'at a whole minute')
    const pending = await api.readClaim(timedOut.id)
    assert.deepEqual([pending.status, pending.scheduled_outcome], ['PENDING', 'CONFIRMED'])
    assert.equal(pending.status_since, confirmed.status_since)
  })

  test('servers that start together on an empty database make one account between them', async (t) => {
    const DATABASE_URL = await createTestDatabase(t, { migrated: false })
    const servers = await Promise.all([1, 2, 3].map(() => startServeProcess(t, { DATABASE_URL })))
    assert.equal(servers.filter(({ token }) => token !== null).length, 1)
  })

  test('CLAIMKEEPER_BOOTSTRAP_TOKEN is the first account’s first token, and is not shown', async (t) => {
    const DATABASE_URL = await createTestDatabase(t)
    const CLAIMKEEPER_BOOTSTRAP_TOKEN = `ck_${'x'.repeat(43)}`
    const served = await startServeProcess(t, { DATABASE_URL, CLAIMKEEPER_BOOTSTRAP_TOKEN })
    assert.equal(served.token, null)
    const api = await clientOf({ url: served.url, token: CLAIMKEEPER_BOOTSTRAP_TOKEN })
    assert.equal((await api.get('/v1/claims')).status, 200)
  })

  test('at SIGTERM requests in flight are finished and new ones refused', async (t) => {
    const DATABASE_URL = await createTestDatabase(t)
    const served = await startServeProcess(t, { DATABASE_URL })
    const api = await clientOf(served)
    const { id } = await api.claim(await api.customer('acme'), contractWith())

    const held = await holdClaims(t, DATABASE_URL, [id])
    const inFlight = api.post('/v1/events', { claim_id: id, type: 'done' })
    await held.keepWaiting()
    const ended = served.end('SIGTERM')
    await eventually(async () => served.output().includes('SIGTERM'))
    await eventually(() =>
      fetch(`${served.url}/healthz`).then(
        () => false,
        () => true,
      ),
    )
    await held.letGo()
    const answer = await inFlight
    assert.equal(answer.status, 201)
    assert.equal(answer.headers.get('Connection'), 'close')
    assert.equal(await ended, 0)
  })

  test('a request that does not end does not hold up the stop for more than 10 seconds', async (t) => {
    const DATABASE_URL = await createTestDatabase(t)
    const served = await startServeProcess(t, { DATABASE_URL })
    const api = await clientOf(served)
    const { id } = await api.claim(await api.customer('acme'), contractWith())
    const held = await holdClaims(t, DATABASE_URL, [id])
    const stuck = api.post('/v1/events', { claim_id: id, type: 'done' }).catch(() => null)
    await held.keepWaiting()

    const startedAt = performance.now()
    assert.equal(await served.end('SIGTERM'), 0)
    assert.ok(performance.now() - startedAt < 10_000)
    assert.equal(await stuck, null)
    await held.letGo()
  })

  test('a client that goes on sending lines does not hold up the stop for more than 10 seconds', async (t) => {
    const DATABASE_URL = await createTestDatabase(t)
    const served = await startServeProcess(t, { DATABASE_URL })
    const api = await clientOf(served)
    const { id } = await api.claim(await api.customer('acme'), contractWith())
    const exchange = exchangeLines(api, '/v1/events/batch')
    const submit = async (name: string) => {
      await exchange.send(`${JSON.stringify({ claim_id: id, id: name, type: 'seen' })}\n`)
      return exchange.next()
    }
    assert.equal((await submit('0')).status, 201)

    const startedAt = performance.now()
    const ended = served.end('SIGTERM')
    const answers: { id: string; status: number }[] = []
    for (let n = 1; ; n++) {
      const answer = await submit(`${n}`).catch(() => null)
      if (answer === null) break
      answers.push({ id: `${n}`, status: answer.status })
    }
    assert.equal(await ended, 0)
    assert.ok(performance.now() - startedAt < 10_000)
    assert.ok(answers.every(({ status }) => status === 201 || status === 503))

    const again = await clientOf({ ...(await startServeProcess(t, { DATABASE_URL })), token: served.token })
    const log = new Set((await again.readClaim(id)).events.map((event: { id: string }) => event.id))
    for (const { id: name, status } of answers) if (status === 201) assert.ok(log.has(name), name)
  })

  test('a taken port says so in one line', async (t) => {
    const DATABASE_URL = await createTestDatabase(t)
    const occupant = createServer().listen(0, '127.0.0.1')
    await once(occupant, 'listening')
    t.after(() => occupant.close())
    const PORT = String((occupant.address() as AddressInfo).port)
    const { status, stderr } = await runCli(['serve'], { DATABASE_URL, PORT })
    assert.equal(status, 1)
    assert.equal(stderr, `claimkeeper: Port ${PORT} of 127.0.0.1 is taken; set PORT to another.\n`)
  })

  test('a database newer than the code is refused in one line', async (t) => {
    const DATABASE_URL = await createTestDatabase(t)
    const side = new pg.Client({ connectionString: DATABASE_URL })
    await side.connect()
    await side.query("INSERT INTO schema_migrations (version, name) VALUES (9999, 'x')")
    await side.end()
    const { status, stderr } = await runCli(['serve'], { DATABASE_URL })
    assert.equal(status, 1)
    assert.match(stderr, /^claimkeeper: The database is newer than this Claimkeeper: .*\n$/)
  })

  test('a wrong password is one line, without the password', async (t) => {
    const url = new URL(await createTestDatabase(t))
    url.username = 'nobody_here'
    url.password = 'hunter2'
    const { status, stderr } = await runCli(['migrate'], { DATABASE_URL: url.href })
    assert.equal(status, 1)
    assert.match(stderr, /^claimkeeper: Cannot use the database at [^\n]*\n$/)
    assert.doesNotMatch(stderr, /hunter2/)
  })
})

test('every command explains itself with --help', async () => {
  for (const command of [
    [],
    ['serve'],
    ['migrate'],
    ['user'],
    ['user', 'create'],
    ['user', 'list'],
    ['token'],
    ['token', 'create'],
    ['token', 'list'],
    ['token', 'revoke'],
  ]) {
    const { status, stdout } = await runCli([...command, '--help'], {})
    assert.equal(status, 0)
    assert.match(stdout, /^Usage: claimkeeper/)
  }
})

test('wrong settings, commands and arguments are answered by a clear line and status 1', async () => {
  for (const [args, settings, expected] of [
    [['serve'], { PORT: 'abc' }, /^claimkeeper: PORT must be a whole number from 0 to 65535, not "abc"\.\n$/],
    [['serve'], { DATABASE_URL: 'localhost' }, /^claimkeeper: DATABASE_URL must be a URL/],
    [['dance'], {}, /unknown command 'dance'/],
    [['token', 'create', '--email', 'a@b'], {}, /--name <name>' not specified/],
    [
      ['token', 'create', '--email', 'a@b', '--name', 'x', '--expires', '2001-01-01'],
      {},
      /It is in the past/,
    ],
  ] as const) {
    const { status, stderr } = await runCli([...args], settings)
    assert.equal(status, 1, args.join(' '))
    assert.match(stderr, expected)
  }
})
