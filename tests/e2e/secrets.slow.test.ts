import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { test } from 'node:test'
import pg from 'pg'
import { startCollector } from '../support/collector.ts'
import { endSessions } from '../support/end-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

const PASSWORDS = ['correct horse battery', 'another horse battery', 'a wrong horse battery'] as const
const EMAIL = 'me@example.com'
/** Of the settings. */
const METRICS_TOKEN = 'a-token-that-is-for-the-metrics-alone'
const WEBHOOK_KEY = 'a-key-under-which-webhook-secrets-are-encrypted'
const COLLECTOR_KEY = 'a-key-of-the-collector-alone'

/** A browser's requests to the session API and /v1, whose answers' secrets are gathered. */
class Browser {
  readonly secrets = new Set<string>(PASSWORDS)
  readonly #url: string
  cookie = ''

  constructor(url: string) {
    this.#url = url
  }

  async send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        Origin: this.#url,
        ...(this.cookie ? { Cookie: this.cookie } : {}),
        ...(body ? { 'Content-Type': 'application/json' } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    for (const header of response.headers.getSetCookie()) this.#keep(header.split(';')[0] as string)
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
  }

  #keep(cookie: string): void {
    this.cookie = cookie
    const value = decodeURIComponent(cookie.split('=')[1] ?? '')
    const [token] = value.split('.')
    if (token) for (const secret of [value, token, cookie]) this.secrets.add(secret)
  }
}

/** Every endpoint that takes or hands out a secret; also where a caller puts one that it does not belong. */
async function useSecrets(browser: Browser, key: string): Promise<number[]> {
  const [right, next, wrong] = PASSWORDS
  const answers = [
    await browser.send('POST', '/api/invitations/lookup', { key }),
    await browser.send('POST', '/api/auth/sign-up/email', {
      email: EMAIL,
      name: 'Me',
      password: right,
      invitation: key,
    }),
    await browser.send('POST', '/api/auth/sign-in/email', { email: EMAIL, password: wrong }),
    await browser.send('POST', '/api/auth/sign-in/email', { email: EMAIL, password: right }),
    await browser.send('POST', '/api/auth/change-password', { currentPassword: right, newPassword: next }),
    await browser.send('POST', '/api/auth/change-password', { currentPassword: next, newPassword: right }),
    await browser.send('GET', '/api/auth/get-session'),
    await browser.send('GET', '/api/auth/list-sessions'),
  ]
  const token = await browser.send('POST', '/v1/tokens', { name: 'nightly' })
  const invitation = await browser.send('POST', '/v1/invitations', {})
  if (token.status === 201) browser.secrets.add(token.body.token)
  if (invitation.status === 201) browser.secrets.add(invitation.body.url.split('key=')[1])
  const endpoint = await browser.send('POST', '/v1/webhook_endpoints', { url: 'http://127.0.0.1:1024/' })
  if (endpoint.status === 201) {
    const rotated = await browser.send('POST', `/v1/webhook_endpoints/${endpoint.body.id}/rotate_secret`)
    for (const { secret } of [endpoint.body, rotated.body]) browser.secrets.add(secret.slice('whsec_'.length))
  }
  const bearer = [...browser.secrets].find((secret) => secret.startsWith('ck_')) ?? ''
  const misplaced = [
    await browser.send('GET', '/v1/me', undefined, { Authorization: `Bearer ${bearer}` }),
    await browser.send('GET', `/v1/claims?search=${bearer}`),
    await browser.send('GET', `/v1/candidates/${bearer}?key=${key}`),
    await browser.send('GET', `/api/invitations/${key}`),
    await browser.send('GET', `/welcome?key=${key}`),
    await browser.send('GET', `/readyz?token=${bearer}`),
    await browser.send('GET', `/metrics?key=${key}`, undefined, { Authorization: `Bearer ${bearer}` }),
    await browser.send('GET', '/v1/claims/x', undefined, { 'X-Request-Id': bearer, traceparent: bearer }),
    await browser.send('DELETE', `/api/auth/${key}`),
  ]
  return [...answers, token, invitation, endpoint, ...misplaced].map(({ status }) => status)
}

