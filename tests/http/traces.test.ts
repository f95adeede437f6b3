import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { readTraceparent, Sampling } from '../../src/platform/observability/sampling.ts'
import { startCollector } from '../support/collector.ts'
import { eventually } from '../support/eventually.ts'
import { holdClaims } from '../support/held-rows.ts'
import { newClaim } from '../support/new-records.ts'
import { head, sendAndLeave } from '../support/raw-http.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { startWebhookService } from '../support/webhook-service.ts'
import { startTracing } from './start-tracing.ts'

const newTrace = () => randomBytes(16).toString('hex')
const newSpan = () => randomBytes(8).toString('hex')

const collector = await startCollector({ after })
const { tracing } = startTracing(collector.url, 0)
const service = await startWebhookService({ after }, { tracing })
const { api } = service

/** The spans of a trace, once there are `count`. */
const spansOf = (traceId: string, count: number) =>
  eventually(async () => {
    const found = collector.spans.filter((span) => span.traceId === traceId)
    return found.length >= count ? found : undefined
  })
/** A request whose caller records its trace. */
function traced(traceId = newTrace(), flags = '01') {
  const spanId = newSpan()
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-${flags}` } }
}
const submit = (claimId: string, type: string, headers: Record<string, string>) =>
  api.post(`/v1/claims/${claimId}/events`, { type }, headers)

describe('a trace', () => {
  test('leads from the caller through the request, the queue and the statement to the webhook', async (t) => {
    const receiver = await startWebhookReceiver(t)
    await api.post('/v1/webhook_endpoints', { url: receiver.url })
    const { id } = await newClaim(api)
    const caller = traced()
    assert.equal((await submit(id, 'done', caller.headers)).status, 201)
    const spans = await spansOf(caller.traceId, 4)
    const [request, wait, statement, attempt] = [
      'POST /v1/claims/:id/events',
      'wait in the queue',
      'record events',
      'POST webhook',
    ].map((name) => spans.find((span) => span.name === name) ?? assert.fail(name)) as [
      (typeof spans)[0],
      (typeof spans)[0],
      (typeof spans)[0],
      (typeof spans)[0],
    ]
    assert.equal(request.parentSpanId, caller.spanId)
    for (const child of [wait, statement, attempt]) assert.equal(child.parentSpanId, request.spanId)
    assert.deepEqual([request.kind, statement.kind, attempt.kind], [2, 3, 3])
    assert.deepEqual(wait.links, [{ traceId: caller.traceId, spanId: statement.spanId }])
    assert.ok(request.startMs <= wait.startMs && wait.endMs <= statement.startMs + 1)
    assert.ok(statement.endMs <= request.endMs && request.endMs - Date.now() < 1_000)
    assert.equal(request.attributes['claimkeeper.operation'], 'submitClaimEvent')
    assert.equal(request.attributes['http.response.status_code'], 201)
    assert.equal(request.attributes['claimkeeper.claim.id'], id)
    assert.deepEqual(request.resource, {
      'service.name': 'claims',
      'service.version': '1.2.3',
      'service.instance.id': 'here/1',
    })
    const deliveries = receiver.received.filter(({ body }) => JSON.parse(body).type === 'claim.pending')
    assert.deepEqual(
      deliveries.map(({ headers }) => headers.traceparent),
      [`00-${caller.traceId}-${attempt.spanId}-01`],
    )
    // The creation of the claim was not traced, so its notification is not traced.
    const others = receiver.received.filter(({ body }) => JSON.parse(body).type === 'claim.created')
    assert.deepEqual(
      others.map(({ headers }) => headers.traceparent),
      [undefined],
    )
    assert.equal(collector.headers[0]?.['api-key'], 'of the collector')
  })

  test('shares the statement with the other submissions of its group, and each is linked to it', async (t) => {
    const { id } = await newClaim(api)
    const callers = Array.from({ length: 8 }, () => traced())
    const held = await holdClaims(t, service.databaseUrl, [id])
    const submitted = callers.map(({ headers }) => submit(id, 'progress', headers))
    await eventually(async () => service.app.submissions.waiting === callers.length)
    await held.release()
    await Promise.all(submitted)
    const ofAll = await Promise.all(callers.map(({ traceId }) => spansOf(traceId, 2)))
    const all = ofAll.flat()
    const waits = all.filter(({ name }) => name === 'wait in the queue')
    const statements = all.filter(({ name }) => name === 'record events')
    assert.equal(waits.length, 8)
    assert.ok(statements.length < 8, `${statements.length} statements`)
    for (const { links, parentSpanId, traceId } of waits) {
      const statement = statements.find(({ spanId }) => spanId === links[0]?.spanId)
      assert.ok(statement, 'a wait leads to its statement')
      const leadsBack = statement.links.some(
        (link) => link.traceId === traceId && link.spanId === parentSpanId,
      )
      assert.ok(leadsBack || statement.parentSpanId === parentSpanId, 'and the statement to its request')
    }
    const events = statements.map(({ attributes }) => attributes['claimkeeper.group.events'] as number)
    assert.equal(
      events.reduce((a, b) => a + b),
      8,
    )
  })

  test('has the codes of refusals, marks only internal failures as errors, and marks disconnected clients', async () => {
    const [refused, disconnected] = [traced(), traced()]
    assert.equal((await submit('00000000-0000-0000-0000-000000000000', 'x', refused.headers)).status, 404)
    const [request] = (await spansOf(refused.traceId, 3)).filter(({ kind }) => kind === 2)
    assert.equal(request?.attributes['claimkeeper.error.code'], 'CLAIM_NOT_FOUND')
    assert.equal(request?.isError, false)
    const headers = { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' }
    const bytes = head('POST', '/v1/events', { ...headers, ...disconnected.headers, 'Content-Length': 100 })
    await sendAndLeave(service.url, `${bytes}{`)
    const [span] = await spansOf(disconnected.traceId, 1)
    assert.equal(span?.attributes['claimkeeper.caller_gone'], true)
  })

  test('has the items of a batch by status, and one wait for each group', async () => {
    const { id } = await newClaim(api)
    const caller = traced()
    const events = [...Array.from({ length: 50 }, () => ({ claim_id: id, type: 'progress' })), { type: 'x' }]
    assert.equal((await api.post('/v1/events/batch', { events }, caller.headers)).status, 200)
    const ofCaller = () => collector.spans.filter(({ traceId }) => traceId === caller.traceId)
    // The request span ends last.
    const request = await eventually(async () => ofCaller().find(({ kind }) => kind === 2))
    assert.equal(request.attributes['claimkeeper.items.201'], 50)
    assert.equal(request.attributes['claimkeeper.items.400'], 1)
    const spans = ofCaller()
    assert.ok(spans.length < 12, `${spans.length} spans`)
  })

  test('contains neither request content nor credentials', async () => {
    const secret = `nobody-else-knows-${newSpan()}`
    const caller = traced()
    const path = `/v1/candidates/${secret}/events?key=${secret}`
    await api.post(path, { id: secret, type: secret, payload: secret }, { ...caller.headers, 'X-A': secret })
    await spansOf(caller.traceId, 3)
    const text = JSON.stringify(collector.spans)
    for (const one of [secret, api.token as string]) assert.ok(!text.includes(one), one)
  })
})

describe('sampling', () => {
  test('skips a request whose traceparent is unsampled or invalid', async () => {
    const before = collector.spans.length
    const off = traced(newTrace(), '00')
    const bad = [`00-${newTrace()}-${newSpan()}-01-more`, `00-${'0'.repeat(32)}-${newSpan()}-01`, 'x']
    for (const traceparent of [off.headers.traceparent, ...bad])
      assert.equal((await api.get('/v1/me', { traceparent })).status, 200)
    const last = traced()
    await api.get('/v1/me', last.headers)
    await spansOf(last.traceId, 1)
    assert.equal(collector.spans.length, before + 1)
  })

  test('samples the configured share of requests without a trace: all with 1, none with 0', () => {
    const traces = (share: number) => Array.from({ length: 1_000 }, () => new Sampling(share).takes(null))
    assert.ok(traces(1).every(Boolean))
    assert.ok(!traces(0).some(Boolean))
    const some = traces(0.1).filter(Boolean).length
    assert.ok(some > 30 && some < 250, `${some}`)
  })

  test('limits the traces that callers request, whatever ids they choose, and refills by ten a second', () => {
    const sampling = new Sampling(0, 0)
    const parent = readTraceparent(`00-${'0'.repeat(31)}1-${'0'.repeat(15)}1-01`)
    const taken = (now: number) =>
      Array.from({ length: 1_000 }, () => sampling.takes(parent, now)).filter(Boolean).length
    assert.deepEqual([taken(0), taken(0), taken(1_000), taken(60_000)], [20, 0, 10, 20])
    assert.equal(sampling.takes(parent && { ...parent, isSampled: false }, 120_000), false)
  })
})

test('a collector that refuses spans is reported with its status', async (t) => {
  const refusing = await startCollector(t)
  refusing.answer((response) => response.writeHead(400).end('no'))
  const { tracing: refused, lost } = startTracing(refusing.url, 1)
  refused.startRequestSpan('GET', {}, undefined)?.end()
  await refused.stop()
  // The stop waits for less than a second.
  await eventually(async () => lost.length > 0)
  assert.equal(lost.length, 1)
  assert.match(lost[0]?.[1] ?? '', /400|Bad Request/i)
})
