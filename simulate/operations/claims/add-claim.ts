import type { Times } from '../../clients/exchange.ts'
import type { Account, ClaimRecord } from '../../clients/records.ts'
import { fixedOf, stateOf, teamOf } from '../../clients/world.ts'
import { sawGone, sawThere, sawTime } from '../../model/clock-story.ts'
import { type Contract, opened } from '../../model/contract.ts'
import { demand } from '../../model/finding.ts'
import { canonical, type JsonObject, same } from '../../model/json.ts'
import type { LogItem } from '../../model/replay.ts'
import { Rising } from '../../model/rising.ts'
import { calendarOf, hoursOf } from '../calendars.ts'
import type { Wanted } from './wanted-claim.ts'

/** Adds the claim of a creation's response. */
export function addCreation(
  account: Account,
  wanted: Wanted,
  status: number,
  body: JsonObject,
  times: Times,
): ClaimRecord | null {
  const error = body?.error as JsonObject | undefined
  if (error?.code === 'CALENDAR_NOT_FOUND') {
    demand(
      calendarOf(account, wanted.contract)?.isDeleted ?? false,
      () => 'a creation does not find an existing calendar',
      () => ({ wanted, body }),
    )
    return null
  }
  if (status === 404 && wanted.clock) {
    sawGone(wanted.clock, 'a creation finds it gone', times.sentAt, times.answeredAt)
    return null
  }
  demand(
    status === 201,
    () => `a creation was answered ${status}`,
    () => ({ wanted, body }),
  )
  const record = addClaim(account, wanted, body, times.sentAt, times.answeredAt)
  const [look] = record.looks
  const { contract, createdAt, hours } = record.terms
  const isNew = same({ ...look?.state }, { ...opened(contract, createdAt, hours) })
  const about = () => ({ wanted, body })
  demand(same(body.events, []), () => 'a new claim has events', about)
  demand(isNew, () => 'a new claim is not OPEN from its creation on', about)
  return record
}

/** Adds the claim in its current state, which may have changed since its creation. */
export function addClaim(
  account: Account,
  wanted: Wanted,
  body: JsonObject,
  sentAt: number,
  answeredAt: number,
): ClaimRecord {
  const { alias, reference, clock, customer } = wanted
  const address = alias ?? (body.id as string)
  const createdAt = Date.parse(body.created_at as string)
  const state = stateOf(body)
  const about = () => ({ wanted, body })
  const contract = body.contract as unknown as Contract
  demand(
    canonical(body.contract) === canonical(asFilledIn(wanted, contract) as unknown as JsonObject),
    () => 'a new claim has another contract than was sent',
    about,
  )
  const terms = { contract, hours: hoursOf(account, contract), createdAt, isOnClock: clock !== null }
  const isOwn = body.user_id === undefined || body.user_id === account.userId
  demand(isOwn, () => 'a new claim is of another account', about)
  const shown = alias === null ? body.reference : null
  demand(shown === reference, () => 'a new claim has another reference', about)
  demand(body.schema_id === (wanted.schema?.id ?? null), () => 'a new claim has another schema', about)
  const version = wanted.schema?.prices.length ?? null
  demand(body.schema_version === version, () => 'a new claim is of another version of its schema', about)
  demand(body.test_clock_id === (clock?.id ?? null), () => 'a new claim is on another clock', about)
  demand(teamOf(body) === wanted.team, () => 'a new claim has other metadata', about)
  const reminders = (wanted.reminders ?? []).toSorted((a, b) => a - b)
  demand(same((body.reminders ?? []) as number[], reminders), () => 'a new claim has other reminders', about)
  const events = body.events as LogItem[]
  if (clock) {
    sawTime(clock, `${address} was created`, sentAt, answeredAt, createdAt)
    sawThere(clock, `${address} was created`, sentAt, answeredAt)
  }
  const record: ClaimRecord = {
    name: alias === null ? `claim ${address}` : `candidate ${address}`,
    terms,
    submissions: [],
    looks: [{ how: 'its creation', sentAt, answeredAt, state, items: events.length }],
    longest: events,
    account,
    customer,
    clock,
    reminders,
    alias,
    address,
    path: alias === null ? `/v1/claims/${address}` : `/v1/candidates/${encodeURIComponent(alias)}`,
    notes: new Rising(`the metadata of ${address}`, 0),
    isSettled: true,
    fixed: fixedOf(body),
    sentAt,
    answeredAt,
    isGone: false,
    uses: 0,
    state,
  }
  account.claims.push(record)
  account.byAddress.set(address, record)
  return record
}

/** §2.1a rule 20: the contract that was sent, with the version of the calendar if it named none. */
function asFilledIn({ contract, sawVersion }: Wanted, made: Contract): Contract {
  const [named, version] = [contract.clock?.calendar, made.clock?.calendar?.version]
  if (!named || named.version !== undefined || version === undefined) return contract
  sawVersion(version)
  return { ...contract, clock: { ...contract.clock, calendar: { ...named, version } } }
}

/** Nobody knows whether it was made. */
export function noteUnknown(account: Account, { clock }: Wanted): void {
  account.unknownClaims++
  if (clock) clock.unknownClaims++
}

/** The outcome is known now. */
export function forgetUnknown(account: Account, { clock }: Wanted): void {
  account.unknownClaims--
  if (clock) clock.unknownClaims--
}
