import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { bannerText, firstClaim } from '../../src/cli/banner.ts'
import { sharedService } from '../support/shared.ts'

test('the README shows the first claim as the banner does', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const lines = firstClaim('http://127.0.0.1:8080', 'TOKEN').trim().split('\n').slice(1)
  assert.ok(readme.includes(lines.join('\n')))
})

test('the lines of the first claim can be pasted again and create another claim', async () => {
  const { api } = await sharedService()
  const paste = async () => {
    const { stdout } = await promisify(execFile)('sh', ['-c', firstClaim(api.url, `${api.token}`)])
    return JSON.parse(stdout.trim().split('\n').at(-1) as string)
  }
  const claims = [await paste(), await paste()]
  assert.deepEqual(
    claims.map(({ status, scheduled_outcome }) => [status, scheduled_outcome]),
    [1, 2].map(() => ['PENDING', 'CONFIRMED']),
  )
  assert.notEqual(claims[0].id, claims[1].id)
  assert.equal(claims[0].customer_id, claims[1].customer_id)
})

const FACTS = {
  url: 'http://127.0.0.1:8080',
  startMs: 900,
  database: 'embedded',
  dataDir: '/data',
  owner: 'owner@localhost',
  token: null,
  isTokenFromSettings: false,
  welcomeUrl: null,
}

test('the banner shows a generated token once, and never a token of the settings', () => {
  const created = bannerText({ ...FACTS, token: 'ck_secret' })
  assert.match(created, /TOKEN=ck_secret/)
  assert.equal(created.split('ck_secret').length, 2)
  assert.match(
    bannerText({ ...FACTS, isTokenFromSettings: true }),
    /as in CLAIMKEEPER_BOOTSTRAP_TOKEN\n(.*\n)+API=.* TOKEN="\$CLAIMKEEPER_BOOTSTRAP_TOKEN"/,
  )
})

test('the banner leads to the first account’s sign-up until someone has used it, then to the dashboard', () => {
  const fresh = bannerText({ ...FACTS, welcomeUrl: 'http://h/welcome#key=k' })
  assert.match(fresh, /Sign up +http:\/\/h\/welcome#key=k/)
  const used = bannerText(FACTS)
  assert.match(used, /Dashboard +http:\/\/127\.0\.0\.1:8080\n/)
  assert.doesNotMatch(used, /owner@localhost/)
})

test('the banner’s command for a new token names the folder and an account, quoted for a shell, without a password', () => {
  const facts = { ...FACTS, welcomeUrl: 'http://h/w' }
  const owner = "it's\u001b[2J@example.com"
  const embedded = bannerText({ ...facts, dataDir: '/srv/my data', owner })
  const command =
    "CLAIMKEEPER_DATA_DIR='/srv/my data' npx claimkeeper token create --email 'it'\\''s\\u001b[2J@example.com'"
  assert.ok(embedded.includes(command), embedded)
  const own = bannerText({ ...facts, database: 'PostgreSQL at db:5432/ck', dataDir: null, owner: 'a@b' })
  assert.match(
    own,
    /npx claimkeeper token create --email a@b .*\n +\(with the DATABASE_URL of PostgreSQL at db:5432\/ck\)/,
  )
})
