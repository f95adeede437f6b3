import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { clockOf } from '../../support/many-claims.ts'
import { readPage, readPages } from '../../support/read-pages.ts'
import { sharedService } from '../../support/shared.ts'
import { addRecords, compareQueries, day, LISTS, PATHS, select } from './random-queries.ts'

const RECORDS = 400
/** The nightly suite sends more queries. */
const QUERIES = 12

const service = await sharedService()
const { api } = service
await addRecords(service, RECORDS)

for (const path of PATHS) {
  const { name, customer } = LISTS[path]
  describe(`GET ${path}`, async () => {
    const all = (await readPages(api, path, { limit: 100 })).flat()
    assert.equal(all.length, RECORDS)

    test('answers what fits all filters, in the order asked for, page by page, with the total (§4.1 rules 1, 2 and 6)', () =>
      compareQueries(api, path, all, QUERIES))

    test('the export has the same filters, in the same order', async () => {
      for (const query of [
        { sort: 'due_at', price_from: '50' },
        { resolved_from: day(30).toISOString(), sort: 'status_since', order: 'desc' },
      ]) {
        const { body } = await api.get(`${path}/export?${new URLSearchParams(query)}`)
        const lines = String(body).trim().split('\n').slice(1)
        const wanted = select(all, query, customer).map(name)
        assert.deepEqual(
          lines.map((line) => line.split(',')[0]),
          wanted,
        )
      }
    })

    const answer400At = async (queries: [query: string, field: string][]) => {
      for (const [query, field] of queries)
        assertError(await api.get(`${path}?${query}`), 400, 'VALIDATION_ERROR', field)
    }

    test('a span that ends before it begins, and filters that exclude each other, answer 400 (§4.1 rule 5)', () =>
      answer400At([
        [`clock=live&test_clock_id=${clockOf(0)}`, 'clock'],
        ['due_from=2026-02-01T00:00:00Z&due_before=2026-02-01T00:00:00Z', 'due_before'],
        ['due_from=2026-02-01T00:00:00Z&resolved_from=2026-02-01T00:00:00Z', 'resolved_from'],
        ['price_from=10&price_to=9.99', 'price_to'],
      ]))

    test('an invalid value of a filter answers 400 at the filter', () =>
      answer400At([
        ['clock=test', 'clock'],
        ['total=yes', 'total'],
        ['sort=price', 'sort'],
        ['status=OPEN,DONE', 'status'],
        ['status=OPEN,', 'status'],
        ['status=OPEN,OPEN,OPEN,OPEN,OPEN', 'status'],
        ['created_from=yesterday', 'created_from'],
        ['created_from=2026-01-01', 'created_from'],
        ['due_from=0001-01-01T00:00:00Z', 'due_from'],
        ['price_from=-1', 'price_from'],
        ['price_from=1e3', 'price_from'],
        [`price_from=${'9'.repeat(31)}`, 'price_from'],
        ['sort=due_at&after=00000000-0000-4000-8000-000000000000', 'after'],
        ['sort=due_at&after=2026-99-01T00:00:00.000Z', 'after'],
        ['sort=due_at&after=2026-01-01T00:00:00.000Z_00000000-0000-4000-8000-000000000000', 'after'],
        ['after=2026-01-01T00:00:00.000Z', 'after'],
      ]))

    test('a status that is named twice is one', async () => {
      const once = await readPage(api, path, { status: 'FAILED' })
      assert.deepEqual((await readPage(api, path, { status: 'FAILED,FAILED' })).body, once.body)
    })

    test('another account has nothing of it, whatever it asks for', async () => {
      const other = await service.newAccount()
      const { body } = await readPage(api, path, { sort: 'due_at', limit: 1 })
      for (const query of ['sort=due_at', 'sort=status_since&price_from=0', 'clock=live&price_from=0'])
        assert.deepEqual((await other.get(`${path}?${query}&total=true`)).body, {
          data: [],
          next_cursor: null,
          total: { count: 0, is_exact: true },
        })
      assertError(
        await other.get(`${path}?sort=due_at&after=${body.next_cursor}`),
        400,
        'VALIDATION_ERROR',
        'after',
      )
    })
  })
}
