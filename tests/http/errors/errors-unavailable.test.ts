import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import type { Answer } from '../../support/api-client.ts'
import { assertError, assertUnavailable } from '../../support/assert-error.ts'
import { nodesOfRun } from '../../support/database-nodes.ts'
import { endSessions } from '../../support/end-sessions.ts'
import { eventually } from '../../support/eventually.ts'
import { newClaim, uniqueName } from '../../support/new-records.ts'
import { PASSWORD, signUp } from '../../support/session-client.ts'
import { CODE_VERSION } from '../../support/source/database.ts'
import { startTestService } from '../../support/test-service.ts'

const service = await startTestService({ after })
const { api } = service
const anonymous = service.clientWith(null)

const admin = new pg.Client({ connectionString: nodesOfRun()[0] ?? '' })
await admin.connect()
after(() => admin.end())

/** An answer of /readyz is shared for a moment, so a change shows a moment later. */
const isReady = async () => (await anonymous.get('/readyz')).body.status === 'ready'

describe('503 UNAVAILABLE: the database is unreachable', () => {
  test('every path that needs the database answers 503 with Retry-After, and recovers when it is reachable', async () => {
    const claim = await newClaim(api)
    const event = { claim_id: claim.id, id: 'e', type: 'a' }
    await whileAway(async () => {
      for (let i = 0; i < 3; i++) {
        assertUnavailable(await api.get(`/v1/claims/${claim.id}`))
        assertUnavailable(await api.get('/v1/claims'))
        assertUnavailable(await api.post('/v1/events', event))
        assertUnavailable(await api.post('/v1/customers', { external_id: uniqueName() }))
        assertUnavailable(await anonymous.get('/readyz'))
        assert.deepEqual((await anonymous.get('/healthz')).body, { status: 'alive' })
      }
      assertError(await anonymous.get('/v1/claims'), 401, 'TOKEN_INVALID')
      assertError(await api.get('/v1/nowhere'), 404, 'ROUTE_NOT_FOUND')
    })
    await eventually(isReady)
    assert.deepEqual(await api.readClaim(claim.id), claim)
    assert.equal((await api.post('/v1/events', event)).status, 201)
  })

  test('no session is opened or ended, and sessions continue when the database is reachable', async () => {
    const { email, browser } = await signUp(service)
    const { cookie } = browser
    await whileAway(async () => {
      const credentials = { email, password: PASSWORD }
      for (let i = 0; i < 2; i++) {
        assertUnavailable(await browser.get('/v1/me'))
        for (const path of ['get-session', 'list-sessions'])
          assertUnavailable(await browser.get(`/api/auth/${path}`))
        assertUnavailable(await browser.post('/api/auth/sign-in/email', credentials))
        assertUnavailable(await browser.post('/api/auth/sign-up/email', { ...credentials, name: 'n' }))
        assertUnavailable(await browser.post('/api/auth/revoke-other-sessions'))
        assertUnavailable(await browser.post('/api/invitations/lookup', { key: 'x'.repeat(43) }))
      }
    })
    assert.equal(browser.cookie, cookie)
    assert.equal((await browser.get('/v1/me')).status, 200)
  })

  test('connections that broke while idle cause no error to callers', async () => {
    const claim = await newClaim(api)
    await whileAway(async () => {})
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.readClaim(claim.id)))
    for (const answer of answers) assert.deepEqual(answer, claim)
  })

  test('/readyz answers 503 while the database lacks migrations of this server', async () => {
    await eventually(isReady)
    await service.sql('UPDATE schema_migrations SET version = -version')
    try {
      await eventually(async () => !(await isReady()))
      assertUnavailable(await anonymous.get('/readyz'))
    } finally {
      await service.sql('UPDATE schema_migrations SET version = -version')
    }
  })

  test('/readyz answers 503 once a migration makes the database incompatible with this server', async () => {
    const add = (version: number, worksFrom: number) =>
      service.sql('INSERT INTO schema_migrations (version, name, works_from) VALUES ($1, $2, $3)', [
        version,
        'newer.sql',
        worksFrom,
      ])
    try {
      await add(9_998, CODE_VERSION)
      await add(9_999, 9_998)
      const why = `it has migration 9999, which requires servers with migration 9998 or later, and this server has migrations up to ${CODE_VERSION}`
      await eventually(async () => {
        const { status, body } = await anonymous.get('/readyz')
        return status === 503 && body.error.message === `The database is too new for this server: ${why}.`
      })
      await service.sql('DELETE FROM schema_migrations WHERE version = 9999')
      await eventually(isReady)
    } finally {
      await service.sql('DELETE FROM schema_migrations WHERE version > 9000')
    }
  })
})

test('/readyz answers 503 while the database is read-only, and concurrent requests share one write and one log line', async (t) => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) })
  const { url } = await startTestService(t, { log, databaseUrl: service.databaseUrl })
  const getReadiness = () => fetch(`${url}/readyz`)
  await setReadOnly('on')
  t.after(() => setReadOnly('off'))
  const startedAt = performance.now()
  const answers = await Promise.all(Array.from({ length: 50 }, getReadiness))
  const tookMs = performance.now() - startedAt
  for (const answer of answers) {
    assert.equal(answer.status, 503)
    assert.match(((await answer.json()) as Answer['body']).error.message, /accepts no writes/)
  }
  // An answer is shared for two seconds.
  assert.ok(lines.length >= 1 && lines.length <= 1 + tookMs / 2_000, `${lines.length} in ${tookMs} ms`)
  for (const line of lines) assert.match(line, /read-only transaction/)

  await setReadOnly('off')
  await eventually(async () => (await getReadiness()).status === 200)
  await setReadOnly('on')
  await eventually(async () => (await getReadiness()).status === 503)
})

describe('500 INTERNAL_ERROR', () => {
  test('an internal error answers 500 without its cause', async () => {
    await service.sql('ALTER TABLE customers RENAME COLUMN external_id TO something_secret')
    try {
      const answer = await api.get('/v1/customers')
      assertError(answer, 500, 'INTERNAL_ERROR')
      assert.doesNotMatch(
        JSON.stringify(answer.body),
        /external_id|customers|column|SELECT|\.ts|node_modules/,
      )
    } finally {
      await service.sql('ALTER TABLE customers RENAME COLUMN something_secret TO external_id')
    }
  })
})

/** Takes the database away, with ten connections of the pool open, and brings it back after the work. */
async function whileAway(work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: 10 }, () => api.get('/v1/claims')))
  const name = new URL(service.databaseUrl).pathname.slice(1)
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  await endSessions(service.databaseUrl)
  try {
    await work()
  } finally {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  }
}

/** For every connection from now on. */
async function setReadOnly(onOff: 'on' | 'off'): Promise<void> {
  const { databaseUrl } = service
  const name = new URL(databaseUrl).pathname.slice(1)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('SET default_transaction_read_only = off')
  await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${onOff}`)
  await client.end()
  await endSessions(databaseUrl)
}
