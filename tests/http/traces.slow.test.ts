import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startCollector } from '../support/collector.ts'
import { eventually } from '../support/eventually.ts'
import { sharedService } from '../support/shared.ts'
import { startTestService } from '../support/test-service.ts'
import { tracingTo } from './tracing-to.ts'

/** `stop` waits 0.8 s for the collector; the rest is for a busy machine. The exporter would wait 10 s. */
const MAX_STOP_MS = 5_000

const service = await sharedService()

describe('a collector', () => {
  test('that is dead costs spans alone, and is logged once', async (t) => {
    const dead = await startCollector(t)
    await dead.close()
    const { tracing: toNobody, lost } = tracingTo(dead.url, 1)
    const beside = await startTestService(t, { tracing: toNobody, databaseUrl: service.databaseUrl })
    for (let i = 0; i < 12; i++) {
      const answers = Array.from({ length: 50 }, () => beside.api.get('/v1/me'))
      for (const { status } of await Promise.all(answers)) assert.equal(status, 200)
    }
    const since = performance.now()
    await toNobody.stop()
    assert.ok(performance.now() - since < MAX_STOP_MS)
    await eventually(async () => lost.length > 0)
    assert.equal(lost.length, 1)
    assert.match(lost[0]?.[1] ?? '', /ECONNREFUSED|refused|retryable/i)
  })

  test('that never answers does not hold up the stop', async (t) => {
    const slow = await startCollector(t)
    slow.answer(() => {})
    const { tracing: toSlow } = tracingTo(slow.url, 1)
    const beside = await startTestService(t, { tracing: toSlow, databaseUrl: service.databaseUrl })
    await beside.api.get('/v1/me')
    const since = performance.now()
    await toSlow.stop()
    assert.ok(performance.now() - since < MAX_STOP_MS)
    await eventually(async () => slow.spans.length > 0)
    assert.equal(slow.spans.length, 1, 'what there was had been sent')
  })

  test('that trickles its answer for ever is left, and the next spans are sent', async (t) => {
    const trickling = await startCollector(t)
    const left = Promise.withResolvers<void>()
    trickling.answer((response) => {
      const trickle = setInterval(() => response.write(' '), 20)
      response.on('close', () => {
        clearInterval(trickle)
        left.resolve()
      })
    })
    const { tracing: toIt } = tracingTo(trickling.url, 1)
    toIt.startRequestSpan('GET', {}, undefined)?.end()
    await left.promise
    trickling.answer((response) => response.end('{}'))
    toIt.startRequestSpan('GET', {}, undefined)?.end()
    await eventually(async () => trickling.spans.length === 2)
  })
})
