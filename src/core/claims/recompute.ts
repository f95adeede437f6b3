import { type Contract, isExtended } from '../contracts/contract.ts'
import type { Claim } from './claim.ts'
import { decideAt, dueAtAsStored, emptyLogOfStatus } from './decide-at.ts'
import type { LogEvent } from './event.ts'
import type { EventLog } from './event-log.ts'
import { atScheduledCheck, openState } from './lifecycle.ts'
import { readDigest, writeDigest } from './log-digest.ts'

/** An item of a log as it is stored. */
export interface StoredItem extends LogEvent {
  /** From 1 on, without holes. */
  seq: number
  /** Of the payload as JSON. */
  payloadBytes: number
}

/** A claim as it is stored, with what is kept beside it of its log. */
export interface StoredLife
  extends Pick<Claim, 'createdAt' | 'status' | 'scheduledOutcome' | 'statusSince' | 'dueAt' | 'clock'>,
    Pick<Claim, 'eventCount' | 'logBytes' | 'reviewStart'> {
  digest: Uint8Array | null
}

type Life = Omit<StoredLife, 'createdAt' | 'digest'> & { log: EventLog }

/**
 * What is stored of a claim and does not follow from its contract and its log, in sentences; none if all is right. The
 * state is decided anew, item by item, by the rules that decided it at the time.
 */
export function findContradictions(
  contract: Contract,
  stored: StoredLife,
  items: readonly StoredItem[],
): string[] {
  const opened = openState(contract, stored.createdAt)
  let life: Life = {
    ...opened,
    eventCount: 0,
    logBytes: 0,
    reviewStart: null,
    log: emptyLogOfStatus({ ...opened, contract }),
  }
  let lastAt = stored.createdAt
  for (const item of items) {
    if (item.seq !== life.eventCount + 1) return [`item ${life.eventCount + 1} of its log is missing`]
    if (item.createdAt < lastAt) return [`item ${item.seq} of its log is older than what is before it`]
    const next = item.system ? afterCheck(contract, life, item) : afterEvent(contract, life, item)
    if (typeof next === 'string') return [next]
    life = next
    lastAt = item.createdAt
  }
  return [...differences(contract, stored, life), ...ofDigest(contract, stored, life, items)]
}

function afterEvent(contract: Contract, life: Life, item: StoredItem): Life | string {
  const dueAt = contract.clock?.calendar ? dueAtAsStored(life.dueAt, item) : life.dueAt
  const decision = decideAt({ ...life, dueAt, contract }, life.log, item, item.createdAt)
  if (decision.kind !== 'append') {
    return `item ${item.seq} of its log is an event that could not be recorded: the claim was ${life.status}`
  }
  const { log, state, effect, lateMs } = decision
  const isExtendedContract = isExtended(contract)
  if (isExtendedContract && (item.lateMs ?? null) !== lateMs) {
    return `item ${item.seq} of its log is stored as late by ${item.lateMs ?? 0} ms, and by its time by ${lateMs ?? 0} ms`
  }
  return {
    ...life,
    ...state,
    log,
    reviewStart: isExtendedContract && effect === 'satisfied' ? item.seq : life.reviewStart,
    eventCount: item.seq,
    logBytes: life.logBytes + item.payloadBytes,
  }
}

/** The time of a transition is that of its check, or of an event that came in between: the check was no later. */
function afterCheck(contract: Contract, life: Life, item: StoredItem): Life | string {
  // The check found the window elapsed. The end of working time is not computed again (`dueAtAsStored`).
  const dueAt = contract.clock?.calendar && life.dueAt !== null ? item.createdAt : life.dueAt
  const transition = atScheduledCheck({ ...life, dueAt }, contract, item.createdAt, null)
  if (transition?.systemEventType !== item.type) {
    const due =
      life.dueAt === null
        ? `it was ${life.status} and due at no time`
        : `it was ${life.status}, due at ${life.dueAt.toISOString()}`
    return `item ${item.seq} of its log, ${item.type} at ${item.createdAt.toISOString()}, could not come: ${due}`
  }
  const { state } = transition
  const { clock: _, ...rest } = life
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

function differences(contract: Contract, stored: StoredLife, life: Life): string[] {
  const compare = (name: string, is: string, follows: string) =>
    is === follows ? [] : [`its ${name} is ${is}, and by its contract and log ${follows}`]
  const hasCalendar = contract.clock?.calendar !== undefined
  const fields = (Object.keys(COMPARED) as (keyof typeof COMPARED)[]).filter(
    (field) => !(hasCalendar && field === 'dueAt'),
  )
  return [
    ...fields.flatMap((field) => compare(COMPARED[field], inWords(stored[field]), inWords(life[field]))),
    ...(hasCalendar ? [] : compare('clock', clockInWords(stored.clock), clockInWords(life.clock))),
  ]
}

const clockInWords = (clock: Life['clock']): string =>
  clock ? `${clock.remainingMs} ms left at ${clock.since.toISOString()}` : 'null'

const inWords = (value: Date | string | number | null): string =>
  value instanceof Date ? value.toISOString() : String(value)

/** One that an older version left behind is of fewer events: it is not used. */
function ofDigest(
  contract: Contract,
  stored: StoredLife,
  life: Life,
  items: readonly StoredItem[],
): string[] {
  if (stored.status !== 'OPEN' || readDigest(stored.digest, stored.eventCount) === null) return []
  const ids = items.map(({ id }) => id)
  const digest = Buffer.from(stored.digest as Uint8Array).toString('hex')
  const isRight = writeDigest(contract.fulfillment_condition, life.log, [], ids) === digest
  return isRight ? [] : ['its log_digest is not that of its log']
}
