import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import type { Answer } from '../support/api-client.ts'
import { totalsBackfillSql } from '../support/backfill.ts'
import { contractWith } from '../support/contracts.ts'
import { newCustomer } from '../support/new-records.ts'
import { readPages } from '../support/read-pages.ts'
import { startOfDay } from '../support/source/contracts.ts'
import { runScheduledCheck, sumUpResolutions } from '../support/source/decisions.ts'
import { startTestService } from '../support/test-service.ts'

/* The overview of a year of claims, resolved by real checks, against sums over what the lists show. */

type Row = Answer['body']

const service = await startTestService({ after })
const { api } = service
const [MINUTE, DAY] = [60_000, 86_400_000]
const now = Math.floor(Date.now() / MINUTE) * MINUTE
const customers = [await newCustomer(api), await newCustomer(api), await newCustomer(api)]
const [first] = customers
const userId = (await api.get(`/v1/customers/${first?.id}`)).body.user_id

const aClaim = fc.record({
  age: fc.oneof(fc.integer({ max: 370 * DAY }), fc.integer({ max: 3 * DAY })).map(Math.abs),
  customer: fc.nat(2),
  isCandidate: fc.boolean(),
  isPending: fc.boolean(),
  confirms: fc.boolean(),
  window: fc.oneof(fc.integer({ min: 1, max: 20 * DAY }), fc.constant(1_000 * DAY)),
  price: fc.oneof(
    fc.constantFrom(0, 0.1, 0.2, 1e-7, 1e12, 33.333333333333336),
    fc.double({ min: 0, max: 1e12, noNaN: true }),
  ),
})
type ClaimDetails = typeof aClaim extends fc.Arbitrary<infer Details> ? Details : never

let inserted = 0
async function insertSome(numRuns: number, seed: number): Promise<void> {
  const rows = fc.sample(aClaim, { numRuns, seed }).map((one) => rowOf(inserted++, one))
  await service.sql(
    `INSERT INTO claims (id, user_id, customer_id, candidate_alias, customer_external_id, contract,
      decisive_event_types, price, status, scheduled_outcome, status_since, due_at, created_at)
    SELECT gen_random_uuid(), $1, customer_id, candidate_alias, customer_external_id, contract::json,
      '{}', price, status, scheduled_outcome, status_since, due_at, created_at
    FROM jsonb_to_recordset($2) AS row (customer_id uuid, candidate_alias text, customer_external_id text, contract text,
      price numeric, status text, scheduled_outcome text, status_since timestamptz, due_at timestamptz, created_at timestamptz)`,
    [userId, JSON.stringify(rows)],
  )
}

/** Checks in the order of their times, also of others than those minutes in which something is due; the last now. */
async function check(count: number, maxDaysAgo: number): Promise<void> {
  const times = fc.sample(fc.nat(maxDaysAgo * 24 * 60), { numRuns: count, seed: 1 })
  for (const minutes of [...times.toSorted((a, b) => b - a), 2]) {
    await runScheduledCheck(service.app, new Date(now - minutes * MINUTE))
  }
}

/** As a submission or a check would have left it at the time. */
function rowOf(n: number, one: ClaimDetails): object {
  const { id, external_id } = customers[one.customer] as { id: string; external_id: string }
  const { price, confirms, isPending, isCandidate } = one
  const contract = contractWith({
    price,
    review_window: 3600,
    timeout_outcome: confirms ? 'confirm' : 'fail',
  })
  const since = new Date(now - one.age)
  return {
    customer_id: id,
    candidate_alias: isCandidate ? `candidate-${n}` : null,
    customer_external_id: isCandidate ? external_id : null,
    contract: JSON.stringify(contract),
    price,
    status: isPending ? 'PENDING' : 'OPEN',
    scheduled_outcome: isPending ? (confirms ? 'CONFIRMED' : 'FAILED') : null,
    status_since: since,
    due_at: new Date(since.getTime() + one.window),
    created_at: isPending ? new Date(since.getTime() - (n % 7) * 1_111_111) : since,
  }
}

const readAll = async (path: string): Promise<Row[]> => (await readPages(api, path, { limit: 100 })).flat()

/** Of the smallest double. */
const DECIMALS = 1_100

/** Exact: computed with integers of `DECIMALS` decimals. */
function amountOf(rows: Row[]): string {
  const scaled = rows.reduce((sum, row) => sum + scale(row.contract.price), 0n)
  const digits = `${scaled}`.padStart(DECIMALS + 1, '0')
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/\.?0*$/, '')
}

function scale(price: number): bigint {
  const [mantissa = '', exponent = '0'] = `${price}`.split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return BigInt(`${whole}${fraction}`) * 10n ** BigInt(DECIMALS - fraction.length + Number(exponent))
}

const tally = (rows: Row[]) => ({ count: rows.length, amount: amountOf(rows) })

/** Seconds, of milliseconds. */
function medianOf(numbers: number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  if (sorted.length === 0) return null
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2_000
}

