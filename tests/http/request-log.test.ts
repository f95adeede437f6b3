import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { Writable } from 'node:stream'
import { after, describe, test } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../support/eventually.ts'
import { newClaim, newCustomer } from '../support/new-records.ts'
import { head, sendAndLeave, sendRaw } from '../support/raw-http.ts'
import { sharedService } from '../support/shared.ts'
import { rateCounts } from '../support/source/service.ts'
import { startTestService } from '../support/test-service.ts'

interface Line {
  request: string
  operation: string | null
  status: number | null
  code?: string
  duration_ms: number
  account: string | null
  claim: string | null
  items?: Record<string, number>
  bytes?: number
  caller_gone?: true
}

const { databaseUrl } = await sharedService()

/** A service whose log is read line by line. */
async function loggingService(requestLog: number, rates: number) {
  const lines: Line[] = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      const line = JSON.parse(`${chunk}`)
      if (line.msg === 'request') lines.push(line)
      done()
    },
  })
  const service = await startTestService(
    { after },
    { log: pino({ level: 'info' }, stream), requestLog, rates: rateCounts(rates), databaseUrl },
  )
  const account = (await service.api.get('/v1/me')).body.id as string
  return { ...service, lines, account }
}

const all = await loggingService(1, 1_000)
const { api } = all
/** The line of the one answer that has this id. */
const lineOf = (lines: Line[], headers: Headers) =>
  eventually(async () => lines.find(({ request }) => request === headers.get('x-request-id')))

describe('a request is logged', () => {
  test('with its id, operation, status, duration, account and claim', async () => {
    const { id } = await newClaim(api)
    const created = await eventually(async () => all.lines.find((line) => line.operation === 'createClaim'))
    assert.deepEqual([created.status, created.claim, created.account], [201, id, all.account])
    const answers = [
      await api.get(`/v1/claims/${id}`),
      await api.post(`/v1/claims/${id}/events`, { type: 'progress' }),
      await api.post('/v1/events', { claim_id: id, type: 'progress' }),
    ]
    for (const { headers, status } of answers) {
      const line = await lineOf(all.lines, headers)
      assert.deepEqual([line.status, line.claim, line.account], [status, id, all.account])
      assert.ok(line.duration_ms > 0 && line.duration_ms < 60_000)
      assert.ok(line.code === undefined && line.caller_gone === undefined)
    }
  })

  test('with the id of a candidate instead of its alias', async () => {
    const body = { customer_id: (await newCustomer(api)).id, candidate_alias: 'somebody@example.com' }
    const contract = { activity_window_seconds: 60 }
    const refused = await api.post('/v1/candidates', { ...body, contract })
    assert.equal(refused.status, 400)
    const read = await api.get('/v1/candidates/somebody@example.com')
    const line = await lineOf(all.lines, read.headers)
    assert.deepEqual([line.status, line.code], [404, 'CANDIDATE_NOT_FOUND'])
    assert.match(line.claim ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-8/)
    assert.ok(!JSON.stringify(all.lines).includes('somebody@'))
  })

  test('with its error code, however early it is refused', async () => {
    const post = (path: string, body: string, headers: Record<string, string> = {}) =>
      fetch(all.url + path, {
        method: 'POST',
        body,
        headers: {
          Authorization: `Bearer ${api.token}`,
          'Content-Type': 'application/json',
          ...headers,
        },
      })
    const expected: [string, Response][] = [
      ['VALIDATION_ERROR', await post('/v1/events', '{')],
      ['PAYLOAD_TOO_LARGE', await post('/v1/customers', `"${'x'.repeat(1_100_000)}"`)],
      ['UNSUPPORTED_MEDIA_TYPE', await post('/v1/customers', '{}', { 'Content-Type': 'text/plain' })],
      ['TOKEN_INVALID', await post('/v1/customers', '{}', { Authorization: 'Bearer ck_x' })],
      ['ROUTE_NOT_FOUND', await post('/v1/nowhere', '{}')],
      ['METHOD_NOT_ALLOWED', await post('/v1/overview', '{}')],
      ['VALIDATION_ERROR', await fetch(`${all.url}/v1/claims/%zz`)],
    ]
    for (const [code, { headers, status }] of expected) {
      const line = await lineOf(all.lines, headers)
      assert.deepEqual([line.code, line.status], [code, status])
    }
    const bare = await sendRaw(all.url, 'this is not HTTP\r\n\r\n')
    const line = await lineOf(all.lines, bare.headers)
    assert.deepEqual([line.code, line.status, line.operation], ['VALIDATION_ERROR', 400, null])
  })

  test('if its client disconnected', async () => {
    const before = all.lines.length
    const headers = { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' }
    await sendAndLeave(all.url, `${head('POST', '/v1/events', { ...headers, 'Content-Length': 100 })}{`)
    const line = await eventually(async () => all.lines.slice(before).find((one) => one.caller_gone))
    assert.deepEqual([line.status, line.operation, line.account], [null, 'submitEvent', all.account])
  })

  test('at its end, if it is a stream', async () => {
    const { port } = new URL(all.url)
    const socket = connect(Number(port), '127.0.0.1')
    const headers = { Authorization: `Bearer ${api.token}`, Accept: 'text/event-stream' }
    socket.write(head('GET', '/v1/notifications', headers))
    await new Promise((resolve) => socket.once('data', resolve))
    const ofStream = () => all.lines.filter((line) => line.operation === 'listNotifications')
    assert.equal(ofStream().length, 0)
    socket.destroy()
    const line = await eventually(async () => ofStream()[0])
    assert.deepEqual([line.status, line.caller_gone], [200, true])
  })

  test('with its items by status, if it is a batch', async () => {
    const { id } = await newClaim(api)
    const events = [
      { claim_id: id, type: 'progress', id: 'e' },
      { claim_id: id, type: 'progress', id: 'e' },
      { claim_id: id },
      { claim_id: '00000000-0000-0000-0000-000000000000', type: 'x' },
    ]
    const { headers } = await api.post('/v1/events/batch', { events })
    const line = await lineOf(all.lines, headers)
    assert.deepEqual(line.items, { 200: 1, 201: 1, 400: 1, 404: 1 })
    const batch = await api.post('/v1/claims/batch', { claims: [{}, {}] })
    assert.deepEqual((await lineOf(all.lines, batch.headers)).items, { 400: 2 })
  })
})

test('with a share of 0 only refused requests are logged, also those over the rate limit', async () => {
  const some = await loggingService(0, 4)
  const statuses = []
  for (let i = 0; i < 6; i++) statuses.push((await some.api.get('/v1/me')).status)
  const refused = statuses.filter((status) => status === 429).length
  assert.ok(refused >= 2)
  await eventually(async () => some.lines.length === refused)
  for (const { code, account } of some.lines)
    assert.deepEqual([code, account], ['RATE_LIMITED', some.account])
})

test('the X-Request-Id of a request is used if its form is safe', async () => {
  for (const [given, isTaken] of [
    ['4bf92f3577b34da6a3ce929d0e0e4736', true],
    ['req_mine-and-unique', true],
    ['short', false],
    ['x'.repeat(65), false],
    ['with spaces in it', false],
    [`ck_${'x'.repeat(43)}`, false],
    ['"}{"level":60', false],
  ] as const) {
    const { headers, body } = await api.get('/v1/claims/x', { 'X-Request-Id': given })
    const id = headers.get('x-request-id')
    assert.equal(id === given, isTaken, given)
    assert.equal(body.error.request_id, id)
    if (!isTaken) assert.match(id ?? '', /^req_[0-9a-f-]{36}$/)
  }
})
