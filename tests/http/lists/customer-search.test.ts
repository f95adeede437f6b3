import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { readPage, readPages } from '../../support/read-pages.ts'
import { startTestService } from '../../support/test-service.ts'

/* Customers are found by the beginning of what they are called (§4.5). */

const service = await startTestService({ after })
const { api } = service

const CUSTOMERS = [
  ['acme', 'ACME Inc.'],
  ['ACME-2', null],
  ['c-17', 'Acme Labs'],
  ['c-18', 'Größe GmbH'],
  ['%', 'GRÖSSER'],
  ['_x', null],
  ["'; DROP TABLE customers; --", '漢字 😀'],
  ['größe', null],
  ['\\back', null],
] as const
for (const [external_id, name] of CUSTOMERS) await api.post('/v1/customers', { external_id, name })

const found = async (search: string, more: Record<string, string | number> = {}) =>
  (await readPages(api, '/v1/customers', { search, ...more })).flat().map(({ external_id }) => external_id)

for (const [search, wanted] of [
  ['acme', ['acme', 'ACME-2', 'c-17']],
  ['ACME', ['acme', 'ACME-2', 'c-17']],
  ['acme-', ['ACME-2']],
  ['c-1', ['c-17', 'c-18']],
  ['labs', []],
  ['GRÖ', ['c-18', '%', 'größe']],
  ['%', ['%']],
  ['_', ['_x']],
  ["'; drop", ["'; DROP TABLE customers; --"]],
  ['漢', ["'; DROP TABLE customers; --"]],
  ['\\', ['\\back']],
  ['nobody', []],
] as const)
  test(`search=${search} finds ${wanted.length}, in the order of creation`, async () => {
    assert.deepEqual(await found(search), wanted)
    assert.deepEqual(await found(search, { limit: 1, order: 'desc' }), wanted.toReversed())
  })

test('a search is with other filters, and of one account', async () => {
  assert.deepEqual(await found('acme', { external_id: 'c-17' }), ['c-17'])
  assert.deepEqual((await readPage(await service.newAccount(), '/v1/customers', { search: 'acme' })).body, {
    data: [],
    next_cursor: null,
  })
})

for (const search of ['', 'x'.repeat(256)])
  test(`a search of ${search.length} characters answers 400`, async () => {
    assertError(await readPage(api, '/v1/customers', { search }), 400, 'VALIDATION_ERROR', 'search')
  })

test('what many fit is gone through, up to so many a page; whoever goes on has each once', async () => {
  const account = await service.newAccount()
  const { body } = await account.post('/v1/customers', { external_id: 'z-first' })
  await service.sql(
    `INSERT INTO customers (user_id, id, external_id, name, created_at)
     SELECT $1, gen_random_uuid(), CASE WHEN n % 40000 = 0 THEN 'rare-' ELSE 'x-' END || n,
       CASE WHEN n > 15000 THEN 'Many ' || n END, now() - interval '1 day'
     FROM generate_series(1, 30000) AS n`,
    [body.user_id],
  )
  const pages = await readPages(account, '/v1/customers', { search: 'many', limit: 100 })
  const names = pages.flat().map(({ name }) => name)
  assert.deepEqual([names.length, new Set(names).size], [15_000, 15_000])
  assert.ok(
    pages.some((page) => page.length === 0),
    'the first of them are far from the beginning',
  )
  assert.deepEqual(await found('acme', { limit: 2 }), ['acme', 'ACME-2', 'c-17'])
})
