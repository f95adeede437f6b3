import type { Account, ClaimRecord } from '../../clients/records.ts'
import { teamOf } from '../../clients/world.ts'
import type { Status } from '../../model/contract.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Random } from '../../random.ts'

/** The query of a list of claims or candidates. */
export interface Filters {
  isOfCandidates: boolean
  order: 'asc' | 'desc'
  status: Status | null
  query: Record<string, string>
  /** The time that orders the list; null for the order of creation. */
  time: 'created_at' | 'due_at' | 'status_since' | null
  /** Compares fields that never change. */
  matches(fixed: JsonObject): boolean
}

const STATUSES = ['OPEN', 'PENDING', 'CONFIRMED', 'FAILED'] as const
/** Digits that ids of the same minute share. */
const SEARCHED_OF_ID = 9
const SEARCHED_OF_ALIAS = 8

/** @param isFile may select all records of the account, since an export is one response */
export function drawFilters(random: Random, account: Account, isFile = false): Filters {
  const isOfCandidates = random.chance(0.5)
  const order = random.pick(['asc', 'desc'] as const)
  const status = random.chance(0.3) ? random.pick(STATUSES) : null
  const isAll = isFile && random.chance(0.3)
  const filter = isAll ? NO_FILTER : drawFilter(random, account, isOfCandidates)
  const unindexedFilter = drawUnindexedFilter(random, account, isOfCandidates, filter)
  const time = drawTime(random, unindexedFilter.query)
  const sort: Record<string, string> = time === null || time === 'created_at' ? {} : { sort: time }
  const isOnTestClock = filter.query.test_clock_id !== undefined
  return {
    isOfCandidates,
    order,
    status,
    time,
    query: {
      ...filter.query,
      ...unindexedFilter.query,
      ...sort,
      order,
      ...(status === null ? {} : { status }),
    },
    // §4.1 rule 1: times are compared on one clock.
    matches: (fixed) =>
      filter.matches(fixed) &&
      unindexedFilter.matches(fixed) &&
      (time === null || isOnTestClock || fixed.test_clock_id === null),
  }
}

/** Filters that no index of the list has. */
function drawUnindexedFilter(
  random: Random,
  { claims }: Account,
  isOfCandidates: boolean,
  filter: Filter,
): Filter {
  // A record that passes the other filters gives the bounds.
  const eligible = claims.filter(
    ({ alias, fixed }) => (alias !== null) === isOfCandidates && filter.matches(fixed),
  )
  const some = eligible.length > 0 && random.chance(0.3) ? random.pick(eligible) : null
  if (!some) return NO_FILTER
  const { price } = some.terms.contract
  const createdAt = some.fixed.created_at as string
  const draws: Filter[] = [
    { query: { price_from: plain(price) }, matches: ({ contract }) => priceOf(contract) >= price },
    { query: { price_to: plain(price) }, matches: ({ contract }) => priceOf(contract) <= price },
    { query: { created_from: createdAt }, matches: ({ created_at }) => (created_at as string) >= createdAt },
    { query: { created_before: createdAt }, matches: ({ created_at }) => (created_at as string) < createdAt },
  ]
  if (filter.query.test_clock_id === undefined)
    draws.push({ query: { clock: 'live' }, matches: (fixed) => fixed.test_clock_id === null })
  return random.pick(draws)
}

const priceOf = (contract: unknown) => (contract as { price: number }).price
/** Without an exponent. The prices of the simulation have at most 10 decimals. */
const plain = (price: number) => price.toFixed(10)

function drawTime(random: Random, query: Filter['query']): Filters['time'] {
  if (random.chance(0.15)) return random.pick(['due_at', 'status_since'] as const)
  return 'created_from' in query || 'created_before' in query ? 'created_at' : null
}

type Filter = Pick<Filters, 'query' | 'matches'>

const NO_FILTER: Filter = { query: {}, matches: () => true }

function drawFilter(random: Random, account: Account, isOfCandidates: boolean): Filter {
  const draws = [byCustomer, byCustomer, byCustomer, byClock, bySchema, bySearch, byTeam]
  return random.pick(draws)(random, account, isOfCandidates) ?? byCustomer(random, account, isOfCandidates)
}

function byCustomer(random: Random, { customers }: Account, isOfCandidates: boolean): Filter {
  const { id, externalId } = random.pick(customers)
  return isOfCandidates
    ? { query: { customer_uuid: externalId }, matches: ({ customer_uuid }) => customer_uuid === externalId }
    : { query: { customer_id: id }, matches: ({ customer_id }) => customer_id === id }
}

function byClock(random: Random, { clocks }: Account): Filter | null {
  const existing = clocks.filter(({ isDeleted }) => !isDeleted)
  if (existing.length === 0) return null
  const { id } = random.pick(existing)
  return { query: { test_clock_id: id }, matches: ({ test_clock_id }) => test_clock_id === id }
}

function bySchema(random: Random, { schemas }: Account): Filter | null {
  if (schemas.length === 0) return null
  const { id } = random.pick(schemas)
  return { query: { schema_id: id }, matches: ({ schema_id }) => schema_id === id }
}

function bySearch(random: Random, { claims }: Account, isOfCandidates: boolean): Filter | null {
  const eligible = claims.slice(-100).filter(({ alias }) => (alias !== null) === isOfCandidates)
  if (eligible.length === 0) return null
  const { address } = random.pick(eligible)
  const search = [...address].slice(0, isOfCandidates ? SEARCHED_OF_ALIAS : SEARCHED_OF_ID + 4).join('')
  const name = isOfCandidates ? 'candidate_alias' : 'id'
  return { query: { search }, matches: (fixed) => (fixed[name] as string).startsWith(search) }
}

function byTeam(random: Random, { claims }: Account, isOfCandidates: boolean): Filter | null {
  const eligible = claims.slice(-100).filter(({ alias }) => (alias !== null) === isOfCandidates)
  const team = eligible.length > 0 ? teamOf(random.pick(eligible).fixed) : null
  return team === null
    ? null
    : { query: { 'metadata[team]': team }, matches: (fixed) => teamOf(fixed) === team }
}

const AN_HOUR = 3_600

/** Whether the record must be in the list: its status is final, or the filters accept every status. */
export function mustBeListed(record: ClaimRecord, filters: Filters, at: number): boolean {
  const { isOfCandidates, status, matches } = filters
  if ((record.alias !== null) !== isOfCandidates || record.answeredAt >= at || record.clock?.isDeleted)
    return false
  return matches(record.fixed) && (status === null || lasts(record, status, at))
}

function lasts({ clock, terms: { contract }, reads }: ClaimRecord, status: Status, at: number): boolean {
  if (status === 'PENDING') return false
  if (status !== 'OPEN')
    return reads.some((claimRead) => claimRead.state.status === status && claimRead.answeredAt < at)
  const { fulfillment_condition: condition, activity_window } = contract
  const neverSettles = 'event' in condition && condition.event === 'never'
  return clock === null && neverSettles && activity_window > AN_HOUR
}
