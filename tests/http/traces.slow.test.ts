import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startCollector } from '../support/collector.ts'
import { eventually } from '../support/eventually.ts'
import { sharedService } from '../support/shared.ts'
import { startTestService } from '../support/test-service.ts'
import { startTracing } from './start-tracing.ts'

/** `stop` waits 0.8 s for the collector; the rest is for a busy machine. The exporter would wait 10 s. */
const MAX_STOP_MS = 5_000

const service = await sharedService()

describe('a collector', () => {
  test('that is unreachable loses only spans, and is logged once', async (t) => {
    const dead = await startCollector(t)
    await dead.close()
    const { tracing, lost } = startTracing(dead.url, 1)
    const traced = await startTestService(t, { tracing, databaseUrl: service.databaseUrl })
    for (let i = 0; i < 12; i++) {
      const answers = Array.from({ length: 50 }, () => traced.api.get('/v1/me'))
      for (const { status } of await Promise.all(answers)) assert.equal(status, 200)
    }
    const since = performance.now()
    await tracing.stop()
    assert.ok(performance.now() - since < MAX_STOP_MS)
    await eventually(async () => lost.length > 0)
    assert.equal(lost.length, 1)
    assert.match(lost[0]?.[1] ?? '', /ECONNREFUSED|refused|retryable/i)
  })

  test('that never responds does not delay the stop', async (t) => {
    const slow = await startCollector(t)
    slow.answer(() => {})
    const { tracing } = startTracing(slow.url, 1)
    const traced = await startTestService(t, { tracing, databaseUrl: service.databaseUrl })
    await traced.api.get('/v1/me')
    const since = performance.now()
    await tracing.stop()
    assert.ok(performance.now() - since < MAX_STOP_MS)
    await eventually(async () => slow.spans.length > 0)
    assert.equal(slow.spans.length, 1, 'the span was sent before the stop')
  })

  test('that never ends its response is abandoned, and the next spans are sent', async (t) => {
    const trickling = await startCollector(t)
    const closed = Promise.withResolvers<void>()
    trickling.answer((response) => {
      const trickle = setInterval(() => response.write(' '), 20)
      response.on('close', () => {
        clearInterval(trickle)
        closed.resolve()
      })
    })
    const { tracing } = startTracing(trickling.url, 1)
    tracing.startRequestSpan('GET', {}, undefined)?.end()
    await closed.promise
    trickling.answer((response) => response.end('{}'))
    tracing.startRequestSpan('GET', {}, undefined)?.end()
    await eventually(async () => trickling.spans.length === 2)
  })
})
