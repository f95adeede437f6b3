import { type Client, parse } from '../clients/client.ts'
import type { Account, ClaimRecord, ClockRecord } from '../clients/records.ts'
import { readState } from '../clients/world.ts'
import { observeTime } from '../model/clock-history.ts'
import { assert } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'

/** §4.8: an overview is reused for this long. The clocks of the simulator and the service are nearly equal. */
const MAX_AGE_MS = 10_000
const CLOCK_TOLERANCE_MS = 1_000
const STATUSES = ['OPEN', 'PENDING', 'CONFIRMED', 'FAILED'] as const

/** The figures are of one moment, agree with each other, and count the records of that moment. */
export async function readOverview(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  world.count('read overview')
  const clock = random.chance(0.3) ? client.pickClock(account) : null
  const customer = random.chance(0.3) ? random.pick(account.customers) : null
  const days = random.pick([1, 30, 366])
  // Null: the account's time zone, which no client changes.
  const zone = random.pick([null, 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns'])
  const query = new URLSearchParams({
    days: `${days}`,
    ...(zone ? { time_zone: zone } : {}),
    ...(clock ? { test_clock_id: clock.id } : {}),
    ...(customer ? { customer_id: customer.id } : {}),
  })
  const reply = await client.send(account, { method: 'GET', path: `/v1/overview?${query}` })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  if (reply.status === 404 && clock?.isDeleted) return
  const about = () => ({ query: `${query}`, reply })
  assert(reply.status === 200, () => `an overview was answered ${reply.status}`, about)
  const shown = parse(reply.text)
  assertConsistent(shown, about)
  const sentAt = reply.sentAt - MAX_AGE_MS - CLOCK_TOLERANCE_MS
  const asOf = Date.parse(shown.as_of as string)
  const shownDays = shown.resolutions_by_day as JsonObject[]
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: zone ?? 'UTC', dateStyle: 'short' }).format(asOf)
  assert(
    shownDays.length === days && shownDays.at(-1)?.day === today,
    () => 'an overview shows other days than requested',
    about,
  )
  if (clock) observeTime(clock, 'an overview', sentAt, reply.answeredAt, asOf)
  for (const row of [...(shown.due_next as JsonObject[]), ...(shown.recent as JsonObject[])]) {
    const record = account.byAddress.get((row.candidate_alias ?? row.id) as string)
    const source = `${client.name} sees it in an overview`
    if (!record) continue
    const state = readState(record, row)
    record.reads.push({ source, sentAt, answeredAt: reply.answeredAt, state, items: null })
  }
  const isOf = (record: ClaimRecord) => record.clock === clock && (!customer || record.customer === customer)
  assertCount(account, clock, isOf, totalOf(shown), sentAt, about)
}

const tallyOf = (tallies: JsonObject, name: string) => tallies[name] as { count: number; amount: string }
const totalOf = ({ statuses }: JsonObject) =>
  STATUSES.reduce((sum, name) => sum + tallyOf(statuses as JsonObject, name).count, 0)

function assertConsistent(shown: JsonObject, about: () => unknown): void {
  const [statuses, outcomes] = [shown.statuses, shown.pending_outcomes] as [JsonObject, JsonObject]
  const [confirmed, failed] = [tallyOf(outcomes, 'CONFIRMED'), tallyOf(outcomes, 'FAILED')]
  const { count, amount } = tallyOf(statuses, 'PENDING')
  const cents = (amount: string) => Math.round(Number(amount) * 100)
  const isSum =
    confirmed.count + failed.count === count &&
    cents(confirmed.amount) + cents(failed.amount) === cents(amount)
  assert(isSum, () => 'the pending outcomes of an overview do not add up to PENDING', about)
  const inPeriod = (shown.resolutions_by_day as JsonObject[]).reduce(
    (sum, day) => sum + tallyOf(day, 'confirmed').count + tallyOf(day, 'failed').count,
    0,
  )
  const { count: resolved } = shown.resolution_seconds as { count: number }
  assert(resolved === inPeriod, () => 'an overview has two numbers of resolutions', about)
  const due = (shown.due_next as JsonObject[]).map(({ due_at }) => Date.parse(due_at as string))
  const since = (shown.recent as JsonObject[]).map(({ status_since }) => -Date.parse(status_since as string))
  const isSorted = [due, since].every((times) =>
    times.every((time, i) => i === 0 || time >= (times[i - 1] as number)),
  )
  assert(isSorted, () => 'an overview is not in order', about)
}

/** Between the records that certainly existed and those that clients tried to create. */
function assertCount(
  account: Account,
  clock: ClockRecord | null,
  isOf: (record: ClaimRecord) => boolean,
  count: number,
  before: number,
  about: () => unknown,
): void {
  if (clock?.isDeleted) return
  const known = account.claims.filter(isOf)
  const lowerBound = known.filter(({ answeredAt }) => answeredAt < before).length
  const upperBound = known.length + account.unknownClaims + account.claimsInProgress
  assert(
    count >= lowerBound && count <= upperBound,
    () => `an overview counts ${count} claims; there were at least ${lowerBound}, and at most ${upperBound}`,
    about,
  )
}
