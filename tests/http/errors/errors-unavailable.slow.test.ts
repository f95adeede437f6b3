import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import type { Answer } from '../../support/api-client.ts'
import { assertError } from '../../support/assert-error.ts'
import { eventually } from '../../support/eventually.ts'
import { holdClaims } from '../../support/held-rows.ts'
import { newClaim } from '../../support/new-records.ts'
import { startProxiedService } from '../../support/proxied-service.ts'
import { runBatch } from '../../support/run-batch.ts'
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
  await held.release()
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

/** What /readyz answers, once it answers so. */
const readiness = ({ url }: { url: string }, status: 200 | 503) =>
  eventually(async () => {
    const answer = await fetch(`${url}/readyz`)
    return answer.status === status && ((await answer.json()) as Answer['body'])
  })

test('/readyz answers 503 for any error of the write', async (t) => {
  const service = await startProxiedService(t)
  for (const refused of ['XX000', '22P02', '42501']) {
    service.proxy.inject({ statement: 'try_write' }, { refused })
    assert.match((await readiness(service, 503)).error.message, /accepts no writes/)
    assert.ok(service.proxy.wasInjected())
    await readiness(service, 200)
  }
})

test('/readyz waits some seconds at most for a write, and its response does not describe the database', async (t) => {
  const service = await startProxiedService(t)
  service.proxy.inject({ statement: 'try_write' }, 'silence before')
  const answers = await Promise.all(Array.from({ length: 20 }, () => service.clientWith(null).get('/readyz')))
  for (const answer of answers) {
    assertError(answer, 503, 'UNAVAILABLE')
    assert.equal(answer.body.error.message, 'The database takes too long to write.')
  }
})
