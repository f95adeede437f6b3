import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import pg from 'pg'
import { IdsInOrder } from '../../src/app/check/ids-in-order.ts'
import { moveOf } from '../../src/app/check/move-batch.ts'
import type { Status } from '../../src/domain/claims/lifecycle.ts'
import { findTokenOwner } from '../../src/storage/accounts/api-tokens.ts'
import { findContracts } from '../../src/storage/claim-schemas.ts'
import { appendEvents } from '../../src/storage/claim-writes/append-events.ts'
import {
  DUE_START,
  dueBy,
  findDueClaimsOnTestClock,
  listDue,
  nextCursor,
  readDueKinds,
} from '../../src/storage/claim-writes/due-claims.ts'
import { moveKinds } from '../../src/storage/claim-writes/move-claims.ts'
import {
  readClaimAndLog,
  readEvents,
  readLogPage,
  readPayloads,
  readShortClaims,
} from '../../src/storage/claims/claim-log.ts'
import { readClaimsToDecide } from '../../src/storage/claims/claims-to-decide.ts'
import { findClaimPosition, listClaims, readContracts } from '../../src/storage/claims/lists/claim-list.ts'
import type { ClaimFilter } from '../../src/storage/claims/lists/claim-selection.ts'
import { findNewestClaims, readEventTypes } from '../../src/storage/claims/lists/event-types.ts'
import { listCustomers } from '../../src/storage/customer-list.ts'
import { findCustomers, findCustomersByExternalId } from '../../src/storage/customers.ts'
import { readSubjects, readToldEvents } from '../../src/storage/notifications/feed.ts'
import { writeNotificationSettings } from '../../src/storage/notifications/settings.ts'
import { readOverdueLag } from '../../src/storage/operating/lags.ts'
import { deleteTestClock, listTestClocks } from '../../src/storage/test-clocks.ts'
import { namedEvents } from '../support/named-events.ts'
import { assertBounded, type PlanReader, readPlans } from '../support/query-plan.ts'
import { createTestDatabase } from '../support/test-database.ts'

/*
 * Every statement that a busy service sends reads about as many rows as it gives, however large the tables are:
 * the plans of the very statements, over tables that PostgreSQL has analysed.
 */

const LIMIT = 50
/** A page, one record more, and what lies at the edge. */
const PAGE = { rowsRead: 2 * LIMIT, rowsSorted: LIMIT }

const [user, other, clock] = [randomUUID(), randomUUID(), randomUUID()]
/** Clocks with few claims, which are deleted. */
const small = { custom: randomUUID(), generic: randomUUID() }
const customers = { huge: randomUUID(), tiny: randomUUID(), scattered: randomUUID() }
const databaseUrl = await createTestDatabase({ after })
const side = new pg.Client({ connectionString: databaseUrl })
await side.connect()
await load(side)
/** Some of the account's OPEN claims, far from each other. */
const ids = await spreadClaims(side)
/** Of them, those that are said to have long logs. */
const longLogs = ids.slice(-20)
await side.query('UPDATE claims SET log_bytes = 1000000 WHERE id = ANY ($1)', [longLogs])
await side.end()
const custom = await readPlans({ after }, databaseUrl, 'custom')
const generic = await readPlans({ after }, databaseUrl, 'generic')

/**
 * 40,000 claims and 15,000 candidates, most of them of one account and one customer: common statuses and rare ones,
 * customers with nearly all claims, with three, and with some far from each other.
 */
