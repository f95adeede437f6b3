import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { FULL } from '../support/full-disk.ts'
import { newClaim } from '../support/new-records.ts'
import { createLog } from '../support/source/service.ts'
import { startTestService } from '../support/test-service.ts'

/* A full disk fails writes of the database and of the log. Requests are still answered, and other requests are not affected. */

let isFull = false
const throwing = pino(
  { level: 'info' },
  {
    write: () => {
      if (isFull) throw new Error('a log that throws')
    },
  },
)

const LOGS = { 'is on a full disk': FULL === null ? null : createLog('info', FULL), throws: throwing }
for (const [what, log] of Object.entries(LOGS)) {
  test(`events that fail while the log ${what} are answered, and later ones are recorded`, {
    skip: log === null,
  }, async () => {
    const { promise: proxied, resolve: onProxy } = Promise.withResolvers<FaultProxy>()
    const throughUrl = async (url: string) => {
      const proxy = await startFaultProxy({ after }, url)
      onProxy(proxy)
      return proxy.url
    }
    const service = await startTestService({ after }, { throughUrl, ...(log ? { log } : {}) })
    const { api, app } = service
    const other = await service.newAccount()
    const [a, b] = [(await newClaim(api)).id, (await newClaim(api)).id]
    const c = (await newClaim(other)).id
    const proxy = await proxied

    // Past the check of answers: where the log throws, Fastify makes one of its own.
    const send = async ({ token } = api, path: string, body: object) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: answer.status, text: await answer.text() }
    }
    const submit = (claim: string, by = api) => send(by, '/v1/events', { claim_id: claim, type: 'n' })
    isFull = true
    proxy.onStatement((statement) => {
      if (/claims_to_decide|append_events/.test(statement)) proxy.inject({ statement }, { refused: '53100' })
    })
    const events = Array.from({ length: 200 }, (_, i) => ({ claim_id: i % 2 === 0 ? a : b, type: 'n' }))
    const [batch, ...singles] = await Promise.all([
      send(api, '/v1/events/batch', { events }),
      submit(b),
      submit(c, other),
    ])
    for (const { status } of singles) assert.ok(status >= 500, `${status}`)
    if (log === throwing) assert.equal(batch.status, 500)
    else for (const { status } of JSON.parse(batch.text).results) assert.equal(status, 503)

    isFull = false
    proxy.onStatement(null)
    for (const { status } of await Promise.all([submit(a), submit(b), submit(c, other)]))
      assert.equal(status, 201)
    assert.equal(app.submissions.waiting, 0)
  })
}
