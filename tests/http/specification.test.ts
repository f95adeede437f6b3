import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startTestService } from '../support/test-service.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const sectionsIn = (text: string) => new Set([...text.matchAll(/§([0-9]+(?:\.[0-9]+)?)/g)].map((m) => m[1]))

test('the service shows its specification, and in it each section that the reference, an error or it itself cites', async (t) => {
  const { url } = await startTestService(t)
  const answer = await fetch(`${url}/docs/specification`)
  const page = await answer.text()
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/)

  const cited = sectionsIn(read('openapi.json') + read('docs/errors.md') + read('docs/spec.md'))
  assert.ok(cited.size > 10)
  for (const section of cited) assert.ok(page.includes(` id="${section}"`), `§${section}`)
  for (const [, target = ''] of page.matchAll(/href="#([^"]+)"/g))
    assert.ok(page.includes(` id="${target}"`), target)
  for (const [, path = ''] of page.matchAll(/href="(\/[^"]*)"/g)) {
    assert.equal((await fetch(url + path)).status, 200, path)
  }
  assert.doesNotMatch(page, /href="(?![#/])/, 'no link leads elsewhere')
})
