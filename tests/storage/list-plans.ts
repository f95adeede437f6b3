import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { App } from '../../src/app/app.ts'
import { listCandidates } from '../../src/app/claims/list-candidates.ts'
import { listClaims } from '../../src/app/claims/list-claims.ts'
import { explaining } from '../support/explained.ts'
import { addManyClaims, clockOf, customerOf, schemaOf } from '../support/many-claims.ts'
import { newCustomer } from '../support/new-records.ts'
import { startTestService } from '../support/test-service.ts'

/* Whatever a list is filtered by, a page costs about what it shows: the table is never read through, nor put in order. */

const EACH = 60_000
const service = await startTestService({ after })
const customer = await newCustomer(service.api)
const { body } = await service.api.get(`/v1/customers/${customer.id}`)
const userId: string = body.user_id
await addManyClaims(service, userId, EACH)
await service.sql(
  `INSERT INTO customers (user_id, id, external_id, created_at)
   SELECT $1, ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 'customer-' || n, now()
   FROM generate_series(0, 199) AS n`,
  [userId],
)
const middleOf = async (kind: string) => {
  const text = `SELECT id, candidate_alias AS alias FROM claims WHERE candidate_alias IS ${kind}
    ORDER BY position OFFSET $1 LIMIT 1`
  const [row] = await service.sql(text, [EACH / 2])
  return row as { id: string; alias: string }
}
const claim = (await middleOf('NULL')).id
const candidate = await middleOf('NOT NULL')
const { alias } = candidate
const lastDay = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)

const NO_FILTER = {
  userId,
  status: undefined,
  customerId: undefined,
  customerExternalId: undefined,
  schemaId: undefined,
  testClockId: undefined,
  search: undefined,
}
type Filters = Partial<Omit<typeof NO_FILTER, 'userId'>> | Record<string, string>

const BOTH: Record<string, Filters> = {
  'a schema that many have': { schemaId: schemaOf(0) },
  'a schema that few have': { schemaId: schemaOf(1) },
  'a schema that none has': { schemaId: schemaOf(2) },
  'a schema and a status': { schemaId: schemaOf(0), status: 'CONFIRMED' },
  'a test clock that few are on': { testClockId: clockOf(0) },
  'a test clock that none is on': { testClockId: clockOf(1) },
}
const LISTS = {
  claims: {
    list: (app: App, request: object) => listClaims(app, request as Parameters<typeof listClaims>[1]),
    middle: claim,
    cases: {
      ...BOTH,
      'the beginning of an id': { search: claim.slice(0, 8) },
      'an id': { search: claim },
      'an id that is not there': { search: 'ffffffff' },
      'the beginning of an id and a status': { search: claim.slice(0, 8), status: 'FAILED' },
      'a schema and a customer': { schemaId: schemaOf(0), customerId: customerOf(13) },
    },
  },
  candidates: {
    list: (app: App, request: object) => listCandidates(app, request as Parameters<typeof listCandidates>[1]),
    middle: candidate.id,
    cases: {
      ...BOTH,
      'an alias': { search: alias },
      'a letter that no alias begins with': { search: 'p' },
      'an alias and a status that it does not have': { search: alias, status: 'OPEN' },
      'the beginning of all aliases and a status': { search: 'o', status: 'OPEN' },
      'the beginning of the last aliases and a status': { search: `order-${lastDay}`, status: 'FAILED' },
      'the beginning of all aliases': { search: 'order' },
    },
  },
}
/** A page of 50 is read twice where it ends in records on a test clock, which may be fresh at any time. */
const MOST_ROWS = 2_500

for (const [name, { list, middle: deep, cases }] of Object.entries(LISTS)) {
  describe(`the list of ${name}`, () => {
    for (const [what, filters] of Object.entries(cases)) {
      test(`by ${what} costs about a page, wherever it is read`, async () => {
        for (const order of ['asc', 'desc']) {
          for (const after of [undefined, deep]) {
            const { db, effort } = explaining(service.app.db)
            const app = { db: { reads: { for: () => db } } } as unknown as App
            await list(app, { ...NO_FILTER, ...filters, order, after, limit: 50 })
            const said = `${order} ${after}: ${JSON.stringify(effort)}`
            assert.ok(effort.rows <= MOST_ROWS && effort.sorted <= MOST_ROWS, said)
            assert.ok(!effort.scans.includes('Seq Scan claims'), said)
            // Many aliases that begin alike are put in order by entries of an index alone.
            assert.ok(effort.entries <= EACH + 20_000, said)
          }
        }
      })
    }
  })
}
