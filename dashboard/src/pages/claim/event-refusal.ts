import { MAX_EVENTS, MAX_LOG_BYTES } from '../../../../src/core/claims/limits.ts'
import type { AnyClaim } from '../../api/claims.ts'
import type { ClaimEvent, WithEvents } from '../../api/records.ts'

/** Of an event that says nothing but its type. */
const LEAST_PAYLOAD_BYTES = '{}'.length

/** Why it takes no event: only an OPEN one does (§3 rule 2), and only as many as a log holds (§8). */
export function refusalOf({
  status,
  events,
}: Pick<WithEvents<AnyClaim>, 'status' | 'events'>): string | null {
  if (status !== 'OPEN') return `It is ${status}: only OPEN takes events.`
  const submitted = events.filter(({ system }) => !system)
  if (submitted.length >= MAX_EVENTS)
    return `Its log holds ${MAX_EVENTS.toLocaleString('en')} events, the most that a claim takes.`
  const bytes = submitted.reduce((sum, event) => sum + payloadBytes(event), 0)
  return bytes + LEAST_PAYLOAD_BYTES > MAX_LOG_BYTES
    ? `Its log holds ${MAX_LOG_BYTES / 2 ** 20} MiB of payloads, the most that a claim takes.`
    : null
}

/** An event that was read again is the same object. */
const sizes = new WeakMap<ClaimEvent, number>()

/** Of what an event says, as JSON. */
function payloadBytes(event: ClaimEvent): number {
  const known = sizes.get(event)
  if (known !== undefined) return known
  const { id: _, type: __, created_at: ___, system: ____, ...payload } = event
  const bytes = new TextEncoder().encode(JSON.stringify(payload)).length
  sizes.set(event, bytes)
  return bytes
}
