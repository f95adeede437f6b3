import { type Contract, isExtended } from '../contracts/contract.ts'
import type { Claim } from './claim.ts'
import { decideAt, dueAtAsStored, emptyLogOfStatus } from './decide-at.ts'
import type { LogEvent } from './event.ts'
import type { EventLog } from './event-log.ts'
import { atScheduledCheck, openState } from './lifecycle.ts'
import { readDigest, writeDigest } from './log-digest.ts'

/** A stored log item. */
export interface StoredItem extends LogEvent {
  /** From 1 on, without gaps. */
  seq: number
  /** Size of the payload as JSON. */
  payloadBytes: number
}

/** The stored state of a claim, with the digest of its log. */
export interface StoredClaimState
  extends Pick<Claim, 'createdAt' | 'status' | 'scheduledOutcome' | 'statusSince' | 'dueAt' | 'clock'>,
    Pick<Claim, 'eventCount' | 'logBytes' | 'reviewStart'> {
  digest: Uint8Array | null
}

type ReplayedState = Omit<StoredClaimState, 'createdAt' | 'digest'> & { log: EventLog }

/**
 * Audits a claim: replays its log with the rules of the service, item by item, and compares the result with the stored
 * state. Returns a sentence for each difference.
 */
export function findContradictions(
  contract: Contract,
  stored: StoredClaimState,
  items: readonly StoredItem[],
): string[] {
  const opened = openState(contract, stored.createdAt)
  let replayed: ReplayedState = {
    ...opened,
    eventCount: 0,
    logBytes: 0,
    reviewStart: null,
    log: emptyLogOfStatus({ ...opened, contract }),
  }
  let lastAt = stored.createdAt
  for (const item of items) {
    if (item.seq !== replayed.eventCount + 1) return [`item ${replayed.eventCount + 1} of its log is missing`]
    if (item.createdAt < lastAt) return [`item ${item.seq} of its log is older than what is before it`]
    const next = item.system ? afterCheck(contract, replayed, item) : afterEvent(contract, replayed, item)
    if (typeof next === 'string') return [next]
    replayed = next
    lastAt = item.createdAt
  }
  return [...differences(contract, stored, replayed), ...digestDifferences(contract, stored, replayed, items)]
}

function afterEvent(contract: Contract, replayed: ReplayedState, item: StoredItem): ReplayedState | string {
  const dueAt = contract.clock?.calendar ? dueAtAsStored(replayed.dueAt, item) : replayed.dueAt
  const decision = decideAt({ ...replayed, dueAt, contract }, replayed.log, item, item.createdAt)
  if (decision.kind !== 'append') {
    return `item ${item.seq} of its log is an event that could not be recorded: the claim was ${replayed.status}`
  }
  const { log, state, effect, lateMs } = decision
  const isExtendedContract = isExtended(contract)
  if (isExtendedContract && (item.lateMs ?? null) !== lateMs) {
    return `item ${item.seq} of its log is stored as late by ${item.lateMs ?? 0} ms, and by its time by ${lateMs ?? 0} ms`
  }
  return {
    ...replayed,
    ...state,
    log,
    reviewStart: isExtendedContract && effect === 'satisfied' ? item.seq : replayed.reviewStart,
    eventCount: item.seq,
    logBytes: replayed.logBytes + item.payloadBytes,
  }
}

/** A transition has the time of its check, or of a later event (`atScheduledCheck`). */
function afterCheck(contract: Contract, replayed: ReplayedState, item: StoredItem): ReplayedState | string {
  // The check found the window elapsed. The end of working time is not computed again (`dueAtAsStored`).
  const dueAt = contract.clock?.calendar && replayed.dueAt !== null ? item.createdAt : replayed.dueAt
  const transition = atScheduledCheck({ ...replayed, dueAt }, contract, item.createdAt, null)
  if (transition?.systemEventType !== item.type) {
    const due =
      replayed.dueAt === null
        ? `it was ${replayed.status} and due at no time`
        : `it was ${replayed.status}, due at ${replayed.dueAt.toISOString()}`
    return `item ${item.seq} of its log, ${item.type} at ${item.createdAt.toISOString()}, could not come: ${due}`
  }
  const { state } = transition
  const { clock: _, ...rest } = replayed
  return { ...rest, ...state, log: emptyLogOfStatus({ ...state, contract }), eventCount: item.seq }
}

const COMPARED = {
  status: 'status',
  scheduledOutcome: 'scheduled_outcome',
  statusSince: 'status_since',
  dueAt: 'due_at',
  eventCount: 'event_count',
  logBytes: 'log_bytes',
  reviewStart: 'review_start',
} as const

function differences(contract: Contract, stored: StoredClaimState, replayed: ReplayedState): string[] {
  const compare = (name: string, is: string, follows: string) =>
    is === follows ? [] : [`its ${name} is ${is}, and by its contract and log ${follows}`]
  const hasCalendar = contract.clock?.calendar !== undefined
  const fields = (Object.keys(COMPARED) as (keyof typeof COMPARED)[]).filter(
    (field) => !(hasCalendar && field === 'dueAt'),
  )
  return [
    ...fields.flatMap((field) => compare(COMPARED[field], inWords(stored[field]), inWords(replayed[field]))),
    ...(hasCalendar ? [] : compare('clock', clockInWords(stored.clock), clockInWords(replayed.clock))),
  ]
}

const clockInWords = (clock: ReplayedState['clock']): string =>
  clock ? `${clock.remainingMs} ms left at ${clock.since.toISOString()}` : 'null'

const inWords = (value: Date | string | number | null): string =>
  value instanceof Date ? value.toISOString() : String(value)

/** Compares the digest with the log. Skips a digest of fewer events, which an older version of the service left unchanged. */
function digestDifferences(
  contract: Contract,
  stored: StoredClaimState,
  replayed: ReplayedState,
  items: readonly StoredItem[],
): string[] {
  if (stored.status !== 'OPEN' || readDigest(stored.digest, stored.eventCount) === null) return []
  const ids = items.map(({ id }) => id)
  const digest = Buffer.from(stored.digest as Uint8Array).toString('hex')
  const isRight = writeDigest(contract.fulfillment_condition, replayed.log, [], ids) === digest
  return isRight ? [] : ['its log_digest is not that of its log']
}
