import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { findTokenOwner } from '../../src/accounts/tokens/api-token-store.ts'
import { sendReminders } from '../../src/checks/reminder-store.ts'
import { findContracts } from '../../src/claim-schemas/claim-schema-store.ts'
import { findClaimPosition, listClaims, readContracts } from '../../src/claims/lists/claim-list-store.ts'
import type { ClaimFilter } from '../../src/claims/lists/claim-selection.ts'
import { listCustomers } from '../../src/customers/customer-list-store.ts'
import { findNewestClaims, readEventTypes } from '../../src/events/event-type-store.ts'
import { writeNotificationSettings } from '../../src/notifications/notification-settings-store.ts'
import { namedEvents } from '../support/named-events.ts'
import { assertBounded, type PlanReader, readPlans } from '../support/query-plan.ts'
import {
  deleteTestClock,
  findCustomers,
  findCustomersByExternalId,
  listTestClocks,
  readClaimAndLog,
  readEvents,
  readLogPage,
  readPayloads,
  readShortClaims,
  type Status,
} from '../support/source/claims.ts'
import { readOverdueLag } from '../support/source/database.ts'
import {
  appendEvents,
  appendExtendedEvents,
  DUE_START,
  DueIdMerge,
  decideGroups,
  dueBy,
  findDueClaimsOnTestClock,
  listDue,
  moveGroups,
  nextCursor,
  readClaimsToDecide,
  readDueGroups,
} from '../support/source/decisions.ts'
import { readEventSummaries, readSubjects } from '../support/source/webhooks.ts'
import { createTestDatabase } from '../support/test-database.ts'
import type { PlannedClaims } from './planned-claims.ts'

/*
 * Every statement that a busy service sends reads about as many rows as it gives, however large the tables are:
 * the plans of the very statements, over tables that PostgreSQL has analysed.
 */

const LIMIT = 50
/** A page, one record more, and what lies at the edge. */
const PAGE = { rowsRead: 2 * LIMIT, rowsSorted: LIMIT }
const MODES = ['custom', 'generic'] as const
const CHECK_TIME = new Date('2026-06-01T00:00:00Z')
const SETTLED = { status: 'CONFIRMED', scheduledOutcome: 'CONFIRMED', windowMs: null } as const
const NO_FILTER = { schemaId: undefined, testClockId: undefined, search: null }
const NO_CUSTOMER_FILTER = { externalId: undefined, search: undefined, metadata: undefined }

export const STATUSES: Record<string, Status | undefined> = {
  'of any status': undefined,
  'of a common status': 'OPEN',
  'of a rare status': 'PENDING',
  'of a status that is not so rare': 'FAILED',
}

/** Reads the first page and one deep in the list, and holds the plans of both to the bound. */
async function assertPagesAreBounded(
  reader: PlanReader,
  list: (after: string | null, order: 'asc' | 'desc', limit: number) => Promise<{ rows: unknown[] }>,
  deepPosition: (order: 'asc' | 'desc') => Promise<string | null>,
): Promise<void> {
  for (const order of ['asc', 'desc'] as const) {
    for (const after of [null, await deepPosition(order)]) {
      reader.take()
      await list(after, order, LIMIT)
      const plans = reader.take()
      assert.ok(plans.length > 0)
      for (const plan of plans) assertBounded(plan, PAGE)
    }
  }
}

const placeAt = (position: string | null) => (position === null ? null : { time: null, position })

export function testPageOfClaims(
  { user, readers, middle }: PlannedClaims,
  kind: 'claim' | 'candidate',
  { status, customerId }: { status?: Status | undefined; customerId?: string | undefined },
  name: string,
): void {
  test(`a page of the ${kind}s ${name} reads about a page`, async () => {
    const filter: Omit<ClaimFilter, 'after' | 'order' | 'limit'> = {
      ...NO_FILTER,
      userId: user,
      kind,
      statuses: status ? [status] : [],
      customerId,
    }
    const { connection } = readers.custom
    for (const mode of MODES) {
      await assertPagesAreBounded(
        readers[mode],
        (after, order, limit) =>
          listClaims(readers[mode].connection, { ...filter, after: placeAt(after), order, limit }),
        async (order) => {
          const all = await listClaims(connection, { ...filter, after: null, order, limit: 2_000 })
          const last = all.rows.at(-1)
          return last ? findClaimPosition(connection, user, kind, last.id) : middle
        },
      )
    }
  })
}