function expected(rows: Row[], asOf: string, days: number, timeZone: string) {
  const dayIn = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
  const nameOf = (time: string) => dayIn.format(new Date(time))
  const names = Array.from({ length: days }, (_, i) =>
    new Date(Date.parse(nameOf(asOf)) - (days - 1 - i) * DAY).toISOString().slice(0, 10),
  )
  const having = (...statuses: string[]) => rows.filter((row) => statuses.includes(row.status))
  const resolved = having('CONFIRMED', 'FAILED').filter((row) => names.includes(nameOf(row.status_since)))
  const pending = having('PENDING')
  const of = (status: string, day: string) =>
    tally(resolved.filter((row) => row.status === status && nameOf(row.status_since) === day))
  const took = resolved.map((row) => Date.parse(row.status_since) - Date.parse(row.created_at))
  return {
    statuses: Object.fromEntries(
      ['OPEN', 'PENDING', 'CONFIRMED', 'FAILED'].map((status) => [status, tally(having(status))]),
    ),
    pending_outcomes: Object.fromEntries(
      ['CONFIRMED', 'FAILED'].map((outcome) => [
        outcome,
        tally(pending.filter((row) => row.scheduled_outcome === outcome)),
      ]),
    ),
    resolutions_by_day: names.map((day) => ({
      day,
      begins_at: startOfDay(day, timeZone)?.toISOString(),
      confirmed: of('CONFIRMED', day),
      failed: of('FAILED', day),
    })),
    resolution_seconds: { median: medianOf(took), count: resolved.length },
    due_next: times(having('OPEN', 'PENDING'), 'due_at').slice(0, 5),
    recent: times(rows, 'status_since').reverse().slice(0, 10),
  }
}

const times = (rows: Row[], field: string) => rows.map((row) => row[field] as string).sort()

interface Extent {
  /** Claims before anything is summed up, and checks of them; then those that come later. */
  claims: number
  checks: number
  lateClaims: number
  lateChecks: number
  zones: readonly string[]
  days: readonly number[]
}

/** The overview says what the lists say, whatever of it is summed up. */
export function testOverviewAgainstLists({
  claims,
  checks,
  lateClaims,
  lateChecks,
  zones,
  days,
}: Extent): void {
  const phases: Record<string, () => Promise<void>> = {
    'before anything is summed up': async () => {
      await insertSome(claims, 20_261_121)
      await check(checks, 371)
    },
    'when it is summed up': () => sumUpResolutions(service.app.db),
    'when checks of earlier times come later': async () => {
      await insertSome(lateClaims, 2)
      await check(lateChecks, 5)
    },
    'when that is summed up': () => sumUpResolutions(service.app.db),
  }

  test('the overview equals sums over the lists, before and after resolutions are aggregated (§4.8)', async (t) => {
    for (const [phase, prepare] of Object.entries(phases))
      await t.test(phase, async () => {
        await prepare()
        const everything = [...(await readAll('/v1/claims')), ...(await readAll('/v1/candidates'))]
        for (const status of ['OPEN', 'PENDING', 'CONFIRMED', 'FAILED'])
          for (const field of ['id', 'candidate_alias'])
            assert.ok(everything.filter((row) => row.status === status && field in row).length > 5, status)
        for (const [i, timeZone] of zones.entries())
          for (const length of days)
            await compare(everything, length, timeZone, i % 2 === 0 ? undefined : customers[length % 3])
      })

    await t.test('the backfill of the migration computes the same totals', async () => {
      const kept = await readTotals()
      await service.sql('TRUNCATE resolution_totals, resolution_durations')
      await service.sql(await totalsBackfillSql())
      assert.deepEqual(kept, await readTotals())
      const [row] = kept as [{ totals: unknown[] }]
      assert.ok(row.totals.length > 20)
    })
  })
}

async function compare(
  everything: Row[],
  days: number,
  timeZone: string,
  customer: { id: string; external_id: string } | undefined,
): Promise<void> {
  const query = `${days} days in ${timeZone} of ${customer ? 'a customer' : 'the account'}`
  const rows = everything.filter(
    (row) => !customer || row.customer_id === customer.id || row.customer_uuid === customer.external_id,
  )
  const filter = customer ? `&customer_id=${customer.id}` : ''
  const { body } = await api.get(`/v1/overview?days=${days}&time_zone=${timeZone}${filter}`)
  const { as_of, time_zone, overdue, ...figures } = body
  const dueNext = figures.due_next.map((row: Row) => row.due_at)
  const recent = figures.recent.map((row: Row) => row.status_since)
  assert.deepEqual({ ...figures, due_next: dueNext, recent }, expected(rows, as_of, days, timeZone), query)
  assert.equal(time_zone, timeZone)
  const late = rows.filter((row) => row.due_at && Date.parse(row.due_at) <= now - 3 * MINUTE)
  assert.ok(overdue.count >= late.length, query)
}

const readTotals = () =>
  service.sql(
    `SELECT (SELECT json_agg(t ORDER BY quarter, status) FROM resolution_totals t) AS totals,
      (SELECT json_agg(d ORDER BY hour, class) FROM resolution_durations d) AS durations`,
  )
