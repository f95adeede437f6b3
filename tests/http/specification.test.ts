import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findTests } from '../support/run-tests.ts'
import { sharedService } from '../support/shared.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const sectionsIn = (text: string) =>
  new Set([...text.matchAll(/§([0-9]+(?:\.[0-9]+[a-z]?)?)/g)].map((m) => m[1]))

/** Rules that no test can check. */
const NOT_TESTABLE = ['§2.13 rule 4', '§2.14 rule 5', '§4.1 rule 4', '§4.13 rule 4', '§6 rule 4', '§9 rule 2']
test('the served specification has each section that the reference, an error or the specification cites', async () => {
  const { url } = await sharedService()
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

test('each testable numbered rule of the specification is named by a fast test', () => {
  const names = findTests(['tests/**/*.test.ts'], 'fast').flatMap((file) => testNamesIn(read(file)))
  const named = new Set(names.flatMap(rulesNamedIn))
  const rules = rulesOf(read('docs/spec.md'))
  assert.ok(rules.length > 60)
  assert.deepEqual(
    rules.filter((rule) => !named.has(rule)),
    NOT_TESTABLE,
  )
})

/** Each numbered line of the specification, by its section: `§3 rule 2`. */
function rulesOf(specification: string): string[] {
  let section = ''
  return specification.split('\n').flatMap((line) => {
    section = /^##+ (\d+(?:\.\d+[a-z]?)?)\.? /.exec(line)?.[1] ?? section
    const number = /^(\d+)\. /.exec(line)?.[1]
    return number === undefined ? [] : `§${section} rule ${number}`
  })
}

const testNamesIn = (source: string): string[] =>
  [...source.matchAll(/\b(?:test|describe)\(\s*(['"`])((?:(?!\1)[\s\S])*)\1/g)].map(([, , name]) => `${name}`)

/** `(§4.15 rules 1 to 3, 5)` names four. */
function rulesNamedIn(name: string): string[] {
  const cited = name.matchAll(/§(\d+(?:\.\d+[a-z]?)?) rules? (\d+(?:(?:, | and | to )\d+)*)/g)
  return [...cited].flatMap(([, section, numbers = '']) =>
    numbers.split(/, | and /).flatMap((span) => {
      const [first = 0, last = first] = span.split(' to ').map(Number)
      return Array.from({ length: last - first + 1 }, (_, i) => `§${section} rule ${first + i}`)
    }),
  )
}