async function load(client: pg.Client): Promise<void> {
  const contract = JSON.stringify({
    price: 1,
    activity_window: 3600,
    review_window: 60,
    fulfillment_condition: { event: 'done' },
    timeout_outcome: 'fail',
  })
  for (const [claims, alias] of [
    [40_000, 'NULL'],
    [15_000, "'candidate-' || n"],
  ] as const) {
    await client.query(
      `INSERT INTO claims (id, user_id, customer_id, candidate_alias, customer_external_id, contract,
         decisive_event_types, status, scheduled_outcome, status_since, due_at, event_count, log_bytes, test_clock_id, created_at)
       SELECT gen_random_uuid(), account, customer, ${alias}, CASE WHEN ${alias} IS NOT NULL THEN 'acme' END, $1, '{done}',
         status, CASE status WHEN 'OPEN' THEN NULL WHEN 'CONFIRMED' THEN 'CONFIRMED' ELSE 'FAILED' END,
         created, CASE WHEN status IN ('OPEN', 'PENDING') THEN created + n * interval '1 second' END,
         CASE WHEN status = 'OPEN' THEN 1 ELSE 2 END, 20, CASE WHEN n % 50 = 49 AND status = 'OPEN' THEN $7::uuid END, created
       FROM generate_series(1, ${claims}) AS n,
         LATERAL (SELECT CASE WHEN n % 10 = 9 THEN $3::uuid ELSE $2::uuid END AS account,
           CASE WHEN n BETWEEN 100 AND 102 THEN $5::uuid WHEN n % 1000 = 500 THEN $6::uuid
             WHEN n % 7 = 0 THEN gen_random_uuid() ELSE $4::uuid END AS customer,
           CASE WHEN n IN (1000, 1001, 30001) THEN 'PENDING' WHEN n % 97 = 0 THEN 'FAILED'
             WHEN n > ${claims / 2} THEN 'OPEN' ELSE 'CONFIRMED' END AS status,
           timestamptz '2025-01-01' + n * interval '1 second' AS created) AS values`,
      [contract, user, other, customers.huge, customers.tiny, customers.scattered, clock],
    )
  }
  await client.query(
    `INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
     SELECT id, seq, 'event-' || seq, 'seen', '{"value":1}', false, created_at
     FROM claims, generate_series(1, event_count) AS seq`,
  )
  await client.query(
    `INSERT INTO customers (user_id, id, external_id, created_at)
     SELECT CASE WHEN n % 3 = 0 THEN $2::uuid ELSE $1::uuid END, gen_random_uuid(), 'customer-' || n, '2025-01-01'
     FROM generate_series(1, 10000) AS n`,
    [user, other],
  )
  await client.query(
    `INSERT INTO claim_schemas (user_id, id, contract, created_at, updated_at)
     SELECT CASE WHEN n % 3 = 0 THEN $2::uuid ELSE $1::uuid END, gen_random_uuid(), $3, '2025-01-01', '2025-01-01'
     FROM generate_series(1, 10000) AS n`,
    [user, other, contract],
  )
  await client.query(
    `INSERT INTO test_clocks (user_id, id, frozen_time, created_at)
     SELECT CASE WHEN n % 3 = 0 THEN $2::uuid ELSE $1::uuid END, gen_random_uuid(), '2025-01-01', '2025-01-01'
     FROM generate_series(1, 5000) AS n`,
    [user, other],
  )
  await client.query(
    "INSERT INTO test_clocks (user_id, id, frozen_time, created_at) VALUES ($1, $2, '2025-01-01', '2025-01-01')",
    [user, clock],
  )
  await client.query(
    "INSERT INTO users (id, email, created_at) VALUES ($1, 'ann@example.com', '2025-01-01')",
    [user],
  )
  await client.query(
    `INSERT INTO api_tokens (id, user_id, name, token_hash, created_at)
     SELECT gen_random_uuid(), $1, 'test', sha256(n::text::bytea), '2025-01-01' FROM generate_series(1, 5000) AS n`,
    [user],
  )
  await client.query(
    `UPDATE claims SET test_clock_id = CASE WHEN n <= 20 THEN $2::uuid ELSE $3::uuid END
     FROM (SELECT id, row_number() OVER () AS n FROM claims WHERE user_id = $1 AND status = 'CONFIRMED' LIMIT 40) AS moved
     WHERE claims.id = moved.id`,
    [user, small.custom, small.generic],
  )
  await client.query(
    `INSERT INTO notifications (number, user_id, subject_id, kind, sequence, status_since, created_at)
     SELECT position, user_id, id, 'created', 0, created_at, created_at FROM claims`,
  )
  await client.query(
    `INSERT INTO webhook_endpoints (id, user_id, created_at, url, secret, told_up_to, last_hash, disabled)
     SELECT gen_random_uuid(), $1, '2025-01-01', 'https://example.com/', '', 0, '', 'by hand' FROM generate_series(1, 5000) AS n`,
    [user],
  )
  await client.query('VACUUM ANALYZE')
}