export function testPageOfClaimsPlannedEmpty({ user, customers, middle }: PlannedClaims): void {
  test('a page that is prepared while there are no claims yet is read from the index that is right for many', async (t) => {
    const empty = await readPlans(t, await createTestDatabase(t), 'generic')
    for (const kind of ['claim', 'candidate'] as const) {
      for (const status of Object.values(STATUSES)) {
        for (const customerId of [undefined, customers.huge]) {
          for (const [after, order] of [
            [null, 'asc'],
            [middle, 'desc'],
          ] as const) {
            const statuses = status ? [status] : []
            const asked = { ...NO_FILTER, userId: user, kind, statuses, customerId }
            await listClaims(empty.connection, { ...asked, after: placeAt(after), order, limit: LIMIT })
            const [plan] = empty.take()
            const indexes = new Set(plan?.text.match(/(?<="Index Name":")(?!contracts_pkey)\w+/g))
            assert.deepEqual([...indexes], [`${kind}s_by_${customerId ? 'customer_and_status' : 'status'}`])
          }
        }
      }
    }
  })
}

export function testListsOfTheAccount({ user, readers }: PlannedClaims): void {
  const { custom } = readers
  for (const [what, table, list] of [
    ['customers', 'customers', listCustomers],
    ['test clocks', 'test_clocks', listTestClocks],
  ] as const) {
    test(`a page of the ${what} reads about a page`, async () => {
      await assertPagesAreBounded(
        custom,
        (after, order, limit) =>
          list(custom.connection, { ...NO_CUSTOMER_FILTER, userId: user, after, order, limit }),
        async () => {
          const text = `SELECT position FROM ${table} WHERE user_id = $1 ORDER BY position OFFSET 500 LIMIT 1`
          const [row] = await custom.connection.query<{ position: string }>({ text, values: [user] })
          return row?.position ?? null
        },
      )
    })
  }
}

export function testSearchesOfCustomersAndTypes({ user, readers }: PlannedClaims): void {
  test('a search of customers, and a look-up by external_id, read what they find', async () => {
    const page = { userId: user, after: null, limit: LIMIT }
    for (const mode of MODES) {
      const { connection, take } = readers[mode]
      for (const order of ['asc', 'desc'] as const) {
        take()
        await listCustomers(connection, { ...NO_CUSTOMER_FILTER, ...page, search: 'CUSTOMER-1999', order })
        const plans = take()
        assert.equal(plans.length, 2)
        for (const plan of plans) assertBounded(plan, { rowsRead: 10, rowsSorted: 10 })
      }
    }
    const { connection, take } = readers.custom
    take()
    for (const order of ['asc', 'desc'] as const) {
      const lookUp = { ...NO_CUSTOMER_FILTER, ...page, externalId: 'customer-1999', order }
      await listCustomers(connection, lookUp)
      for (const plan of take()) assertBounded(plan, { rowsRead: 1, rowsSorted: 1 })
    }
  })

  test('the types of the latest events are read of few claims, with few events of each', async () => {
    for (const mode of MODES) {
      const { connection, take } = readers[mode]
      take()
      const ids = await findNewestClaims(connection, user)
      const types = await readEventTypes(connection, ids)
      assert.deepEqual([types.map(({ type }) => type), ids.length > 200], [['seen'], true])
      for (const plan of take()) assertBounded(plan, { rowsRead: 3 * ids.length, rowsSorted: 3 * ids.length })
    }
  })
}

/** The bound is tight for groups that are small beside the table. */
export function testLookUpsOfCreations({ user, readers }: PlannedClaims, counts: readonly number[]): void {
  const rows = (text: string, count: number) =>
    readers.custom.connection.query<{ id: string; external_id: string }>({ text, values: [user, count] })
  for (const mode of MODES) {
    const { connection, take } = readers[mode]
    for (const count of counts) {
      // For a tenth of all customers PostgreSQL may walk through an index once, in place of looking for each.
      const bound =
        count === 1_000 ? { rowsRead: 10 * count, rowsSorted: count } : { rowsRead: count, rowsSorted: 0 }
      test(`what a group of ${count} creations looks up is about as many rows (${mode} plan)`, async () => {
        const some = await rows('SELECT id, external_id FROM customers WHERE user_id = $1 LIMIT $2', count)
        const schemas = await rows(
          'SELECT id FROM claim_schemas WHERE user_id = $1 LIMIT $2',
          Math.min(count, 32),
        )
        const of = (names: string[]) => names.map((name) => ({ userId: user, names: [name] }))
        take()
        await findCustomers(connection, of(some.map(({ id }) => id)))
        await findCustomersByExternalId(connection, of(some.map((row) => row.external_id)))
        for (const plan of take()) assertBounded(plan, bound)
        await findContracts(connection, of(schemas.map(({ id }) => id)))
        for (const plan of take()) assertBounded(plan, { rowsRead: count, rowsSorted: count })
      })
    }
  }
}

/** Of one request each. */
export function testStatementsOfRequests(planned: PlannedClaims): void {
  const { user, ids, longLogs, smallClocks, readers } = planned
  for (const mode of MODES) {
    const reader = readers[mode]

    test(`one claim with its log is found by its index (${mode} plan)`, async () => {
      reader.take()
      await readClaimAndLog(reader.connection, user, { kind: 'claim', id: ids[0] as string })
      await readShortClaims(reader.connection, [
        { userId: user, address: { kind: 'claim', id: ids[0] as string } },
      ])
      await readLogPage(reader.connection, ids[0] as string, 0)
      await readPayloads(reader.connection, ids[0] as string, [1, 2])
      for (const plan of reader.take()) assertBounded(plan, { rowsRead: 10, rowsSorted: 10 })
    })

    test(`the long contracts of a page are read by their index (${mode} plan)`, async () => {
      reader.take()
      await readContracts(reader.connection, ids.slice(0, 8))
      for (const plan of reader.take()) assertBounded(plan, { rowsRead: 8, rowsSorted: 0 })
    })

    test(`the owner of a token is found by its index (${mode} plan)`, async () => {
      reader.take()
      await findTokenOwner(reader.connection, Buffer.alloc(32))
      for (const plan of reader.take()) assertBounded(plan, { rowsRead: 1, rowsSorted: 0 })
    })

    for (const [logs, some] of Object.entries({ short: ids.slice(0, 20), long: longLogs })) {
      test(`${logs} logs are read once for decisions (${mode} plan)`, async () => {
        reader.take()
        const read = [...(await readClaimsToDecide(reader.connection, namedEvents(some, ['event-1']))).claims]
        assert.ok(read.every(({ isWhole }) => isWhole === (logs === 'short')))
        assert.ok(read.every(({ eventIds }) => eventIds.includes('event-1')))
        const events = read.reduce((sum, { claim }) => sum + claim.eventCount, 0)
        for (const plan of reader.take())
          assertBounded(plan, { rowsRead: some.length + events, rowsSorted: 0 })
      })
    }

    test(`of claims that are oversized no log is read (${mode} plan)`, async () => {
      reader.take()
      const some = ids.slice(0, 20)
      const { claims, oversized } = await readClaimsToDecide(
        reader.connection,
        namedEvents(some, ['event-1']),
        10,
      )
      assert.deepEqual([[...claims], oversized.size], [[], 20])
      for (const plan of reader.take()) assertBounded(plan, { rowsRead: some.length, rowsSorted: 0 })
    })

    test(`a clock with few claims is deleted by indexes (${mode} plan)`, async () => {
      reader.take()
      const gone = {
        id: smallClocks[mode],
        userId: user,
        name: 'gone',
        frozenTime: new Date(),
        createdAt: new Date(),
        nextDueAt: null,
      }
      await deleteTestClock(reader.connection, gone)
      const plans = reader.take()
      assert.equal(plans.length, 8)
      for (const plan of plans) assertBounded(plan, { rowsRead: 10 * 20, rowsSorted: 20 })
    })

    test(`the claims that notifications tell of are found by their index (${mode} plan)`, async () => {
      reader.take()
      const some = ids.slice(0, 100)
      assert.equal((await readSubjects(reader.connection, user, some)).size, some.length)
      for (const plan of reader.take()) assertBounded(plan, { rowsRead: 2 * some.length, rowsSorted: 0 })
    })

    test(`events with notifications are looked up one by one (${mode} plan)`, async () => {
      reader.take()
      const rows = ids.slice(0, 100).map((subject_id) => ({ subject_id, sequence: 1 }))
      await readEventSummaries(reader.connection, rows)
      for (const plan of reader.take()) assertBounded(plan, { rowsRead: 2 * rows.length, rowsSorted: 0 })
    })
  }
}

/** @param sizes how many claims, and whether the account asks for event notifications */
export function testDecisions(
  { user, ids, readers }: PlannedClaims,
  sizes: readonly (readonly [count: number, isNotified: boolean])[],
): void {
  for (const mode of MODES) {
    const reader = readers[mode]
    for (const [count, isNotified] of sizes) {
      const asked = isNotified ? ', with event notifications' : ''
      test(`${count} claims are read for their decisions, and written, by their indexes${asked} (${mode} plan)`, async () => {
        const some = ids.slice(0, count)
        // Every other one is settled by its event.
        const becomes = (n: number) => (n % 2 === 1 ? SETTLED : null)
        assert.equal(some.length, count)
        await writeNotificationSettings(reader.connection, user, { eventRecorded: isNotified }, null)
        reader.take()
        const read = [...(await readClaimsToDecide(reader.connection, namedEvents(some, ['event-1']))).claims]
        assert.equal(read.length, count)
        await appendEvents(
          reader.connection,
          read.map(({ claim, lastAt }, n) => ({
            seen: claim,
            lastAt,
            events: [{ submission: { id: randomUUID(), type: 'seen' }, payloadJson: '{}' }],
            bytes: 2,
            digest: null,
            becomes: becomes(n),
          })),
          { kind: 'live' },
        )
        await readEvents(
          reader.connection,
          some.map((claimId) => ({ claimId, id: 'event-1', payloadBytes: 2 })),
        )
        const plans = reader.take()
        assert.deepEqual(
          plans.map(({ name }) => name),
          ['read_claims_to_decide', 'append_events', 'read_events'],
        )
        // Each claim by its index and in the table, with its log of a few events.
        for (const plan of plans) assertBounded(plan, { rowsRead: 8 * count + 10, rowsSorted: 4 * count })
      })

      test(`${count} claims of extended contracts are written by their indexes${asked} (${mode} plan)`, async () => {
        const some = ids.slice(0, count)
        const { claims } = await readClaimsToDecide(reader.connection, namedEvents(some, []))
        const appends = [...claims].map(({ claim, lastAt }) => ({
          seen: claim,
          becomes: { ...claim, eventCount: claim.eventCount + 1, logBytes: claim.logBytes + 2 },
          reminderTimes: null,
          at: lastAt,
          events: [{ submission: { id: randomUUID(), type: 'seen' }, payloadJson: '{}', lateMs: 1 }],
          notifications: [
            { subjectId: claim.id, kind: 'recorded' as const, sequence: claim.eventCount + 1, state: claim },
          ],
        }))
        reader.take()
        const written = await appendExtendedEvents(
          reader.connection,
          appends,
          new Set(isNotified ? [user] : []),
        )
        assert.equal(written.size, count)
        const plans = reader.take()
        await reader.connection.query({
          text: 'UPDATE claims SET decided_count = NULL WHERE id = ANY ($1)',
          values: [some],
        })
        reader.take()
        for (const plan of plans) assertBounded(plan, { rowsRead: 8 * count + 10, rowsSorted: 4 * count })
      })
    }
  }
}

export function testScheduledChecks(
  { clock, readers, reminderCheck }: PlannedClaims,
  { sizes, onClock }: { sizes: readonly number[]; onClock: number },
): void {
  for (const mode of MODES) {
    const reader = readers[mode]
    for (const testClockId of [null, clock]) {
      const where = testClockId === null ? 'live claims' : 'claims on a test clock'
      test(`reminders of ${where} are found in the order of their index (${mode} plan)`, async () => {
        const { connection, take } = reader
        take()
        const span = { from: reminderCheck, until: reminderCheck }
        const sent = await sendReminders(connection, testClockId, span, onClock)
        assert.deepEqual(sent, { claims: onClock, sent: onClock })
        for (const plan of take())
          assertBounded(plan, { rowsRead: 8 * onClock + 10, rowsSorted: 2 * onClock })
      })
    }

    for (const size of sizes) {
      test(`${size} due claims are found in the order of their index, and read and moved by theirs (${mode} plan)`, async () => {
        const { connection, take } = reader
        take()
        const within = dueBy(CHECK_TIME)
        const first = await listDue(connection, CHECK_TIME, within, size / 2)
        const rest = { after: first.range.upTo, upTo: within.upTo }
        const second = await listDue(connection, CHECK_TIME, rest, size / 2)
        await listDue(connection, CHECK_TIME, second.range, size)
        const due = new DueIdMerge()
        for (const { ids } of [first, second]) due.add(ids)
        const kinds = await readDueGroups(connection, CHECK_TIME, due.take(size))
        const moves = decideGroups(kinds, CHECK_TIME)
        assert.equal(await moveGroups(connection, moves, 0), size)
        const plans = take()
        assert.deepEqual(
          plans.map(({ name }) => name),
          ['list_due', 'list_due', 'list_due', 'read_due_kinds', 'move_kinds'],
        )
        for (const plan of plans) assertBounded(plan, { rowsRead: 4 * size + 10, rowsSorted: size })
      })
    }

    test(`the claim that is due for longest is found by the index (${mode} plan)`, async () => {
      const { connection, take } = reader
      take()
      assert.ok((await readOverdueLag(connection)) > 0)
      const [plan] = take()
      assert.equal(plan?.name, 'read_overdue_lag')
      assertBounded(plan, { rowsRead: 1, rowsSorted: 0 })
    })

    test(`a clock's due claims are found in the order of their index (${mode} plan)`, async () => {
      const { connection, take } = reader
      take()
      const first = await findDueClaimsOnTestClock(connection, clock, CHECK_TIME, DUE_START, onClock)
      const cursor = nextCursor(first, onClock)
      assert.ok(cursor)
      await findDueClaimsOnTestClock(connection, clock, CHECK_TIME, cursor, onClock)
      for (const plan of take()) assertBounded(plan, { rowsRead: 2 * onClock + 10, rowsSorted: 0 })
    })
  }
}
