import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listCandidates } from '../../src/claims/list-candidates.ts'
import { listClaims } from '../../src/claims/list-claims.ts'
import { explaining } from '../support/explained.ts'
import { addManyClaims, clockOf, customerOf, schemaOf } from '../support/many-claims.ts'
import { newCustomer } from '../support/new-records.ts'
import type { App } from '../support/source/service.ts'
import type { Scope } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/* Whatever a list is filtered by, a page costs about what it shows: the table is never read through, nor put in order. */

type Filters = Record<string, unknown>

interface List {
  list: (app: App, request: object) => ReturnType<typeof listClaims>
  /** An id in the middle of the list. */
  middle: string
  /** Filters that an index answers. */
  cases: Record<string, Filters>
}

export interface ManyClaims {
  service: TestService
  userId: string
  /** Claims, and as many candidates. */
  each: number
  lists: Record<'claims' | 'candidates', List>
}

const NO_FILTER = {
  statuses: [],
  customerId: undefined,
  customerExternalId: undefined,
  schemaId: undefined,
  testClockId: undefined,
  search: undefined,
  reference: undefined,
}

/** Claims of the crowd, and as many of other accounts: all created within a minute, so that their ids begin alike. */
const CROWD = 8_000
const CROWDED = '0197cafe'
const crowdedId = (n: number) => `${CROWDED}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

/** An account with many claims and candidates. */
export async function prepareLists(
  t: Scope,
  each: number,
  { isCrowded } = { isCrowded: false },
): Promise<ManyClaims> {
  const service = await startTestService(t)
  const customer = await newCustomer(service.api)
  const { body } = await service.api.get(`/v1/customers/${customer.id}`)
  const userId: string = body.user_id
  if (isCrowded) await addCrowd(service, userId, customer.id)
  await addManyClaims(service, userId, each)
  await service.sql(
    `INSERT INTO customers (user_id, id, external_id, created_at)
     SELECT $1, ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 'customer-' || n, now()
     FROM generate_series(0, 199) AS n`,
    [userId],
  )
  await service.sql(
    'INSERT INTO test_clocks (user_id, id, frozen_time, created_at) VALUES ($1, $2, now(), now())',
    [userId, clockOf(0)],
  )
  return { service, userId, each, lists: await findLists(service, each) }
}

async function addCrowd({ sql }: TestService, userId: string, customerId: string): Promise<void> {
  await sql(
    `INSERT INTO claims (id, user_id, customer_id, contract, decisive_event_types, price, status, status_since, due_at, created_at)
     SELECT ($1 || lpad(to_hex(n), 12, '0'))::uuid, CASE n % 2 WHEN 0 THEN $2::uuid ELSE gen_random_uuid() END, $3, '{}', '{}', 1, 'OPEN',
       made, date_trunc('milliseconds', now()) + interval '30 days' + n * interval '1 ms', made
     FROM generate_series(1, $4::int) AS n, LATERAL (SELECT timestamptz '2025-07-02' + n * interval '1 ms' AS made) AS time`,
    [crowdedId(0).slice(0, 24), userId, customerId, 2 * CROWD],
  )
  // One was made by a clock that was ten minutes behind, and another by one that was ahead.
  await sql(
    `INSERT INTO claims (id, user_id, customer_id, contract, decisive_event_types, price, status, status_since, due_at, created_at)
     SELECT id, $3, $4, '{}', '{}', 1, 'OPEN', '2025-07-02', now() + interval '30 days', '2025-07-02' FROM unnest(ARRAY[$1, $2]::uuid[]) AS id`,
    ['0197caf4-0000-7000-8000-000000000001', '0197cb08-0000-7000-8000-000000000001', userId, customerId],
  )
}

const OF_BOTH: Record<string, Filters> = {
  'a schema that many have': { schemaId: schemaOf(0) },
  'a schema that few have': { schemaId: schemaOf(1) },
  'a schema that none has': { schemaId: schemaOf(2) },
  'a schema and a status': { schemaId: schemaOf(0), statuses: ['CONFIRMED'] },
  'a test clock that few are on': { testClockId: clockOf(0) },
  'a test clock that none is on': { testClockId: clockOf(1) },
}
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
const between = (from: number, before: number) => ({ from: daysAgo(from), before: daysAgo(before) })

/** Filters that no index covers. A page scans a bounded number of records, and then has a cursor to continue. */
export const SELECTIVE: Record<string, Filters> = {
  'due time': { sort: 'due_at' },
  'due time, in a status': { sort: 'due_at', statuses: ['PENDING'] },
  'due time, of a customer': { sort: 'due_at', customerId: customerOf(0) },
  'due time, of a customer with few': { sort: 'due_at', customerId: customerOf(13) },
  'due time, on a test clock': { sort: 'due_at', testClockId: clockOf(0) },
  'due time, of those that are due soon': { sort: 'due_at', due: between(0, -1) },
  'the time in a status': { sort: 'status_since' },
  'the time in CONFIRMED': { sort: 'status_since', statuses: ['CONFIRMED'] },
  'the time in PENDING': { sort: 'status_since', statuses: ['PENDING'] },
  'the time in OPEN': { sort: 'status_since', statuses: ['OPEN'] },
  'the time in a status, on a test clock': { sort: 'status_since', testClockId: clockOf(0) },
  'the time of the creation': { created: between(20, 10) },
  'the time of the creation and a status': { created: between(20, 10), statuses: ['OPEN', 'FAILED'] },
  'the time of the creation and a customer': { created: between(20, 10), customerId: customerOf(0) },
  'the time of the resolution': { resolved: between(20, 10) },
  'the time of the resolution, in its order': { resolved: between(20, 10), sort: 'status_since' },
  'what is live': { isLive: true },
  'what is live, and is due': { isLive: true, due: between(0, -1) },
  'two statuses': { statuses: ['OPEN', 'FAILED'] },
  'a price': { price: { from: '3.125', to: '3.125' } },
  'a price that none has': { price: { from: '1000', to: null } },
  'a price that none has, of a customer': { price: { from: '1000', to: null }, customerId: customerOf(0) },
  'a price that none has, in the order of due times': { price: { from: '1000', to: null }, sort: 'due_at' },
  'a price that none has, by the time in a status': {
    price: { from: '1000', to: null },
    sort: 'status_since',
  },
  'metadata that many have': { metadata: { region: 'emea' } },
  'metadata that few have': { metadata: { order: 'A-7' } },
  'metadata that none has': { metadata: { order: 'A-8' } },
  'metadata that many have, and a status': { metadata: { region: 'emea' }, statuses: ['FAILED'] },
  'metadata that many have, by the due time': { metadata: { region: 'emea' }, sort: 'due_at' },
  'metadata that few have, by the time in a status': { metadata: { order: 'A-7' }, sort: 'status_since' },
  'a schema and a clock': { schemaId: schemaOf(0), testClockId: clockOf(0) },
}

async function findLists(service: TestService, each: number): Promise<ManyClaims['lists']> {
  const middleOf = async (kind: string) => {
    const text = `SELECT id, candidate_alias AS alias FROM claims WHERE candidate_alias IS ${kind}
      ORDER BY position OFFSET $1 LIMIT 1`
    const [row] = await service.sql(text, [each / 2])
    return row as { id: string; alias: string }
  }
  const claim = (await middleOf('NULL')).id
  const { id: candidate, alias } = await middleOf('NOT NULL')
  const lastDay = daysAgo(2).toISOString().slice(0, 10)
  return {
    claims: {
      list: (app, request) => listClaims(app, request as Parameters<typeof listClaims>[1]),
      middle: claim,
      cases: {
        ...OF_BOTH,
        'the beginning of an id': { search: claim.slice(0, 8) },
        'an id': { search: claim },
        'an id that is not there': { search: 'ffffffff' },
        'the beginning of an id and a status': { search: claim.slice(0, 8), statuses: ['FAILED'] },
        'a schema and a customer': { schemaId: schemaOf(0), customerId: customerOf(13) },
      },
    },
    candidates: {
      list: (app, request) => listCandidates(app, request as Parameters<typeof listCandidates>[1]),
      middle: candidate,
      cases: {
        ...OF_BOTH,
        'an alias': { search: alias },
        'a letter that no alias begins with': { search: 'p' },
        'an alias and a status that it does not have': { search: alias, statuses: ['OPEN'] },
        'the beginning of all aliases and a status': { search: 'o', statuses: ['OPEN'] },
        'the beginning of the last aliases and a status': {
          search: `order-${lastDay}`,
          statuses: ['FAILED'],
        },
        'the beginning of all aliases': { search: 'order' },
      },
    },
  }
}

/** The service's database, whose effort for a page is counted. */
function explainedApp({ service }: ManyClaims) {
  const { db, effort } = explaining(service.app.db)
  return { app: { db: { reads: { for: () => db } } } as unknown as App, effort }
}

/** A page of 50 is read twice where it ends in records on a test clock, which may be fresh at any time. */
const MAX_ROWS = 2_500

export function testIndexedFilter(many: ManyClaims, name: keyof ManyClaims['lists'], what: string): void {
  const { list, middle, cases } = many.lists[name]
  test(`a page of the ${name} by ${what} costs about a page, wherever it is read`, async () => {
    for (const order of ['asc', 'desc']) {
      for (const after of [undefined, middle]) {
        const { app, effort } = explainedApp(many)
        const request = { ...NO_FILTER, ...cases[what], userId: many.userId, order, after, limit: 50 }
        await list(app, request)
        const said = `${order} ${after}: ${JSON.stringify(effort)}`
        assert.ok(effort.rows <= MAX_ROWS && effort.sorted <= MAX_ROWS, said)
        assert.ok(!effort.scans.includes('Seq Scan claims'), said)
        // Many aliases that begin alike are put in order by entries of an index alone.
        assert.ok(effort.entries <= many.each + 20_000, said)
      }
    }
  })
}

/**
 * What a page may look at: a glance, and what a walk may, in its index and in the table, or what few there are of a filter; and
 * it counts what each filter finds.
 */
const MAX_SCANNED = { rows: 12_000, entries: 45_000 }

export function testSelectiveFilter(many: ManyClaims, name: keyof ManyClaims['lists'], what: string): void {
  test(`a page of the ${name} by ${what} scans a bounded number, wherever it is read`, async () => {
    for (const order of ['asc', 'desc']) {
      let after: string | undefined
      for (let pages = 0; pages < 3; pages++) {
        const { app, effort } = explainedApp(many)
        const request = { ...NO_FILTER, ...SELECTIVE[what], userId: many.userId, order, after, limit: 50 }
        const page = await many.lists[name].list(app, request)
        const said = `${order} ${after}: ${JSON.stringify(effort)}`
        assert.ok(effort.rows <= MAX_SCANNED.rows && effort.entries <= MAX_SCANNED.entries, said)
        assert.ok(!effort.scans.includes('Seq Scan claims'), said)
        if (page.nextCursor === null) break
        after = page.nextCursor
      }
    }
  })
}

/** Filters count records up to this number. */
const MAX_COUNTED = 10_000

export function testTotals(many: ManyClaims, name: keyof ManyClaims['lists']): void {
  const { list, cases } = many.lists[name]
  test(`the total of the ${name} is exact below ${MAX_COUNTED} entries of an index, and costs no more than that`, async () => {
    const exact: number[] = []
    for (const [what, filters] of Object.entries({ all: {}, ...cases, ...SELECTIVE })) {
      const { app, effort } = explainedApp(many)
      const { userId } = many
      const request = { ...NO_FILTER, ...filters, userId, order: 'asc', after: undefined, limit: 100 }
      // Beside what the page costs itself.
      const page = await list(app, { ...request, total: true })
      const said = `${what}: ${JSON.stringify([page.total, effort])}`
      const [rows, entries] = [2 * MAX_SCANNED.rows, 2 * MAX_SCANNED.entries]
      assert.ok(effort.rows <= rows && effort.entries <= entries, said)
      assert.ok(!effort.scans.includes('Seq Scan claims'), said)
      const { count, isExact } = page.total ?? { count: -1, isExact: false }
      assert.ok(count >= 0 && count <= MAX_COUNTED && (isExact ? count < MAX_COUNTED : true), said)
      if (!isExact) continue
      exact.push(count)
      const { ids } = await readToTheEnd((after) => list(many.service.app, { ...request, after }))
      assert.equal(count, ids.length, said)
    }
    assert.ok(exact.length > 15 && Math.max(...exact) > 2_000, String(exact))
  })
}

/** All pages, of which some may be empty. */
async function readToTheEnd(read: (after: string | undefined) => ReturnType<List['list']>) {
  const ids: string[] = []
  let pages = 0
  let empty = 0
  for (let after: string | undefined; ; pages++) {
    const { claims, nextCursor } = await read(after)
    const before = ids.length
    for await (const some of claims) ids.push(...some.map(({ id }) => id))
    if (ids.length === before) empty++
    if (nextCursor === null) return { ids, pages: pages + 1, empty }
    after = nextCursor
  }
}

export function testCrowdedSearch(many: ManyClaims): void {
  test('a search for what very many ids have in common scans a bounded number per page, where they are', async () => {
    for (const [search, count] of [
      [CROWDED, CROWD],
      [`${CROWDED}…${crowdedId(CROWD).slice(-6)}`, 1],
    ] as const) {
      for (const order of ['asc', 'desc']) {
        const { ids, pages } = await readToTheEnd(async (after) => {
          const { app, effort } = explainedApp(many)
          const { userId } = many
          const query = { ...NO_FILTER, search, userId, order, after, limit: 100, total: after === undefined }
          const page = await many.lists.claims.list(app, query)
          const said = `${order} ${after}: ${JSON.stringify(effort)}`
          assert.ok(effort.rows <= 3 * MAX_SCANNED.rows && effort.entries <= 2 * MAX_SCANNED.entries, said)
          return page
        })
        assert.equal(new Set(ids).size, count)
        assert.deepEqual(ids.toSorted(), order === 'asc' ? ids : ids.toReversed())
        assert.ok(pages <= CROWD / 100 + 2, `${pages} pages`)
      }
    }
  })
}

export function testEmptyPages({ service, userId, lists }: ManyClaims): void {
  test('reading all pages returns each matching record once, although some pages are empty', async () => {
    const price = { from: '3.125', to: '3.25' }
    const readAll = (filters: Filters) =>
      readToTheEnd((after) =>
        lists.claims.list(service.app, {
          ...NO_FILTER,
          ...filters,
          userId,
          order: 'asc',
          after,
          limit: 50,
          total: false,
        }),
      )
    for (const [filters, where, order] of [
      [{ price }, 'price BETWEEN 3.125 AND 3.25', 'position'],
      [
        { price: { from: '3.125', to: '3.125' }, sort: 'status_since', statuses: ['CONFIRMED'] },
        "price = 3.125 AND status = 'CONFIRMED' AND test_clock_id IS NULL",
        'status_since, position',
      ],
    ] as const) {
      const text = `SELECT id FROM claims WHERE candidate_alias IS NULL AND user_id = $1 AND ${where} ORDER BY ${order}`
      const wanted = await service.sql(text, [userId])
      const { ids } = await readAll(filters)
      assert.ok(wanted.length > 50)
      assert.deepEqual(
        ids,
        wanted.map(({ id }) => id),
      )
    }
    const { ids, empty } = await readAll({ price: { from: '1000', to: null } })
    assert.deepEqual([ids, empty > 3], [[], true])
  })
}
