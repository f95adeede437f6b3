import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { newClaim, uniqueName } from '../support/new-records.ts'
import { PASSWORD } from '../support/new-session.ts'
import { isMissing } from '../support/programs.ts'
import { createInvitation } from '../support/source/accounts.ts'
import { NAME, type ProxyName, startProxy } from '../support/start-proxy.ts'
import { startTestService } from '../support/test-service.ts'

/* The files of deploy/ behind which the service is seen by https, word for word but for names and addresses. */

const METRICS_TOKEN = 'a-token-that-is-for-the-metrics-alone'
const PUBLIC_URL = `https://${NAME}`
const MEBIBYTE = 1_048_576
const service = await startTestService(
  { after },
  { publicUrl: PUBLIC_URL, trustedProxies: '127.0.0.1', metricsToken: METRICS_TOKEN },
)
const ours = { Authorization: `Bearer ${service.api.token}` }
const nobody = {}

for (const [proxy, debian] of [
  ['nginx', 'nginx-light'],
  ['caddy', 'caddy'],
] as const)
  describe(`behind ${proxy}`, { skip: isMissing(proxy, debian) || isMissing('openssl') }, () => behind(proxy))

function behind(proxy: ProxyName): void {
  const port = startProxy({ after }, proxy, service.url)
  port.catch(() => {})
  const agent = new Agent({ rejectUnauthorized: false, keepAlive: true, servername: NAME })
  after(() => agent.destroy())

  const begin = async (method: string, path: string, headers: object = ours) =>
    request({ agent, host: '127.0.0.1', port: await port, method, path, headers: { Host: NAME, ...headers } })
  const send = async (method: string, path: string, body?: object, headers: object = ours) => {
    const json = { 'Content-Type': 'application/json', Origin: PUBLIC_URL, ...headers }
    const sent = await begin(method, path, body ? json : headers)
    sent.end(body && JSON.stringify(body))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const answered = await text(response)
    return { status: response.statusCode, headers: response.headers as IncomingHttpHeaders, text: answered }
  }

  test('people sign up, with a cookie for this host and https alone', async () => {
    const email = `${uniqueName()}@example.com`
    const { key } = await createInvitation(service.app.db, { email: null, invitedBy: null })
    const body = { email, name: 'Someone', password: PASSWORD, invitation: key }
    const answer = await send('POST', '/api/auth/sign-up/email', body, nobody)
    assert.equal(answer.status, 200, answer.text)
    const [cookie = ''] = answer.headers['set-cookie'] ?? []
    assert.match(cookie, /^__Host-claimkeeper\.session_token=.*; Secure/)
    assert.match(answer.headers['strict-transport-security'] ?? '', /max-age/)
    const forged = { 'X-Forwarded-For': '203.0.113.7', 'X-Forwarded-Host': 'evil.example' }
    const cookies = { Cookie: cookie.split(';')[0], ...forged }
    const me = await send('GET', '/v1/me', undefined, cookies)
    assert.equal(JSON.parse(me.text).email, email)
    const [{ ip_address } = {}] = await service.sql(
      'SELECT s.ip_address FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = $1',
      [email],
    )
    assert.equal(ip_address, '127.0.0.1')
    const refused = await send('GET', '/v1/claims', undefined, forged)
    assert.match(JSON.parse(refused.text).error.doc_url, /^https:\/\/claims\.example\.com\//)
  })

  test('a batch of 8 MiB passes, and what is larger is refused', async () => {
    const { id } = await newClaim(service.api)
    const payload = { claim_id: id, type: 'progress', note: 'x'.repeat(250_000) }
    const events = Array.from({ length: 33 }, () => payload)
    assert.ok(JSON.stringify({ events }).length > 7.8 * MEBIBYTE)
    const answer = await send('POST', '/v1/events/batch', { events })
    assert.equal(answer.status, 200, answer.text.slice(0, 300))
    const large = { contract: 'x'.repeat(2 * MEBIBYTE) }
    const refused = await send('POST', '/v1/schemas', large)
    assert.equal(JSON.parse(refused.text).error.code, 'PAYLOAD_TOO_LARGE')
  })

  test('notifications come one by one as they happen, on a stream and to who waits', async () => {
    const streamed = await begin('GET', '/v1/notifications', { ...ours, Accept: 'text/event-stream' })
    streamed.end()
    const [response] = (await once(streamed, 'response')) as [IncomingMessage]
    let seen = ''
    response.setEncoding('utf8').on('data', (chunk) => {
      seen += chunk
    })
    response.on('error', () => {})
    for (let n = 0; n < 3; n++) {
      const { id } = await newClaim(service.api)
      await eventually(async () => seen.includes(id))
    }
    streamed.destroy()
    const last = [...seen.matchAll(/^id: ?(.*)$/gm)].at(-1)?.[1] as string
    const after = (wait: number) =>
      send('GET', `/v1/notifications?wait=${wait}&after=${encodeURIComponent(last)}`)
    assert.deepEqual(JSON.parse((await after(1)).text).data, [])
    const waiting = after(30)
    await newClaim(service.api)
    assert.equal(JSON.parse((await waiting).text).data.length, 1)
  })

  test('a stream of lines is answered line by line while it is being sent, over HTTP/2', async () => {
    const { id } = await newClaim(service.api)
    const session = connect(`https://127.0.0.1:${await port}`, {
      rejectUnauthorized: false,
      servername: NAME,
    })
    const sent = session.request({
      ':method': 'POST',
      ':path': '/v1/events/batch',
      ':authority': NAME,
      authorization: ours.Authorization,
      'content-type': 'application/x-ndjson',
    })
    let seen = ''
    sent.setEncoding('utf8').on('data', (chunk) => {
      seen += chunk
    })
    for (let n = 1; n <= 3; n++) {
      sent.write(`${JSON.stringify({ claim_id: id, type: 'progress' })}\n`)
      await eventually(async () => seen.split('\n').length > n)
    }
    sent.end()
    await once(sent, 'close')
    assert.equal(seen.match(/"status":201/g)?.length, 3)
    await new Promise<void>((resolve) => session.close(resolve))
  })

  test('the metrics are not there, however they are asked for', async () => {
    const token = { Authorization: `Bearer ${METRICS_TOKEN}` }
    assert.equal((await fetch(`${service.url}/metrics`, { headers: token })).status, 200)
    for (const path of [
      '/metrics',
      '/metrics/',
      '/metrics?x',
      '//metrics',
      '/%6Detrics',
      '/METRICS',
      '/./metrics',
    ])
      assert.equal((await send('GET', path, undefined, token)).status, 404, path)
    assert.equal((await send('GET', '/healthz')).status, 200)
  })
}
