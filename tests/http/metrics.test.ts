import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { scheduledCheckJob } from '../../src/checks/check-jobs.ts'
import { measureDatabase, ProcessMetrics } from '../../src/service/metrics/process-metrics.ts'
import { assertError } from '../support/assert-error.ts'
import { eventually } from '../support/eventually.ts'
import { startGate } from '../support/gate.ts'
import { valuesOf } from '../support/metric-values.ts'
import { movedBy, TIMES_OF_CLAIM } from '../support/moved-times.ts'
import { newClaim, newCustomer } from '../support/new-records.ts'
import { readMetrics, type Scraped } from '../support/read-metrics.ts'
import { announceOfAccount } from '../support/source/webhooks.ts'
import { startTestService } from '../support/test-service.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { startWebhookService } from '../support/webhook-service.ts'

const metricsToken = 'a token that is for the metrics alone'
const service = await startWebhookService({ after }, { metricsToken })
const { app, api } = service
const processMetrics = new ProcessMetrics(app.db.metrics)
await processMetrics.start()
after(() => processMetrics.stop())

const get = async (authorization: string | null) => {
  const response = await fetch(`${service.url}/metrics`, {
    headers: authorization === null ? {} : { Authorization: authorization },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
async function scrape(): Promise<Scraped> {
  const { status, headers, text } = await get(`Bearer ${metricsToken}`)
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  return readMetrics(text)
}
/** What was added to a series since. */
const added = (before: Scraped, now: Scraped, series: string) =>
  (now.values.get(series) ?? 0) - (before.values.get(series) ?? 0)

/** Each row of the page's table: name, type, labels. */
async function documented(): Promise<[name: string, type: string, labels: string[]][]> {
  const page = await readFile(new URL('../../docs/metrics.md', import.meta.url), 'utf8')
  const rows = page.matchAll(/^\| `(claimkeeper_\w+)` \| (\w+) \| (.*?) \|/gm)
  return [...rows].map(([, name, type, labels]) => [
    name as string,
    type as string,
    [...(labels as string).matchAll(/`(\w+)`/g)].map(([, label]) => label as string),
  ])
}

/** Board and alerts are held to the values that labels are said to have: what is measured has no others. */
function holdValues(series: string): void {
  const metric = series.replace(/\{.*/, '')
  for (const [, label = '', value = ''] of series.matchAll(/(\w+)="([^"]*)"/g))
    assert.ok(valuesOf(metric, label)?.includes(value) ?? true, series)
}

const submit = (claimId: string, id: string, type = 'progress') =>
  api.post(`/v1/claims/${claimId}/events`, { id, type })

describe('the metrics', () => {
  test('count requests by their result', async () => {
    const before = await scrape()
    const claim = await newClaim(api)
    const statuses = []
    for (const [id, type] of [
      ['e1', 'progress'],
      ['e1', 'progress'],
      ['e1', 'another'],
      ['e2', 'done'],
      ['e3', 'done'],
    ] as const)
      statuses.push((await submit(claim.id, id, type)).status)
    assert.deepEqual(statuses, [201, 200, 409, 201, 422])
    await submit('00000000-0000-0000-0000-000000000000', 'e1')
    const now = await scrape()
    const submissions = (outcome: string) =>
      added(before, now, `claimkeeper_submissions_total{outcome="${outcome}"}`)
    assert.deepEqual(
      ['recorded', 'repeated', 'EVENT_ID_CONFLICT', 'CLAIM_NOT_OPEN', 'CLAIM_NOT_FOUND'].map(submissions),
      [2, 1, 1, 1, 1],
    )
    const requests = (operation: string, status: number) =>
      added(
        before,
        now,
        `claimkeeper_http_request_duration_seconds_count{operation="${operation}",status="${status}"}`,
      )
    assert.deepEqual(
      [200, 201, 404, 409, 422].map((status) => requests('submitClaimEvent', status)),
      [1, 2, 1, 1, 1],
    )
    assert.equal(added(before, now, 'claimkeeper_transitions_total{by="event",to="PENDING"}'), 1)
    for (const name of ['submission_duration_seconds', 'submission_wait_seconds', 'submission_group_size'])
      assert.equal(added(before, now, `claimkeeper_${name}_count`), 6, name)
    assert.equal(now.values.get('claimkeeper_submissions_waiting'), 0)
  })

  test('have the events of a batch by group', async () => {
    const { id } = await newClaim(api)
    const before = await scrape()
    const events = Array.from({ length: 200 }, () => ({ claim_id: id, type: 'progress' }))
    assert.equal((await api.post('/v1/events/batch', { events })).status, 200)
    const now = await scrape()
    assert.equal(added(before, now, 'claimkeeper_submissions_total{outcome="recorded"}'), 200)
    assert.equal(added(before, now, 'claimkeeper_submission_group_size_sum'), 200)
    assert.ok(added(before, now, 'claimkeeper_submission_group_size_count') < 20)
  })

  test('have the transitions of checks and test clocks, and the time of the last check', async () => {
    const before = await scrape()
    await newClaim(api)
    const frozen_time = '2031-01-01T00:00:00Z'
    const clock = (await api.post('/v1/test_clocks', { frozen_time })).body
    const body = { customer_id: (await newCustomer(api)).id, test_clock_id: clock.id }
    assert.equal((await api.post('/v1/claims', { ...body, contract: contractOfAnHour })).status, 201)
    const path = `/v1/test_clocks/${clock.id}/advance`
    assert.equal((await api.post(path, { frozen_time: '2032-01-01T00:00:00Z' })).status, 200)
    await service.sql(`UPDATE claims SET ${movedBy('-9 years', TIMES_OF_CLAIM)} WHERE test_clock_id IS NULL`)
    await measureDatabase(app)
    const overdue = (await scrape()).values.get('claimkeeper_oldest_overdue_claim_seconds') as number
    assert.ok(overdue > 8 * 365 * 86_400, `${overdue}`)
    const moved: number[] = []
    await scheduledCheckJob(app, (transitions) => moved.push(transitions)).run()
    await measureDatabase(app)
    const now = await scrape()
    const byCheck = ['PENDING', 'CONFIRMED', 'FAILED'].map((to) =>
      added(before, now, `claimkeeper_transitions_total{by="check",to="${to}"}`),
    )
    assert.equal(
      byCheck.reduce((a, b) => a + b),
      moved.reduce((a, b) => a + b),
    )
    assert.ok((byCheck[0] as number) > 0)
    assert.equal(added(before, now, 'claimkeeper_transitions_total{by="test_clock",to="PENDING"}'), 1)
    assert.equal(added(before, now, 'claimkeeper_transitions_total{by="test_clock",to="FAILED"}'), 1)
    assert.equal(added(before, now, 'claimkeeper_checks_total{result="done"}'), 1)
    assert.equal(now.values.get('claimkeeper_oldest_overdue_claim_seconds'), 0)
    const doneAt = now.values.get('claimkeeper_check_last_done_timestamp_seconds') as number
    assert.ok(Math.abs(Date.now() / 1_000 - doneAt) < 60)
  })

  test('have the attempts of webhooks and the waiting deliveries', async () => {
    const before = await scrape()
    const other = await service.newAccount()
    const receiver = await startWebhookReceiver({ after })
    const statuses = [500, 200]
    receiver.answer((response) => response.writeHead(statuses.shift() ?? 200).end())
    await other.post('/v1/webhook_endpoints', { url: receiver.url })
    await newClaim(other)
    const attempts = async (result: string) =>
      added(before, await scrape(), `claimkeeper_webhook_attempts_total{result="${result}"}`)
    await eventually(async () => (await attempts('succeeded')) === 1 && (await attempts('refused')) === 1)
    assert.equal(added(before, await scrape(), 'claimkeeper_webhook_delay_seconds_count'), 1)
    await receiver.close()
    await newClaim(other)
    await eventually(async () => (await attempts('unanswered')) > 0)
    // Another server has this endpoint, and does not come to sending.
    const { id } = (await other.post('/v1/webhook_endpoints', { url: receiver.url })).body
    await service.sql('UPDATE webhook_endpoints SET sender = $2, sender_until = $3 WHERE id = $1', [
      id,
      randomUUID(),
      'infinity',
    ])
    await service.sql(
      `UPDATE webhook_deliveries SET endpoint_id = $1, status = 'waiting', next_attempt_at = '2025-01-01'
       WHERE number = 1`,
      [id],
    )
    await measureDatabase(app)
    assert.ok(((await scrape()).values.get('claimkeeper_webhook_oldest_due_seconds') as number) > 86_400)
  })

  test('have the transactions that delay the feed, and the requests that wait for it', async () => {
    const held = Promise.withResolvers<void>()
    const open = app.db.transaction(async (connection) => {
      await announceOfAccount(connection, randomUUID())
      await held.promise
    })
    const reader = await service.newAccount()
    const controller = new AbortController()
    const waiting = fetch(`${service.url}/v1/notifications?wait=30`, {
      headers: { Authorization: `Bearer ${reader.token}` },
      signal: controller.signal,
    }).catch(() => null)
    await eventually(async () => {
      await measureDatabase(app)
      const { values } = await scrape()
      const lag = values.get('claimkeeper_notification_lag_seconds') ?? 0
      return lag > 0 && values.get('claimkeeper_notification_readers') === 1
    })
    held.resolve()
    await open
    controller.abort()
    await waiting
    await eventually(async () => {
      await measureDatabase(app)
      const { values } = await scrape()
      return values.get('claimkeeper_notification_lag_seconds') === 0
    })
  })

  test('match the documentation in names, types and labels, and contain no account', async () => {
    await measureDatabase(app)
    const { types, labels, values } = await scrape()
    const rows = await documented()
    assert.deepEqual([...types].toSorted(), rows.map(([name, type]) => [name, type]).toSorted())
    for (const [name, , expected] of rows)
      if (name !== 'claimkeeper_event_loop_delay_seconds')
        assert.deepEqual([...(labels.get(name) as Set<string>)].toSorted(), expected.toSorted(), name)
    const { id } = (await api.get('/v1/me')).body
    for (const series of values.keys()) holdValues(series)
    for (const series of values.keys())
      assert.ok(!series.includes(id) && !/[0-9a-f]{8}-[0-9a-f]{4}/.test(series))
    const [migrations] = await service.sql('SELECT max(version) AS last FROM schema_migrations')
    assert.equal(values.get('claimkeeper_migration_version'), migrations?.last)
    assert.equal(values.get('claimkeeper_migration_version_of_code'), migrations?.last)
    assert.equal(values.get('claimkeeper_migrations_in_background'), 0)
    assert.equal(values.get('claimkeeper_migration_progress_ratio'), 1)
    assert.equal(values.get('claimkeeper_database_up'), 1)
  })

  test('need the metrics token', async () => {
    for (const authorization of [
      null,
      '',
      'Bearer',
      `Bearer ${api.token}`,
      `bearer ${metricsToken}`,
      `Bearer ${metricsToken}x`,
    ]) {
      const { status, text, headers } = await get(authorization)
      assert.equal(status, 401)
      assert.equal(JSON.parse(text).error.code, 'TOKEN_INVALID')
      assert.equal(headers.get('www-authenticate'), 'Bearer')
    }
    assertError(await service.clientWith(metricsToken).get('/v1/me'), 401, 'TOKEN_INVALID')
    const without = await startWebhookService({ after }, { databaseUrl: service.databaseUrl })
    assert.equal((await fetch(`${without.url}/metrics`)).status, 404)
  })
})

test('/metrics answers while the database is unreachable, and reports it', async (t) => {
  const { databaseUrl } = service
  const gate = await startGate(t, databaseUrl)
  const through = Object.assign(new URL(databaseUrl), { host: new URL(gate.url).host })
  const away = await startTestService(t, { databaseUrl, throughUrl: async () => through.href, metricsToken })
  const isUp = async () => {
    await measureDatabase(away.app)
    const response = await fetch(`${away.url}/metrics`, {
      headers: { Authorization: `Bearer ${metricsToken}` },
    })
    return readMetrics(await response.text()).values.get('claimkeeper_database_up')
  }
  assert.equal(await isUp(), 1)
  gate.close()
  await eventually(async () => (await isUp()) === 0)
  gate.open()
  await eventually(async () => (await isUp()) === 1)
})

const contractOfAnHour = {
  price: 1,
  activity_window: 3600,
  review_window: 60,
  fulfillment_condition: { event: 'done' },
  timeout_outcome: 'fail',
}