async function spreadClaims(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM (
       SELECT id, row_number() OVER (ORDER BY position) AS n FROM claims
       WHERE user_id = $1 AND candidate_alias IS NULL AND status = 'OPEN' AND test_clock_id IS NULL
     ) AS c WHERE n % 23 = 0`,
    [user],
  )
  return rows.map(({ id }) => id)
}

const SETTLED = { status: 'CONFIRMED', scheduledOutcome: 'CONFIRMED', windowMs: null } as const

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

const STATUSES: Record<string, Status | undefined> = {
  'of any status': undefined,
  'of a common status': 'OPEN',
  'of a rare status': 'PENDING',
  'of a status that is not so rare': 'FAILED',
}
const OWNERS: Record<string, string | undefined> = {
  'of any customer': undefined,
  'of a customer with most of them': customers.huge,
  'of a customer with three': customers.tiny,
  'of a customer with few far apart': customers.scattered,
  'of a customer with none': randomUUID(),
}

for (const kind of ['claim', 'candidate'] as const) {
  for (const [which, status] of Object.entries(STATUSES)) {
    for (const [whose, customerId] of Object.entries(OWNERS)) {
      test(`a page of the ${kind}s ${which} ${whose} reads about a page`, async () => {
        const filter: Omit<ClaimFilter, 'after' | 'order' | 'limit'> = {
          userId: user,
          kind,
          statuses: status ? [status] : [],
          customerId,
          schemaId: undefined,
          testClockId: undefined,
          search: null,
        }
        for (const reader of [custom, generic]) {
          await assertPagesAreBounded(
            reader,
            (after, order, limit) =>
              listClaims(reader.connection, { ...filter, after: placeAt(after), order, limit }),
            async (order) => {
              const all = await listClaims(custom.connection, { ...filter, after: null, order, limit: 2_000 })
              const last = all.rows.at(-1)
              return last ? findClaimPosition(custom.connection, user, kind, last.id) : '30000'
            },
          )
        }
      })
    }
  }
}

test('a page that is prepared while there are no claims yet is read from the index that is right for many', async (t) => {
  const empty = await readPlans(t, await createTestDatabase(t), 'generic')
  for (const kind of ['claim', 'candidate'] as const) {
    for (const status of Object.values(STATUSES)) {
      for (const customerId of [undefined, customers.huge]) {
        for (const [after, order] of [
          [null, 'asc'],
          ['30000', 'desc'],
        ] as const) {
          const others = { schemaId: undefined, testClockId: undefined, search: null }
          const statuses = status ? [status] : []
          const asked = { userId: user, kind, statuses, customerId, ...others }
          const filter = { ...asked, after: placeAt(after), order, limit: LIMIT }
          await listClaims(empty.connection, filter)
          const [plan] = empty.take()
          const indexes = new Set(plan?.text.match(/(?<="Index Name":")(?!contracts_pkey)\w+/g))
          assert.deepEqual([...indexes], [`${kind}s_by_${customerId ? 'customer_and_status' : 'status'}`])
        }
      }
    }
  }
})

for (const [what, table, list] of [
  ['customers', 'customers', listCustomers],
  ['test clocks', 'test_clocks', listTestClocks],
] as const) {
  test(`a page of the ${what} reads about a page`, async () => {
    const filter = { userId: user, externalId: undefined, search: undefined, metadata: undefined }
    await assertPagesAreBounded(
      custom,
      (after, order, limit) => list(custom.connection, { ...filter, after, order, limit }),
      async () => {
        const text = `SELECT position FROM ${table} WHERE user_id = $1 ORDER BY position OFFSET 2000 LIMIT 1`
        const [row] = await custom.connection.query<{ position: string }>({ text, values: [user] })
        return row?.position ?? null
      },
    )
  })
}

test('a search of customers reads those that it finds', async () => {
  const filter = {
    userId: user,
    externalId: undefined,
    search: 'CUSTOMER-7000',
    metadata: undefined,
    after: null,
    limit: LIMIT,
  }
  for (const reader of [custom, generic]) {
    for (const order of ['asc', 'desc'] as const) {
      reader.take()
      await listCustomers(reader.connection, { ...filter, order })
      const plans = reader.take()
      assert.equal(plans.length, 2)
      for (const plan of plans) assertBounded(plan, { rowsRead: 10, rowsSorted: 10 })
    }
  }
})

test('the types of the latest events are read of few claims, with few events of each', async () => {
  for (const reader of [custom, generic]) {
    reader.take()
    const ids = await findNewestClaims(reader.connection, user)
    const types = await readEventTypes(reader.connection, ids)
    assert.deepEqual([types.map(({ type }) => type), ids.length > 200], [['seen'], true])
    for (const plan of reader.take())
      assertBounded(plan, { rowsRead: 3 * ids.length, rowsSorted: 3 * ids.length })
  }
})

test('a customer is found by its external_id alone', async () => {
  const filter = {
    userId: user,
    externalId: 'customer-7000',
    search: undefined,
    metadata: undefined,
    after: null,
    limit: LIMIT,
  }
  for (const order of ['asc', 'desc'] as const) {
    custom.take()
    await listCustomers(custom.connection, { ...filter, order })
    for (const plan of custom.take()) assertBounded(plan, { rowsRead: 1, rowsSorted: 1 })
  }
})

describe('what a group of creations looks up', () => {
  const rows = (text: string, count: number) =>
    custom.connection.query<{ id: string; external_id: string }>({ text, values: [user, count] })
  for (const reader of [custom, generic]) {
    for (const count of [1, 60, 1_000]) {
      // For a tenth of all customers PostgreSQL may walk through an index once, in place of looking for each.
      const bound =
        count === 1_000 ? { rowsRead: 10 * count, rowsSorted: count } : { rowsRead: count, rowsSorted: 0 }
      test(`${reader === custom ? 'custom' : 'generic'} plans for ${count} read about as many`, async () => {
        const some = await rows('SELECT id, external_id FROM customers WHERE user_id = $1 LIMIT $2', count)
        const schemas = await rows(
          'SELECT id FROM claim_schemas WHERE user_id = $1 LIMIT $2',
          Math.min(count, 32),
        )
        const of = (names: string[]) => names.map((name) => ({ userId: user, names: [name] }))
        reader.take()
        await findCustomers(reader.connection, of(some.map(({ id }) => id)))
        await findCustomersByExternalId(reader.connection, of(some.map((row) => row.external_id)))
        for (const plan of reader.take()) assertBounded(plan, bound)
        await findContracts(reader.connection, of(schemas.map(({ id }) => id)))
        for (const plan of reader.take()) assertBounded(plan, { rowsRead: count, rowsSorted: count })
      })
    }
  }
})

describe('what is sent for each request', () => {
  for (const mode of ['custom', 'generic'] as const) {
    const reader = mode === 'custom' ? custom : generic

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

    test(`of claims that are heavy no log is read (${mode} plan)`, async () => {
      reader.take()
      const some = ids.slice(0, 20)
      const { claims, heavy } = await readClaimsToDecide(
        reader.connection,
        namedEvents(some, ['event-1']),
        10,
      )
      assert.deepEqual([[...claims], heavy.size], [[], 20])
      for (const plan of reader.take()) assertBounded(plan, { rowsRead: some.length, rowsSorted: 0 })
    })

    test(`a clock with few claims is deleted by indexes (${mode} plan)`, async () => {
      reader.take()
      const gone = {
        id: small[mode],
        userId: user,
        name: 'gone',
        frozenTime: new Date(),
        createdAt: new Date(),
        nextDueAt: null,
      }
      await deleteTestClock(reader.connection, gone)
      const plans = reader.take()
      assert.equal(plans.length, 6)
      for (const plan of plans) assertBounded(plan, { rowsRead: 10 * 20, rowsSorted: 20 })
    })

    test(`the claims that notifications tell of are found by their index (${mode} plan)`, async () => {
      reader.take()
      const some = ids.slice(0, 100)
      assert.equal((await readSubjects(reader.connection, user, some)).size, some.length)
      for (const plan of reader.take()) assertBounded(plan, { rowsRead: 2 * some.length, rowsSorted: 0 })
    })

    test(`events that are told of are looked up one by one (${mode} plan)`, async () => {
      reader.take()
      const rows = ids.slice(0, 100).map((subject_id) => ({ subject_id, sequence: 1 }))
      await readToldEvents(reader.connection, rows)
      for (const plan of reader.take()) assertBounded(plan, { rowsRead: 2 * rows.length, rowsSorted: 0 })
    })

    for (const [count, isAsked] of [
      [1, false],
      [20, false],
      [500, false],
      [20, true],
      [500, true],
    ] as const) {
      const asked = isAsked ? ', and each event is told of' : ''
      test(`${count} claims are read for their decisions, and written, by their indexes${asked} (${mode} plan)`, async () => {
        const some = ids.slice(0, count)
        // Every other one is settled by its event.
        const becomes = (n: number) => (n % 2 === 1 ? SETTLED : null)
        assert.equal(some.length, count)
        await writeNotificationSettings(reader.connection, user, { eventRecorded: isAsked }, null)
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
    }
  }
})

describe('what a scheduled check sends', () => {
  const checkTime = new Date('2026-06-01T00:00:00Z')
  for (const mode of ['custom', 'generic'] as const) {
    const reader = mode === 'custom' ? custom : generic

    for (const size of [100, 1_000]) {
      test(`${size} due claims are found in the order of their index, and read and moved by theirs (${mode} plan)`, async () => {
        const { connection, take } = reader
        take()
        const within = dueBy(checkTime)
        const first = await listDue(connection, checkTime, within, size / 2)
        const rest = { after: first.stretch.upTo, upTo: within.upTo }
        const second = await listDue(connection, checkTime, rest, size / 2)
        await listDue(connection, checkTime, second.stretch, size)
        const due = new IdsInOrder()
        for (const { ids } of [first, second]) due.add(ids)
        const kinds = await readDueKinds(connection, checkTime, due.take(size))
        const moves = kinds.flatMap((kind) => moveOf(kind, checkTime))
        assert.equal(await moveKinds(connection, moves, 0), size)
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
      const first = await findDueClaimsOnTestClock(connection, clock, checkTime, DUE_START, 100)
      const cursor = nextCursor(first, 100)
      assert.ok(cursor)
      await findDueClaimsOnTestClock(connection, clock, checkTime, cursor, 100)
      for (const plan of take()) assertBounded(plan, { rowsRead: 210, rowsSorted: 0 })
    })
  }
})
