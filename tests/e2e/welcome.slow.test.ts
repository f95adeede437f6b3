import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ServeProcess, startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

const LINK = /(http:\/\/\S+)\/welcome#key=([A-Za-z0-9_-]{43})/

/** The link that the start printed. */
function linkOf({ output }: ServeProcess): { url: string; key: string } | null {
  const [, url, key] = LINK.exec(output()) ?? []
  return url && key ? { url, key } : null
}

async function statusOf(url: string, key: string): Promise<number> {
  const headers = { 'Content-Type': 'application/json', Origin: url }
  const body = JSON.stringify({ key })
  return (await fetch(`${url}/api/invitations/lookup`, { method: 'POST', headers, body })).status
}

test('each start prints a link until someone has signed up with one; that account has the first token', async (t) => {
  const DATABASE_URL = await createTestDatabase(t, { migrated: false })
  const first = await startServeProcess(t, { DATABASE_URL })
  const old = linkOf(first)
  assert.equal(old?.url, first.url)
  const second = await startServeProcess(t, { DATABASE_URL })
  const fresh = linkOf(second)
  assert.ok(fresh && fresh.key !== old?.key)
  assert.equal(await statusOf(first.url, old?.key ?? ''), 200, 'a second server ends no link of the first')
  const signUp = await fetch(`${second.url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: second.url },
    body: JSON.stringify({
      email: 'me@example.com',
      name: 'Me',
      password: 'correct horse',
      invitation: fresh.key,
    }),
  })
  assert.equal(signUp.status, 200)
  assert.equal(await statusOf(first.url, old?.key ?? ''), 404, 'one link is used')
  await first.end('SIGTERM')
  const me = await fetch(`${second.url}/v1/me`, { headers: { Authorization: `Bearer ${first.token}` } })
  assert.equal(((await me.json()) as { email: string }).email, 'me@example.com')
  await second.end('SIGTERM')

  const third = await startServeProcess(t, { DATABASE_URL })
  assert.equal(linkOf(third), null)
  assert.match(third.output(), /Dashboard +http:/)
  // The cookie's key is the database's: the session goes on after a restart.
  const Cookie = signUp.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  assert.equal((await fetch(`${third.url}/v1/me`, { headers: { Cookie } })).status, 200)
})

test('the link is under PUBLIC_URL where it is set, and CLAIMKEEPER_BOOTSTRAP_TOKEN is the first token, which is not shown', async (t) => {
  const token = `ck_${'x'.repeat(43)}`
  const PUBLIC_URL = 'http://claims.example.com'
  const settings = {
    DATABASE_URL: await createTestDatabase(t),
    PUBLIC_URL,
    CLAIMKEEPER_BOOTSTRAP_TOKEN: token,
  }
  const served = await startServeProcess(t, settings)
  assert.equal(linkOf(served)?.url, PUBLIC_URL)
  assert.equal(served.token, null)
  const me = await fetch(`${served.url}/v1/me`, { headers: { Authorization: `Bearer ${token}` } })
  assert.equal(me.status, 200)
})
