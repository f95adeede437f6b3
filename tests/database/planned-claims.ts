import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { type PlanReader, readPlans } from '../support/query-plan.ts'
import { setReminder } from '../support/set-reminder.ts'
import { createTestDatabase, type Scope } from '../support/test-database.ts'

/*
 * Analysed tables for tests of plans. Most claims and candidates belong to one account and one customer. Some statuses are
 * common and some are rare. One customer has nearly all claims, one has three, and one has some far from each other.
 */

export interface Size {
  claims: number
  candidates: number
}

export interface PlannedClaims {
  user: string
  customers: Record<'huge' | 'tiny' | 'scattered', string>
  /** A clock with many claims. */
  clock: string
  /** Clocks with few claims, one for a deletion by each kind of plan. */
  smallClocks: Record<'custom' | 'generic', string>
  /** Some of the account's OPEN claims, far from each other. */
  ids: string[]
  /** A check that finds a reminder of a fifth of the OPEN claims reached, none of which is due. */
  reminderCheck: Date
  /** Claims among `ids` whose rows say that their logs are long. */
  longLogs: string[]
  /** A position in the middle of the lists. */
  middle: string
  readers: Record<'custom' | 'generic', PlanReader>
}

const CONTRACT = JSON.stringify({
  price: 1,
  activity_window: 3600,
  review_window: 60,
  fulfillment_condition: { event: 'done' },
  timeout_outcome: 'fail',
})

export async function preparePlannedClaims(t: Scope, size: Size): Promise<PlannedClaims> {
  const databaseUrl = await createTestDatabase(t)
  const planned = {
    user: randomUUID(),
    customers: { huge: randomUUID(), tiny: randomUUID(), scattered: randomUUID() },
    clock: randomUUID(),
    smallClocks: { custom: randomUUID(), generic: randomUUID() },
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await addClaims(client, planned, size)
  await addOtherTables(client, planned, size)
  const reminderCheck = new Date(Date.parse('2025-01-01') + Math.ceil(size.claims / 60) * 60_000)
  await addReminders(client, reminderCheck)
  await client.query('VACUUM ANALYZE')
  const ids = await findSpreadClaims(client, planned.user)
  const longLogs = ids.slice(-20)
  await client.query('UPDATE claims SET log_bytes = 1000000 WHERE id = ANY ($1)', [longLogs])
  await client.end()
  const readers = {
    custom: await readPlans(t, databaseUrl, 'custom'),
    generic: await readPlans(t, databaseUrl, 'generic'),
  }
  return { ...planned, ids, reminderCheck, longLogs, middle: `${Math.floor(size.claims * 0.75)}`, readers }
}

type Owners = Pick<PlannedClaims, 'user' | 'customers' | 'clock' | 'smallClocks'>

async function addClaims(client: pg.Client, owners: Owners, size: Size): Promise<void> {
  const { user, customers, clock, smallClocks } = owners
  for (const [claims, alias] of [
    [size.claims, 'NULL'],
    [size.candidates, "'candidate-' || n"],
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
           CASE WHEN n IN (1000, 1001, ${Math.floor(size.claims * 0.75) + 1}) THEN 'PENDING' WHEN n % 97 = 0 THEN 'FAILED'
             WHEN n > ${claims / 2} THEN 'OPEN' ELSE 'CONFIRMED' END AS status,
           timestamptz '2025-01-01' + n * interval '1 second' AS created) AS values`,
      [CONTRACT, user, randomUUID(), customers.huge, customers.tiny, customers.scattered, clock],
    )
  }
  await client.query(
    `UPDATE claims SET test_clock_id = CASE WHEN n <= 20 THEN $2::uuid ELSE $3::uuid END
     FROM (SELECT id, row_number() OVER () AS n FROM claims WHERE user_id = $1 AND status = 'CONFIRMED' LIMIT 40) AS moved
     WHERE claims.id = moved.id`,
    [user, smallClocks.custom, smallClocks.generic],
  )
  await client.query(
    `INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
     SELECT id, seq, 'event-' || seq, 'seen', '{"value":1}', false, created_at
     FROM claims, generate_series(1, event_count) AS seq`,
  )
  await client.query(
    `INSERT INTO notifications (number, user_id, subject_id, kind, sequence, status_since, created_at)
     SELECT position, user_id, id, 'created', 0, created_at, created_at FROM claims`,
  )
}

const addReminders = (client: pg.Client, check: Date) =>
  client.query(
    `UPDATE claims SET ${setReminder('created_at')}
     WHERE status = 'OPEN' AND position % 10 IN (0, 9) AND due_at > $1`,
    [check],
  )

/** Other records: two thirds belong to the account with the claims. */
async function addOtherTables(client: pg.Client, { user, clock }: Owners, { claims }: Size): Promise<void> {
  const other = randomUUID()
  await client.query(
    "INSERT INTO users (id, email, created_at) VALUES ($1, 'ann@example.com', '2025-01-01')",
    [user],
  )
  await client.query(
    "INSERT INTO test_clocks (user_id, id, frozen_time, created_at) VALUES ($1, $2, '2025-01-01', '2025-01-01')",
    [user, clock],
  )
  const account = 'CASE WHEN n % 3 = 0 THEN $2::uuid ELSE $1::uuid END'
  for (const [rows, columns, values] of [
    [claims / 4, 'customers (user_id, id, external_id, created_at)', `'customer-' || n, '2025-01-01'`],
    [
      claims / 4,
      'claim_schemas (user_id, id, contract, created_at, updated_at)',
      `'${CONTRACT}', '2025-01-01', '2025-01-01'`,
    ],
    [claims / 8, 'test_clocks (user_id, id, frozen_time, created_at)', `'2025-01-01', '2025-01-01'`],
  ] as const) {
    await client.query(
      `INSERT INTO ${columns} SELECT ${account}, gen_random_uuid(), ${values} FROM generate_series(1, ${rows}) AS n`,
      [user, other],
    )
  }
  await client.query(
    `INSERT INTO api_tokens (id, user_id, name, token_hash, created_at)
     SELECT gen_random_uuid(), $1, 'test', sha256(n::text::bytea), '2025-01-01' FROM generate_series(1, ${claims / 8}) AS n`,
    [user],
  )
  await client.query(
    `INSERT INTO webhook_endpoints (id, user_id, created_at, url, secret, told_up_to, last_hash, disabled)
     SELECT gen_random_uuid(), $1, '2025-01-01', 'https://example.com/', '', 0, '', 'by hand' FROM generate_series(1, ${claims / 8}) AS n`,
    [user],
  )
}

async function findSpreadClaims(client: pg.Client, user: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM (
       SELECT id, row_number() OVER (ORDER BY position) AS n FROM claims
       WHERE user_id = $1 AND candidate_alias IS NULL AND status = 'OPEN' AND test_clock_id IS NULL
     ) AS c WHERE n % 23 = 0`,
    [user],
  )
  return rows.map(({ id }) => id)
}
