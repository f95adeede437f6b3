import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf } from '../support/client-of.ts'
import { eventually } from '../support/eventually.ts'
import { newClaim } from '../support/new-records.ts'
import { readMetrics } from '../support/read-metrics.ts'
import { runCli, type ServeProcess, startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestService } from '../support/test-service.ts'

const TOKEN = 'a-token-that-is-for-the-metrics-alone'

const metricsUrl = (served: ServeProcess) => {
  const [, port] = /"port":(\d+),"msg":"metrics are at/.exec(served.output()) ?? []
  return `http://127.0.0.1:${port}/metrics`
}
const pidsOf = (served: ServeProcess) => [
  ...served.output().matchAll(/"pid":(\d+).*"worker":(\d+).*"Server listening/g),
]
const scrape = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers })
  assert.equal(response.status, 200)
  return readMetrics(await response.text())
}
const workersOf = ({ values }: { values: Map<string, number> }) =>
  new Set([...values.keys()].map((series) => /worker="(\d+)"/.exec(series)?.[1]))

test('the metrics of all workers come together, on a port of their own and with the token; one that hangs is left out', async (t) => {
  const DATABASE_URL = await createTestDatabase(t)
  const served = await startServeProcess(t, {
    DATABASE_URL,
    CLAIMKEEPER_WORKERS: '2',
    METRICS_PORT: '0',
    CLAIMKEEPER_METRICS_TOKEN: TOKEN,
  })
  const beside = await startTestService(t, { databaseUrl: DATABASE_URL })
  const api = await clientOf({ url: served.url, token: beside.api.token })
  const { id } = await newClaim(api)
  const statuses = Array.from({ length: 40 }, async () => {
    const sent = await api.post(`/v1/claims/${id}/events`, { type: 'progress' }, { Connection: 'close' })
    return sent.status
  })
  assert.deepEqual(new Set(await Promise.all(statuses)), new Set([201]))

  const recorded = ({ values }: { values: Map<string, number> }) =>
    ['1', '2']
      .map(
        (worker) => values.get(`claimkeeper_submissions_total{outcome="recorded",worker="${worker}"}`) ?? 0,
      )
      .reduce((a, b) => a + b)
  const authorization = { Authorization: `Bearer ${TOKEN}` }
  const [own, shared] = [
    await scrape(metricsUrl(served)),
    await scrape(`${served.url}/metrics`, { ...authorization, Connection: 'close' }),
  ]
  for (const scraped of [own, shared]) {
    assert.deepEqual(workersOf(scraped), new Set(['1', '2']))
    assert.equal(recorded(scraped), 40)
  }
  assert.equal((await fetch(`${served.url}/metrics`)).status, 401)
  const { origin } = new URL(metricsUrl(served))
  assert.equal((await fetch(`${origin}/v1/claims`)).status, 404)
  assert.equal((await fetch(metricsUrl(served), { method: 'POST' })).status, 405)

  const [[, pid, hanging] = []] = pidsOf(served)
  process.kill(Number(pid), 'SIGSTOP')
  try {
    const others = await Promise.all([scrape(metricsUrl(served)), scrape(metricsUrl(served))])
    for (const some of others) assert.deepEqual(workersOf(some), new Set([hanging === '1' ? '2' : '1']))
  } finally {
    process.kill(Number(pid), 'SIGCONT')
  }
  await eventually(async () => workersOf(await scrape(metricsUrl(served))).size === 2)
  assert.ok(!served.output().includes(TOKEN))
  assert.equal(await served.end('SIGTERM'), 0)
})

test('a port for metrics that is taken ends the start, and leaves nothing', async (t) => {
  const DATABASE_URL = await createTestDatabase(t)
  const first = await startServeProcess(t, { DATABASE_URL, METRICS_PORT: '0' })
  const { port } = new URL(metricsUrl(first))
  for (const CLAIMKEEPER_WORKERS of ['1', '2']) {
    const settings = { DATABASE_URL, METRICS_PORT: port, CLAIMKEEPER_WORKERS }
    const { status, stderr } = await runCli(['serve'], settings)
    assert.equal(status, 1)
    assert.match(stderr, new RegExp(`METRICS_PORT ${port}: .*EADDRINUSE`))
  }
  assert.equal(await first.end('SIGTERM'), 0)
})
