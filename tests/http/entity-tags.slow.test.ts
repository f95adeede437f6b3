import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newCustomer } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'

test('a header with the maximum number of ETags is evaluated quickly, whether one matches or not', async () => {
  const { api } = await sharedService()
  const path = `/v1/customers/${(await newCustomer(api)).id}`
  const tag = (await api.get(path)).headers.get('etag')
  const began = performance.now()
  for (const [header, status] of [
    [`${'"a",'.repeat(3_500)}${tag}`, 200],
    ['"",'.repeat(4_500), 412],
    [`${','.repeat(15_000)}x`, 400],
    [`"x"${' \t'.repeat(7_000)}x`, 400],
    [`"${'x'.repeat(15_000)}`, 400],
    ['W/'.repeat(7_000), 400],
  ] as const)
    assert.equal((await api.patch(path, { name: 'a' }, { 'If-Match': header })).status, status)
  // A pattern that backtracks over all of it takes minutes.
  assert.ok(performance.now() - began < 60_000)
})
