import { acceptsEvents } from '../../../src/core/claims/decide-at.ts'
import { MAX_EVENTS, MAX_LOG_BYTES } from '../../../src/core/limits.ts'
import type { ClaimEvent, WithEvents } from '../api/records.ts'
import type { AnyClaim } from './claims-api.ts'

/** The payload of an event that has only a type. */
const LEAST_PAYLOAD_BYTES = '{}'.length

type RefusingClaim = Pick<WithEvents<AnyClaim>, 'status' | 'scheduled_outcome' | 'contract' | 'events'>

/** Why the claim accepts no event: its status (§3 rule 2, §2.1a), or its log is full (§8). */
export function eventRefusal({
  status,
  scheduled_outcome: scheduledOutcome,
  contract,
  events,
}: RefusingClaim): string | null {
  if (!acceptsEvents({ status, scheduledOutcome, contract })) {
    const inReview = contract.review ? ', or in a review of the outcome CONFIRMED' : ''
    const outcome = contract.review && status === 'PENDING' ? ` and the outcome is ${scheduledOutcome}` : ''
    return `The status is ${status}${outcome}. Events are accepted only while it is OPEN${inReview}.`
  }
  const submitted = events.filter(({ system }) => !system)
  if (submitted.length >= MAX_EVENTS)
    return `The log has ${MAX_EVENTS.toLocaleString('en')} events, the maximum.`
  const bytes = submitted.reduce((sum, event) => sum + payloadBytes(event), 0)
  return bytes + LEAST_PAYLOAD_BYTES > MAX_LOG_BYTES
    ? `The log has ${MAX_LOG_BYTES / 2 ** 20} MiB of payloads, the maximum.`
    : null
}

/** Cached by object: the query cache keeps unchanged events as the same objects. */
const sizes = new WeakMap<ClaimEvent, number>()

/** The size of an event's payload as JSON. */
function payloadBytes(event: ClaimEvent): number {
  const known = sizes.get(event)
  if (known !== undefined) return known
  const { id: _, type: __, created_at: ___, system: ____, ...payload } = event
  const bytes = new TextEncoder().encode(JSON.stringify(payload)).length
  sizes.set(event, bytes)
  return bytes
}
