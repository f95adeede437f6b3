import type { Contract } from '../../../src/core/contracts/contract.ts'
import type { JsonObject } from '../../../src/kernel/json.ts'
import { newId } from '../contracts/builder-node.ts'
import { type DurationDraft, secondsOf } from '../contracts/contract-draft.ts'
import { readFields } from '../events/event-draft.ts'
import { problemOfValue, readValue, valueText } from '../format/value-text.ts'
import type { SimulationRequest } from './simulations-api.ts'

/** An event of the trial while it is edited. */
export interface TrialEvent {
  id: string
  /** The time since the opening. */
  after: DurationDraft
  type: string
  /** Empty for none. */
  value: string
  /** Further fields as JSON; empty for none. */
  fields: string
}

export function newTrialEvent(type: string, payload: JsonObject, after: DurationDraft): TrialEvent {
  const { value, ...rest } = payload
  return {
    id: newId(),
    after,
    type,
    value: value === undefined ? '' : valueText(value),
    fields: Object.keys(rest).length > 0 ? JSON.stringify(rest) : '',
  }
}

/** 100 years, the maximum of a window. */
const MAX_SECONDS = 3_155_760_000

/** Seconds after the opening, or null if the text is invalid. */
export function readAfter(after: DurationDraft): number | null {
  const seconds = after.text === '' ? 0 : secondsOf(after)
  return typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_SECONDS ? seconds : null
}

/** The simulation request and the ids of its events. Incomplete events are left out. */
export function toRequest(contract: Contract, openedAt: string, events: readonly TrialEvent[]) {
  const complete = events.filter(
    ({ type, value, fields, after }) =>
      type !== '' && !problemOfValue(value) && readFields(fields) !== null && readAfter(after) !== null,
  )
  const request: SimulationRequest = {
    contract,
    opened_at: openedAt,
    events: complete.map(({ type, value, fields, after }) => ({
      ...readFields(fields),
      ...(value === '' ? {} : { value: readValue(value) }),
      type,
      at: new Date(Date.parse(openedAt) + (readAfter(after) ?? 0) * 1000).toISOString(),
    })),
  }
  return { request, ids: complete.map(({ id }) => id) }
}
