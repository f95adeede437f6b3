import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { assertError } from '../support/assert-error.ts'
import { eventually } from '../support/eventually.ts'
import { uniqueName } from '../support/new-records.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import { readPages } from '../support/read-pages.ts'
import { PAIRS, pairsOf } from '../support/source/claims.ts'
import {
  api,
  create,
  customer,
  filteredBy,
  KINDS,
  newClaim,
  pathOf,
  service,
} from './records-with-metadata.ts'

/** Another server on the same database. */
const proxied = await startProxiedService({ after }, { databaseUrl: service.databaseUrl })
const account: string = (await api.get(`/v1/customers/${customer.id}`)).body.user_id

for (const { kind, list, make, at } of KINDS)
  test(`metadata of a ${kind} that is gone is passed over, however much of it is left behind`, async () => {
    const mark = uniqueName('mark')
    const created = [await make({ mark }), await make({ mark })]
    // As a server of an older version leaves them that removes records.
    const { table, owner } = PAIRS[kind === 'customer' ? 'customers' : 'claims']
    await service.sql(
      `INSERT INTO ${table} (user_id, pair, position, ${owner})
      SELECT user_id, pair, position + n, gen_random_uuid() FROM ${table}, generate_series(1, 10050) AS n
      WHERE pair = $1 AND position = (SELECT min(position) FROM ${table} WHERE pair = $1)`,
      [pairsOf(created[0].user_id ?? account, kind as 'claim', { mark })[0]],
    )
    for (const order of ['asc', 'desc']) {
      const pages = await readPages(api, list, { 'metadata[mark]': mark, order, limit: 1 })
      const found = pages.flat().map(at)
      assert.deepEqual(order === 'asc' ? found : found.reverse(), created.map(at))
    }
  })

test('a server that goes silent during a change delays other requests only briefly', async (t) => {
  const client = proxied.clientWith(api.token)
  t.after(() => proxied.proxy.onStatement(null))
  const claim = await newClaim()
  const fallSilentAfter = async (statement: string, path: string) => {
    const isHeld = Promise.withResolvers<void>()
    proxied.proxy.onStatement((next) => {
      if (next !== statement) return
      proxied.proxy.freeze()
      isHeld.resolve()
    })
    const changing = client.patch(path, { metadata: { a: '1' } })
    await isHeld.promise
    return async () => {
      proxied.proxy.thaw()
      await changing
    }
  }

  let wakeUp = await fallSilentAfter('set_metadata', pathOf(claim))
  t.after(() => wakeUp())
  assert.equal((await api.post(`${pathOf(claim)}/events`, { type: 'other' })).status, 201)
  await wakeUp()
  const renamed = `/v1/customers/${customer.id}`
  wakeUp = await fallSilentAfter('change_customer', renamed)
  assertError(await api.patch(renamed, { name: 'new' }), 503, 'UNAVAILABLE')
  // The silent server does not come back. PostgreSQL would end its transaction after 15 s.
  await eventually(async () => (await api.patch(renamed, { name: 'new' })).status === 200, { seconds: 10 })
})

test('what leaves while an export is written is left out of it', async (t) => {
  const mark = uniqueName('mark')
  const long = { mark, ...Object.fromEntries([1, 2, 3].map((n) => [`long-${n}`, 'x'.repeat(500)])) }
  const clock = await create('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })
  const stay = [await newClaim(long), await newClaim({ mark })]
  await newClaim(long, { test_clock_id: clock.id })
  stay.push(await newClaim(long))
  proxied.proxy.onStatement(async (statement) => {
    if (statement === 'read_metadata') await api.delete(`/v1/test_clocks/${clock.id}`)
  })
  t.after(() => proxied.proxy.onStatement(null))
  const { body } = await proxied
    .clientWith(api.token)
    .get(`/v1/claims/export?${filteredBy({ mark })}&order=asc`)
  const rows = parse(body, { columns: true }) as { id: string }[]
  assert.deepEqual(
    rows.map(({ id }) => id),
    stay.map(({ id }) => id),
  )
})
