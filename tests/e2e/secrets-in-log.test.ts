import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endSessions } from '../support/end-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

const PASSWORDS = ['correct horse battery', 'another horse battery', 'a wrong horse battery'] as const
const EMAIL = 'me@example.com'

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
  const bearer = [...browser.secrets].find((secret) => secret.startsWith('ck_')) ?? ''
  const misplaced = [
    await browser.send('GET', '/v1/me', undefined, { Authorization: `Bearer ${bearer}` }),
    await browser.send('GET', `/v1/claims?search=${bearer}`),
    await browser.send('GET', `/v1/candidates/${bearer}?key=${key}`),
    await browser.send('GET', `/api/invitations/${key}`),
    await browser.send('GET', `/welcome?key=${key}`),
    await browser.send('GET', `/readyz?token=${bearer}`),
    await browser.send('DELETE', `/api/auth/${key}`),
  ]
  return [...answers, token, invitation, ...misplaced].map(({ status }) => status)
}

test('the log holds no secret, neither when all is well nor while the database is away', async (t) => {
  const databaseUrl = await createTestDatabase(t)
  const proxy = await startFaultProxy(t, databaseUrl)
  const served = await startServeProcess(t, { DATABASE_URL: proxy.url, LOG_LEVEL: 'trace' })
  let log = ''
  served.child.stderr?.on('data', (chunk) => {
    log += chunk
  })
  const key = await eventually(async () => /key=([A-Za-z0-9_-]{43})/.exec(served.output())?.[1])
  const browser = new Browser(served.url)
  for (const secret of [key, served.token as string]) browser.secrets.add(secret)

  const well = await useSecrets(browser, key)
  assert.ok(
    well.slice(0, 2).every((status) => status === 200) && !well.some((status) => status >= 500),
    `${well}`,
  )
  proxy.goDown()
  await endSessions(databaseUrl)
  const away = await useSecrets(browser, key)
  assert.ok(away.filter((status) => status === 503).length >= 8, `${away}`)
  await served.end('SIGTERM')

  assert.ok(log.includes('"level":40'), 'what was answered 503 is in the log')
  for (const line of log.trim().split('\n')) {
    assert.doesNotThrow(() => JSON.parse(line), line)
    for (const secret of browser.secrets)
      assert.ok(!line.includes(secret), `${secret} is in the log: ${line}`)
  }
})