/** The arguments of every process of the machine. */
async function commandLines(): Promise<string> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const read = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))
  return (await Promise.all(read)).join('\n')
}

/** All rows of all tables, as text; bytes as they are and as the text that they may be. */
async function dumpOf(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    )
    assert.ok(tables.length > 15, `${tables.length} tables`)
    const texts: string[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`)
      texts.push(...rows.map(({ row }) => row))
    }
    const bytes = texts.flatMap((text) =>
      [...text.matchAll(/\\x([0-9a-f]+)/g)].map(([, hex]) => hex as string),
    )
    return [...texts, ...bytes.map((hex) => Buffer.from(hex, 'hex').toString('latin1'))].join('\n')
  } finally {
    await client.end()
  }
}

test('no secret is in the log, the process list, the metrics, traces or a dump, also while the database is unavailable', async (t) => {
  const databaseUrl = await createTestDatabase(t)
  const proxy = await startFaultProxy(t, databaseUrl)
  const collector = await startCollector(t)
  const served = await startServeProcess(t, {
    DATABASE_URL: proxy.url,
    // The run's server is behind it.
    CLAIMKEEPER_ALLOW_UNSAFE_DATABASE: 'true',
    LOG_LEVEL: 'trace',
    CLAIMKEEPER_LOG_REQUESTS: 'all',
    CLAIMKEEPER_METRICS_TOKEN: METRICS_TOKEN,
    CLAIMKEEPER_WEBHOOK_KEY: WEBHOOK_KEY,
    CLAIMKEEPER_WEBHOOK_ALLOW_PRIVATE: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `api-key=${COLLECTOR_KEY}`,
    OTEL_TRACES_SAMPLER_ARG: '1',
  })
  let log = ''
  served.child.stderr?.on('data', (chunk) => {
    log += chunk
  })
  const key = await eventually(async () => /key=([A-Za-z0-9_-]{43})/.exec(served.output())?.[1])
  const browser = new Browser(served.url)
  for (const secret of [key, served.token as string, METRICS_TOKEN, WEBHOOK_KEY, COLLECTOR_KEY])
    browser.secrets.add(secret)
  const scrape = () =>
    browser.send('GET', '/metrics', undefined, { Authorization: `Bearer ${METRICS_TOKEN}` })

  const well = await useSecrets(browser, key)
  assert.ok(
    well.slice(0, 2).every((status) => status === 200) && !well.some((status) => status >= 500),
    `${well}`,
  )
  const elsewhere = { 'the dump': await dumpOf(databaseUrl), 'the process list': await commandLines() }
  proxy.goDown()
  await endSessions(databaseUrl)
  const away = await useSecrets(browser, key)
  assert.ok(away.filter((status) => status === 503).length >= 8, `${away}`)
  const { status, body: metrics } = await scrape()
  assert.equal(status, 200)
  const { mode } = await stat(`/proc/${served.child.pid}/environ`)
  assert.equal(mode & 0o077, 0, 'only the user that runs the service can read the settings')
  await served.end('SIGTERM')

  assert.ok(log.includes('"level":40'), 'what was answered 503 is in the log')
  assert.match(log, /"operation":"createOwnToken","status":201/)
  assert.match(log, /"status":503,"code":"UNAVAILABLE"/)
  for (const line of log.trim().split('\n')) {
    assert.doesNotThrow(() => JSON.parse(line), line)
    for (const secret of [...browser.secrets, EMAIL])
      assert.ok(!line.includes(secret), `${secret} is in the log: ${line}`)
  }
  assert.ok(elsewhere['the dump'].includes(EMAIL) && elsewhere['the process list'].includes('main.js'))
  assert.ok(collector.spans.length > 30, `${collector.spans.length} spans`)
  const places = { ...elsewhere, metrics, traces: JSON.stringify(collector.spans) }
  for (const [place, text] of Object.entries(places))
    for (const secret of browser.secrets)
      assert.ok(!text.includes(secret), `${secret} is in ${place}: ${around(text, secret)}`)
})

const around = (text: string, secret: string): string => {
  const at = text.indexOf(secret)
  return text.slice(Math.max(0, at - 200), at + 200)
}
