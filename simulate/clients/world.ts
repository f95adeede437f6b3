import type { State, Status } from '../model/contract.ts'
import { assert } from '../model/finding.ts'
import { type Json, type JsonObject, same } from '../model/json.ts'
import type { Random } from '../random.ts'
import { FaultPeriods } from './fault-periods.ts'
import { People } from './people.ts'
import type { Account, ClaimRecord, FilledLog } from './records.ts'
import { SharedNames } from './shared-names.ts'

/** The state that all clients share. */
export class World {
  readonly accounts: Account[] = []
  readonly filledLogs: FilledLog[] = []
  /** A client is creating one. */
  isCreatingFilledLog = false
  readonly people = new People()
  readonly idempotencyKeys = new SharedNames()
  readonly references = new SharedNames()
  readonly faultPeriods = new FaultPeriods()
  readonly tally = new Map<string, number>()
  readonly answers = new Map<string, number>()
  operations = 0
  acknowledged = 0
  unknown = 0
  /** No fault steps the clocks. */
  readonly clocksAreRight: boolean
  /** Timeout of a request. Without faults a timeout is a finding. */
  readonly timeoutMs: number
  #serial = 0

  constructor(clocksAreRight: boolean, timeoutMs: number) {
    this.clocksAreRight = clocksAreRight
    this.timeoutMs = timeoutMs
  }

  /** Unique in this run. */
  nextNumber = (): number => ++this.#serial
  nextName = (prefix: string): string => `${prefix}-${this.nextNumber()}`

  /** A key that the account has not used. Other accounts may have used it. */
  nextIdempotencyKey = ({ userId }: Account, random: Random): string =>
    this.idempotencyKeys.take(userId, random, () => this.nextName('key'))

  /** @param times number of parts of the request that are verified separately */
  count(operation: string, times = 1): void {
    this.operations += times
    this.tally.set(operation, (this.tally.get(operation) ?? 0) + times)
  }

  /** Clients use few claims at a time, so that they compete. */
  pickClaim(account: Account, random: Random, clients: number): ClaimRecord | null {
    const latest = account.claims.slice(-clients)
    if (latest.length === 0) return null
    return random.chance(0.05) ? random.pick(account.claims) : random.pick(latest)
  }
}

const STATE_FIELDS = [
  'status',
  'status_since',
  'scheduled_outcome',
  'due_at',
  'paused_since',
  'remaining',
  'events',
] as const

/** Of the metadata only `team` never changes. Only the response to the creation has hints. */
export function fixedOf(body: JsonObject): JsonObject {
  const fixed = Object.fromEntries(
    Object.entries(body).filter(([key]) => key !== 'hints' && !STATE_FIELDS.some((name) => name === key)),
  )
  return body.metadata === undefined ? fixed : { ...fixed, metadata: { team: teamOf(body) } }
}

export const teamOf = ({ metadata }: JsonObject) => (metadata as { team?: string } | undefined)?.team ?? null

/** Number of changes of its metadata. */
export function metadataVersionOf(name: string, { metadata }: JsonObject): number {
  const { team: _, note = '0', ...others } = metadata as Record<string, string>
  assert(
    same(others, {}),
    () => `${name} has unknown metadata`,
    () => metadata,
  )
  return Number(note)
}

export function stateOf(body: JsonObject): State {
  return {
    status: body.status as Status,
    status_since: Date.parse(body.status_since as string),
    scheduled_outcome: body.scheduled_outcome as State['scheduled_outcome'],
    due_at: timeOf(body.due_at),
    ...('paused_since' in body
      ? { paused_since: timeOf(body.paused_since), remaining: body.remaining as number | null }
      : {}),
  }
}

const timeOf = (shown: Json | undefined) => (shown === null ? null : Date.parse(shown as string))

/** Reads the state of the record. All other fields must be those of its creation. */
export function readState(record: ClaimRecord, body: JsonObject): State {
  // The response to a submission has no metadata.
  const { metadata = record.fixed.metadata as JsonObject } = body
  assert(
    same(fixedOf({ ...body, metadata }), record.fixed),
    () => `${record.name} is shown with fields other than those of its creation`,
    () => ({ shown: body, created: record.fixed }),
  )
  const state = stateOf(body)
  record.state = state
  return state
}
