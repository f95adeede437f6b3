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
    account: { email: 'a@b', token: 'ck_secret' },
    welcomeUrl: null,
  }
  assert.match(bannerText({ ...facts, tokenIsGiven: false }), /TOKEN=ck_secret/)
  assert.doesNotMatch(bannerText({ ...facts, tokenIsGiven: true }), /ck_secret/)
  assert.match(bannerText({ ...facts, tokenIsGiven: true }), /TOKEN="\$CLAIMKEEPER_BOOTSTRAP_TOKEN"/)
})

test('the banner leads to the first account’s sign-up until someone has used it, then to the dashboard', () => {
  const facts = { url: 'http://h', startMs: 900, database: 'embedded', account: null, tokenIsGiven: false }
  const fresh = bannerText({ ...facts, welcomeUrl: 'http://h/welcome#key=k' })
  assert.match(fresh, /Sign up +http:\/\/h\/welcome#key=k/)
  const used = bannerText({ ...facts, welcomeUrl: null })
  assert.match(used, /Dashboard +http:\/\/h\n/)
  assert.doesNotMatch(used, /owner@localhost/)
})
