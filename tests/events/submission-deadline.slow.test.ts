import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { claimsOfOneShard } from '../support/claims-of-one-shard.ts'
import { LAST_WRITE } from '../support/event-writes.ts'
import { eventually } from '../support/eventually.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { Database } from '../support/source/database.ts'
import { createApp } from '../support/source/service.ts'
import { requestFor } from '../support/submissions.ts'
import { startTestService } from '../support/test-service.ts'

/* Connections over which no answer comes any more: nobody waits for ever, and nothing is promised that is not so. */

const service = await startTestService({ after })
const { api, databaseUrl } = service

test('if connections go silent, each submission gets a response in time, and later ones are recorded', async (t) => {
  const proxy = await startFaultProxy(t, databaseUrl)
  // The driver gives up five seconds after the statement's own time: later than submissions do.
  const { distribution } = service.app.db
  const db = new Database({
    connectionString: proxy.url,
    poolSize: 9,
    statementTimeoutMs: 7_000,
    distribution,
  })
  t.after(() => db.close())
  const app = createApp(db)
  const [a, b, c] = await claimsOfOneShard(service, 3)
  const submit = (claim: typeof a, id: string) =>
    app.submissions.submit(requestFor(claim, id, { type: 'other' }))
  const fall = async (claim: typeof a, id: string) => {
    proxy.inject({ statement: LAST_WRITE }, 'silence before')
    const submitted = submit(claim, id)
    submitted.catch(() => {})
    await eventually(async () => proxy.wasInjected())
    return submitted.catch((error: Error) => error.message)
  }
  for (const claim of [a, b, c]) await submit(claim, '1')

  const onItsWay = fall(a, '2')
  await eventually(async () => proxy.wasInjected())
  const behind = submit(a, '3').catch((error: Error) => error.message)
  // The other connection serves the others.
  await submit(b, '2')
  const alsoOnItsWay = fall(b, '3')
  await eventually(async () => proxy.wasInjected())
  const withoutConnection = submit(c, '2').catch((error: Error) => error.message)

  assert.match(`${await onItsWay}`, /not known\. Send it again with the id "2"/)
  assert.match(`${await alsoOnItsWay}`, /not known\. Send it again with the id "3"/)
  for (const waited of [behind, withoutConnection]) assert.match(`${await waited}`, /was not recorded/)

  await eventually(() => submit(c, '4').catch(() => false))
  for (const claim of [a, b]) await eventually(() => submit(claim, '4').catch(() => false))
  assert.equal(app.submissions.waiting, 0)
  for (const [claim, ids] of [
    [a, ['1', '4']],
    [b, ['1', '2', '4']],
    [c, ['1', '4']],
  ] as const) {
    const { events } = await api.readClaim(claim.id)
    assert.deepEqual(
      events.map(({ id }: { id: string }) => id),
      ids,
    )
  }
})
