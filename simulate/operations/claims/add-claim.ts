import type { Times } from '../../clients/http-connection.ts'
import type { Account, ClaimRecord } from '../../clients/records.ts'
import { fixedOf, stateOf, teamOf } from '../../clients/world.ts'
import { observeDeleted, observeExisting, observeTime } from '../../model/clock-history.ts'
import { type Contract, opened } from '../../model/contract.ts'
import { assert } from '../../model/finding.ts'
import { canonical, type JsonObject, same } from '../../model/json.ts'
import { MonotonicRegister } from '../../model/monotonic-register.ts'
import type { LogItem } from '../../model/replay.ts'
import { calendarOf, hoursOf } from '../calendars.ts'
import type { NewClaim } from './new-claim.ts'

/** Adds the claim of a creation's response. */
export function addCreation(
  account: Account,
  newClaim: NewClaim,
  status: number,
  body: JsonObject,
  times: Times,
): ClaimRecord | null {
  const error = body?.error as JsonObject | undefined
  if (error?.code === 'CALENDAR_NOT_FOUND') {
    assert(
      calendarOf(account, newClaim.contract)?.isDeleted ?? false,
      () => 'a creation does not find an existing calendar',
      () => ({ newClaim, body }),
    )
    return null
  }
  if (status === 404 && newClaim.clock) {
    observeDeleted(newClaim.clock, 'a creation finds it deleted', times.sentAt, times.answeredAt)
    return null
  }
  assert(
    status === 201,
    () => `a creation was answered ${status}`,
    () => ({ newClaim, body }),
  )
  const record = addClaim(account, newClaim, body, times.sentAt, times.answeredAt)
  const [claimRead] = record.reads
  const { contract, createdAt, hours } = record.terms
  const isNew = same({ ...claimRead?.state }, { ...opened(contract, createdAt, hours) })
  const about = () => ({ newClaim, body })
  assert(same(body.events, []), () => 'a new claim has events', about)
  assert(isNew, () => 'a new claim is not OPEN from its creation on', about)
  return record
}

/** Adds the claim in its current state, which may have changed since its creation. */
export function addClaim(
  account: Account,
  newClaim: NewClaim,
  body: JsonObject,
  sentAt: number,
  answeredAt: number,
): ClaimRecord {
  const { alias, reference, clock, customer } = newClaim
  const address = alias ?? (body.id as string)
  const createdAt = Date.parse(body.created_at as string)
  const state = stateOf(body)
  const about = () => ({ newClaim, body })
  const contract = body.contract as unknown as Contract
  assert(
    canonical(body.contract) === canonical(withCalendarVersion(newClaim, contract) as unknown as JsonObject),
    () => 'a new claim has another contract than was sent',
    about,
  )
  const terms = { contract, hours: hoursOf(account, contract), createdAt, isOnTestClock: clock !== null }
  const isOwn = body.user_id === undefined || body.user_id === account.userId
  assert(isOwn, () => 'a new claim belongs to another account', about)
  const shown = alias === null ? body.reference : null
  assert(shown === reference, () => 'a new claim has another reference', about)
  assert(body.schema_id === (newClaim.schema?.id ?? null), () => 'a new claim has another schema', about)
  const version = newClaim.schema?.prices.length ?? null
  assert(body.schema_version === version, () => 'a new claim is of another version of its schema', about)
  assert(body.test_clock_id === (clock?.id ?? null), () => 'a new claim is on another clock', about)
  assert(teamOf(body) === newClaim.team, () => 'a new claim has other metadata', about)
  const reminders = (newClaim.reminders ?? []).toSorted((a, b) => a - b)
  assert(same((body.reminders ?? []) as number[], reminders), () => 'a new claim has other reminders', about)
  const events = body.events as LogItem[]
  if (clock) {
    observeTime(clock, `${address} was created`, sentAt, answeredAt, createdAt)
    observeExisting(clock, `${address} was created`, sentAt, answeredAt)
  }
  const record: ClaimRecord = {
    name: alias === null ? `claim ${address}` : `candidate ${address}`,
    terms,
    submissions: [],
    reads: [{ source: 'its creation', sentAt, answeredAt, state, items: events.length }],
    longest: events,
    account,
    customer,
    clock,
    reminders,
    alias,
    address,
    path: alias === null ? `/v1/claims/${address}` : `/v1/candidates/${encodeURIComponent(alias)}`,
    metadataVersions: new MonotonicRegister(`the metadata of ${address}`, 0),
    isSettled: true,
    fixed: fixedOf(body),
    sentAt,
    answeredAt,
    isDeleted: false,
    uses: 0,
    state,
  }
  account.claims.push(record)
  account.byAddress.set(address, record)
  return record
}

/** §2.1a rule 20: the contract that was sent, with the version of the calendar if it named none. */
function withCalendarVersion({ contract, observeVersion }: NewClaim, made: Contract): Contract {
  const [named, version] = [contract.clock?.calendar, made.clock?.calendar?.version]
  if (!named || named.version !== undefined || version === undefined) return contract
  observeVersion(version)
  return { ...contract, clock: { ...contract.clock, calendar: { ...named, version } } }
}

/** The claim may have been created. */
export function addUnknown(account: Account, { clock }: NewClaim): void {
  account.unknownClaims++
  if (clock) clock.unknownClaims++
}

/** The outcome is known now. */
export function removeUnknown(account: Account, { clock }: NewClaim): void {
  account.unknownClaims--
  if (clock) clock.unknownClaims--
}
