import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { readPage, readPages } from '../support/read-pages.ts'
import { sharedService } from '../support/shared.ts'

/* Customers are found by the beginning of what they are called, whatever the case of the letters (§4.5). */

const service = await sharedService()
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
  ['иванов', 'ИВАНОВ И СЫНОВЬЯ'],
  ['иваны', 'ΟΔΟΣ'],
  ['c-20', 'Iİı GmbH'],
  ['c-21', 'Straße \u212bngstrom'],
  ['c-22', 'STRAẞE Ångstrom'],
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
  ['ИвАн', ['иванов', 'иваны']],
  ['иваноВ и с', ['иванов']],
  ['οδος', ['иваны']],
  ['οδοσ', ['иваны']],
  ['iİ', ['c-20']],
  ['iiı', []],
  ['straße Å', ['c-21', 'c-22']],
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

test('a page of a search that very many match looks at 10,000 customers at most, and the next one continues (§4.1 rule 3)', async () => {
  const account = await service.newAccount()
  const { body } = await account.post('/v1/customers', { external_id: 'z-first' })
  await service.sql(
    `INSERT INTO customers (user_id, id, external_id, name, created_at)
     SELECT $1, gen_random_uuid(), 'x-' || n, CASE WHEN n > 10000 THEN 'Many ' || n END, now() - interval '1 day'
     FROM generate_series(1, 20100) AS n`,
    [body.user_id],
  )
  const names: string[] = []
  for (let page = 0, after = ''; page < 4; page++) {
    const query = { search: 'many', limit: 100, ...(after ? { after } : {}) }
    const { body: found } = await readPage(account, '/v1/customers', query)
    if (page === 0) assert.deepEqual(found.data, [], 'those that match come later')
    names.push(...found.data.map(({ name }: { name: string }) => name))
    after = found.next_cursor
  }
  assert.ok(names.length >= 200, `${names.length}`)
  assert.deepEqual(
    names,
    names.map((_, i) => `Many ${10_001 + i}`),
  )
})
