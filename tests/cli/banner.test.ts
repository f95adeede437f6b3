import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { bannerText, firstClaim } from '../../src/cli/banner.ts'

test('the README shows the first claim as the banner does', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const lines = firstClaim('http://127.0.0.1:8080', 'TOKEN').trim().split('\n').slice(1)
  assert.ok(readme.includes(lines.join('\n')))
})

test('the banner shows a made token, and not one that was given', () => {
  const facts = {
    url: 'http://127.0.0.1:8080',
    startMs: 900,
    database: 'embedded',
    dataDir: '/data',
    owner: 'a@b',
    account: { email: 'a@b', token: 'ck_secret' },
    welcomeUrl: null,
  }
  assert.match(bannerText({ ...facts, tokenIsGiven: false }), /TOKEN=ck_secret/)
  assert.doesNotMatch(bannerText({ ...facts, tokenIsGiven: true }), /ck_secret/)
  assert.match(bannerText({ ...facts, tokenIsGiven: true }), /TOKEN="\$CLAIMKEEPER_BOOTSTRAP_TOKEN"/)
})

test('the banner leads to the first account’s sign-up until someone has used it, then to the dashboard', () => {
  const place = { database: 'embedded', dataDir: '/data', owner: 'owner@localhost' }
  const facts = { url: 'http://h', startMs: 900, ...place, account: null, tokenIsGiven: false }
  const fresh = bannerText({ ...facts, welcomeUrl: 'http://h/welcome#key=k' })
  assert.match(fresh, /Sign up +http:\/\/h\/welcome#key=k/)
  const used = bannerText({ ...facts, welcomeUrl: null })
  assert.match(used, /Dashboard +http:\/\/h\n/)
  assert.doesNotMatch(used, /owner@localhost/)
})

test('the banner’s command for a new token names the folder and an account, quoted for a shell, without a password', () => {
  const facts = {
    url: 'http://h',
    startMs: 900,
    account: null,
    tokenIsGiven: false,
    welcomeUrl: 'http://h/w',
  }
  const owner = "it's\u001b[2J@example.com"
  const embedded = bannerText({ ...facts, database: 'embedded', dataDir: '/srv/my data', owner })
  const command =
    "CLAIMKEEPER_DATA_DIR='/srv/my data' npx claimkeeper token create --email 'it'\\''s\\u001b[2J@example.com'"
  assert.ok(embedded.includes(command), embedded)
  const own = bannerText({ ...facts, database: 'PostgreSQL at db:5432/ck', dataDir: null, owner: 'a@b' })
  assert.match(
    own,
    /npx claimkeeper token create --email a@b .*\n +\(with the DATABASE_URL of PostgreSQL at db:5432\/ck\)/,
  )
})
