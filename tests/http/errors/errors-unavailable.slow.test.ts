import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import type { Answer } from '../../support/api-client.ts'
import { assertError, assertUnavailable } from '../../support/assert-error.ts'
import { clientOf } from '../../support/client-of.ts'
import { contractWith } from '../../support/contracts.ts'
import { eventually } from '../../support/eventually.ts'
import { IN_THE_BACKGROUND } from '../../support/fault-proxy.ts'
import { holdClaims } from '../../support/held-rows.ts'
import { newClaim } from '../../support/new-records.ts'
import { runBatch } from '../../support/run-batch.ts'
import { startServeProcess } from '../../support/serve-process.ts'
import { signIn, signUp } from '../../support/session-client.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'
import { startStruckService } from '../../support/struck-service.ts'
import { assertLogMatches, requestFor, submitAll } from '../../support/submissions.ts'
import { startTestService } from '../../support/test-service.ts'

test('503 UNAVAILABLE: a batch beyond the 5,000 events of an account that may wait is refused at once, with one line in the log', async (t) => {
  const lines: { route: string; msg: string }[] = []
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) })
  const service = await startTestService(t, { log })
  const { api } = service
  const claims = [await newClaim(api), await newClaim(api)]
  const held = await holdClaims(
    t,
    service.databaseUrl,
    claims.map(({ id }) => id),
  )
  const requests = Array.from({ length: 5_000 }, (_, i) => requestFor(claims[i % 2], `${i}`))
  const waiting = submitAll(service.app.submissions, requests)
  const batch = Array.from({ length: 1_000 }, (_, i) => ({
    claim_id: claims[0].id,
    id: `late-${i}`,
    type: 'a',
  }))
  const refused = await runBatch(api, '/v1/events/batch', batch)
  await held.letGo()
  assert.deepEqual(new Set(refused.map(({ error }) => error.code)), new Set(['UNAVAILABLE']))
  const [line, ...more] = lines
  assert.equal(line?.route, '/v1/events/batch')
  assert.equal(line?.msg, refused[0].error.message)
  assert.deepEqual(more, [])

  const outcomes = await waiting
  for (const [n, { id }] of claims.entries()) {
    const log = await api.eventIds(id)
    assertLogMatches(
      log,
      requests.map(({ submission }) => submission.id).filter((_, i) => i % 2 === n),
      outcomes,
    )
  }
})

/** The sessions have ended by then, so no answer may say that they have not. */
const AFTER_THE_COMMIT = /find_last_revocation|count_servers_behind/

test('what an account asks of its sessions is answered 503, whichever statement before the commit is lost', async (t) => {
  const written = t.mock.method(console, 'error')
  const service = await startStruckService(t)
  const { proxy } = service
  const { email, browser } = await signUp(service)
  const statementsOf = async (ask: () => Promise<Answer>) => {
    const asked: string[] = []
    proxy.listen((statement) => {
      if (!IN_THE_BACKGROUND.test(statement)) asked.push(statement)
    })
    assert.equal((await ask()).status, 200)
    proxy.listen(null)
    return new Set(asked.filter((statement) => !/^(begin|commit|rollback|set|listen)/i.test(statement)))
  }
  for (const ask of [
    () => browser.get('/api/auth/get-session'),
    () => browser.get('/api/auth/list-sessions'),
    () => browser.post('/api/auth/revoke-other-sessions'),
  ]) {
    // The revocation watch may send statements of its own after its connection broke.
    const wanted = (await statementsOf(ask)).intersection(await statementsOf(ask))
    assert.ok(wanted.size > 0)
    for (const statement of wanted) {
      proxy.inject({ statement }, 'cut during')
      const answer = await ask()
      if (AFTER_THE_COMMIT.test(statement)) assert.equal(answer.status, 200)
      else assertUnavailable(answer)
      await eventually(async () => (await browser.get('/v1/me')).status === 200)
    }
  }
  assert.ok((await signIn(service, email)).cookie)
  assert.equal(written.mock.callCount(), 0, 'the library writes to no console')
})

/** What /readyz answers, once it answers so. */
const readiness = ({ url }: { url: string }, status: 200 | 503) =>
  eventually(async () => {
    const answer = await fetch(`${url}/readyz`)
    return answer.status === status && ((await answer.json()) as Answer['body'])
  })

test('/readyz is 503 while a full disk refuses writes, /healthz is not, and both are 200 when there is room', async (t) => {
  const disk = await mountSmallDisk(t, 160)
  if (!disk) return t.skip('no disk can be mounted here')
  const served = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR: disk.dataDir })
  const api = await clientOf(served)
  const customer = await api.customer('acme')
  await readiness(served, 200)

  await disk.fill()
  // On a disk that is full to the last page some inserts still find room in pages that there are.
  await eventually(async () => {
    const claims = Array.from({ length: 200 }, () => ({ customer_id: customer, contract: contractWith() }))
    const { body } = await api.post('/v1/claims/batch', { claims })
    return body.error ?? body.results?.some(({ status }: { status: number }) => status === 503)
  })
  const { error } = await readiness(served, 503)
  assert.match(error.message, /^The (database accepts no writes now|database cannot be reached)/)
  assert.equal((await fetch(`${served.url}/healthz`)).status, 200)
  await disk.clear()
  await readiness(served, 200)
})

test('/readyz is 503 whatever the write fails with', async (t) => {
  const service = await startStruckService(t)
  for (const refused of ['XX000', '22P02', '42501']) {
    service.proxy.inject({ statement: 'try_write' }, { refused })
    assert.match((await readiness(service, 503)).error.message, /accepts no writes/)
    assert.ok(service.proxy.wasInjected())
    await readiness(service, 200)
  }
})

test('/readyz waits no longer than some seconds for a write, and its answer tells nothing of the database', async (t) => {
  const service = await startStruckService(t)
  service.proxy.inject({ statement: 'try_write' }, 'silence before')
  const answers = await Promise.all(Array.from({ length: 20 }, () => service.clientWith(null).get('/readyz')))
  for (const answer of answers) {
    assertError(answer, 503, 'UNAVAILABLE')
    assert.equal(answer.body.error.message, 'The database takes too long to write.')
  }
})
