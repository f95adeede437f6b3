import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer, ApiClient } from '../../support/api-client.ts'
import { contractWith } from '../../support/contracts.ts'
import { newCustomer, uniqueName } from '../../support/new-records.ts'
import { readPage, readPages } from '../../support/read-pages.ts'
import { sharedSecondService, sharedService } from '../../support/shared.ts'

/* Pages of lists while records are added, on two servers of one database: each server does not know what the other adds. */

export const service = await sharedService()
const second = await sharedSecondService()

type Row = Answer['body']

export const LISTS = {
  '/v1/claims': {
    add: (api: ApiClient, { id }: Row) =>
      api.post('/v1/claims', { customer_id: id, contract: contractWith() }),
    idOf: (row: Row) => row.id,
  },
  '/v1/candidates': {
    add: (api: ApiClient, { external_id }: Row) =>
      api.post('/v1/candidates', {
        candidate_alias: uniqueName(),
        customer_uuid: external_id,
        contract: contractWith(),
      }),
    idOf: (row: Row) => row.candidate_alias,
  },
  '/v1/customers': {
    add: (api: ApiClient) => api.post('/v1/customers', { external_id: uniqueName() }),
    idOf: (row: Row) => row.id,
  },
}
const WRITERS = 8

/** Eight connections each add a number of records while the lists are read. */
export function testPagesWhileAdding(recordsEach: number): void {
  for (const [path, { add, idOf }] of Object.entries(LISTS)) {
    describe(`GET ${path} while ${WRITERS * recordsEach} records are being added`, () => {
      test('oldest first: pages repeat no record and skip no record', async () => {
        const { here, there, customer } = await newAccountOnBothServers()
        const adding = addAll(here, there, recordsEach, (api) => add(api, customer))

        const seen: string[] = []
        let after: string | undefined
        for (let done = false; !done; ) {
          // Checked before the page is read: an empty page that was read after the last addition is the end.
          const allAdded = adding.isOver()
          const { body } = await readPage(there, path, { limit: 7, ...(after ? { after } : {}) })
          seen.push(...body.data.map(idOf))
          after = seen.at(-1)
          done = allAdded && body.data.length === 0
        }

        const created = (await adding.created).map(idOf)
        const listed = (await readPages(here, path, { limit: 100 })).flat().map(idOf)
        assert.deepEqual(seen, listed)
        assert.deepEqual(
          new Set(seen),
          new Set(path === '/v1/customers' ? [customer.id, ...created] : created),
        )
      })

      test('newest first: every page continues exactly where the previous page ended', async () => {
        const { here, there, customer } = await newAccountOnBothServers()
        const earlier: string[] = []
        for (let i = 0; i < 20; i++) earlier.push(idOf((await add(here, customer)).body))
        const adding = addAll(here, there, recordsEach, (api) => add(api, customer))

        const readings: string[][] = []
        do {
          const pages = await readPages(there, path, { limit: 9, order: 'desc' })
          readings.push(pages.flat().map(idOf))
        } while (!adding.isOver())

        await adding.created
        const listed = (await readPages(here, path, { limit: 100 })).flat().map(idOf).toReversed()
        for (const reading of readings) {
          // Each reading begins at the record that was then the newest, and misses no older record.
          const newest = listed.indexOf(reading[0] as string)
          assert.deepEqual(reading, listed.slice(newest))
        }
        assert.deepEqual(
          listed.slice(-earlier.length - 1).filter((name) => earlier.includes(name)),
          earlier.toReversed(),
        )
      })
    })
  }
}

export async function newAccountOnBothServers() {
  const here = await service.newAccount()
  const there = second.clientWith(here.token)
  return { here, there, customer: await newCustomer(here) }
}

/** Adds records from many connections to both servers at once. */
function addAll(
  here: ApiClient,
  there: ApiClient,
  recordsEach: number,
  add: (api: ApiClient) => Promise<Answer>,
) {
  let isOver = false
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    const rows: Row[] = []
    for (let i = 0; i < recordsEach; i++) {
      const { status, body } = await add(writer % 2 === 0 ? here : there)
      assert.equal(status, 201)
      rows.push(body)
    }
    return rows
  })
  const created = Promise.all(writers).then((rows) => rows.flat())
  const end = () => {
    isOver = true
  }
  created.then(end, end)
  return { created, isOver: () => isOver }
}
