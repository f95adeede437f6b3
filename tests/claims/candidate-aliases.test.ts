import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { candidateBody, candidatePath, newCandidate, newCustomer } from '../support/new-records.ts'
import { readPage } from '../support/read-pages.ts'
import { runBatch } from '../support/run-batch.ts'
import { sharedService } from '../support/shared.ts'

const service = await sharedService()
const { api } = service

const ALIASES: Record<string, string> = {
  'of 8 characters': 'abcdefgh',
  'of 255 characters': 'a'.repeat(255),
  'of 8 emoji': '😀'.repeat(8),
  'of 255 emoji': '😀'.repeat(255),
  'of 255 Chinese characters': '承'.repeat(255),
  'with slashes': 'orders/2026/07',
  'that ends like a path of the service': 'an-alias/events',
  'of path tricks': '../../../../etc/passwd',
  'of dots': '........',
  'with percent signs': '100%25%2F%00%',
  'with quotes': `"double" 'single' \`back\``,
  'with spaces and plus signs': '  a + b +  ',
  'with ? # & = ;': 'a?b#c&d=e;f',
  'with colons and stars': ':alias:*:',
  'with backslashes': '\\\\host\\share',
  'with line breaks': 'one\r\ntwo\ttabs',
  'written from right to left': '\u202eabcdefgh',
  'that looks like a UUID': randomUUID(),
}

for (const [what, alias] of Object.entries(ALIASES)) {
  test(`an alias ${what} is stored, read, listed and given events by the string it is`, async () => {
    const created = await newCandidate(api, { alias })
    assert.equal(created.candidate_alias, alias)

    const read = await api.get(candidatePath(alias))
    assert.equal(read.status, 200)
    assert.deepEqual(read.body, created)

    const event = await api.post(`${candidatePath(alias)}/events`, { type: 'seen' })
    assert.equal(event.status, 201)
    assert.equal(event.body.claim.candidate_alias, alias)
    const addressed = await api.post('/v1/events', { candidate_alias: alias, type: 'seen' })
    assert.equal(addressed.status, 201)

    const next = await newCandidate(api)
    const page = await readPage(api, '/v1/candidates', { after: alias })
    assert.equal(page.body.data[0].candidate_alias, next.candidate_alias)
  })
}

test('composed and decomposed letters are different aliases', async () => {
  await newCandidate(api, { alias: 'café-8888'.normalize('NFC') })
  const decomposed = 'café-8888'.normalize('NFD')
  assertError(await api.get(candidatePath(decomposed)), 404, 'CANDIDATE_NOT_FOUND')
  await newCandidate(api, { alias: decomposed })
})

describe('an alias has 8 to 255 characters (§8)', () => {
  const WRONG = {
    empty: '',
    'of 7 characters': 'abcdefg',
    'of 7 emoji, which are 14 UTF-16 units': '😀'.repeat(7),
    'of 256 characters': 'a'.repeat(256),
    'of 256 emoji': '😀'.repeat(256),
  }
  for (const [what, alias] of Object.entries(WRONG)) {
    test(`creating a candidate with an alias ${what} answers 400 at candidate_alias`, async () => {
      const body = candidateBody(alias, await newCustomer(api))
      assertError(await api.post('/v1/candidates', body), 400, 'VALIDATION_ERROR', 'candidate_alias')
    })
    test(`submitting an event to an alias ${what} answers 400 at candidate_alias`, async () => {
      const body = { candidate_alias: alias, type: 'seen' }
      assertError(await api.post('/v1/events', body), 400, 'VALIDATION_ERROR', 'candidate_alias')
    })
    if (alias === '') continue
    test(`reading a candidate by an alias ${what} answers 400 at candidate_alias`, async () => {
      assertError(await api.get(candidatePath(alias)), 400, 'VALIDATION_ERROR', 'candidate_alias')
    })
  }

  test('an alias far too long for a path answers 400 in the form of every error', async () => {
    assertError(await api.get(candidatePath('a'.repeat(8_000))), 400, 'VALIDATION_ERROR')
  })
})

describe('aliases of another account', () => {
  const taken = async (prefix: string, count: number) => {
    const aliases = Array.from({ length: count }, (_, i) => `${prefix}-${i}-${randomUUID()}`)
    const results = await runBatch(api, '/v1/candidates/batch', bodiesOf(aliases, await newCustomer(api)))
    assert.ok(results.every(({ status }) => status === 201))
    return aliases
  }
  const bodiesOf = (aliases: string[], customer: { external_id: string }) =>
    aliases.map((alias) => candidateBody(alias, customer))
  const fresh = (count: number) => Array.from({ length: count }, () => `fresh-${randomUUID()}`)

  test('are disclosed 100 times a minute in batches; afterwards a taken alias looks like a free one', async () => {
    const aliases = await taken('guessed', 120)
    const curious = await service.newAccount()
    const customer = await newCustomer(curious)
    const [own = ''] = fresh(1)
    const send = (names: string[]) => runBatch(curious, '/v1/candidates/batch', bodiesOf(names, customer))
    assert.deepEqual(
      (await send([own])).map(({ status }) => status),
      [201],
    )

    const results = await send([...fresh(5), ...aliases, ...fresh(5), own])
    const statuses = results.map(({ status }) => status)
    const expected = [...Array(5).fill(201), ...Array(100).fill(409), ...Array(25).fill(429), 409]
    assert.deepEqual(statuses, expected)
    assert.equal(results[110].error.code, 'RATE_LIMITED')

    for (const alias of [aliases[0] as string, ...fresh(1)]) {
      const answer = await curious.post('/v1/candidates', candidateBody(alias, customer))
      assertError(answer, 429, 'RATE_LIMITED')
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d?$/)
    }
    const repeat = await curious.post('/v1/candidates', candidateBody(own, customer))
    assertError(repeat, 409, 'CANDIDATE_ALIAS_CONFLICT')
  })

  test('do not keep an account from its own: 180 repeats, and batches of new ones', async () => {
    const customer = await newCustomer(api)
    const own = fresh(120)
    for (const expected of [201, 409, 409]) {
      const results = await runBatch(api, '/v1/candidates/batch', bodiesOf(own, customer))
      assert.deepEqual(new Set(results.map(({ status }) => status)), new Set([expected]))
    }
    const repeats = await Promise.all(
      bodiesOf(own.slice(0, 60), customer).map((body) => api.post('/v1/candidates', body)),
    )
    assert.deepEqual(new Set(repeats.map(({ status }) => status)), new Set([409]))
    const batches = await Promise.all(
      Array.from({ length: 4 }, () => runBatch(api, '/v1/candidates/batch', bodiesOf(fresh(60), customer))),
    )
    assert.deepEqual(new Set(batches.flat().map(({ status }) => status)), new Set([201]))
  })
})
