import type { JsonObject, RawJson } from '../../kernel/json.ts'

/** The system events of §6 rule 2. No user can submit these types (§6 rule 3). */
export const ACTIVITY_WINDOW_ELAPSED = 'activity_window_elapsed'
export const REVIEW_WINDOW_ELAPSED = 'review_window_elapsed'
export const RESERVED_TYPES = [ACTIVITY_WINDOW_ELAPSED, REVIEW_WINDOW_ELAPSED] as const

export const isReservedType = (type: string): boolean => (RESERVED_TYPES as readonly string[]).includes(type)

/** Fields that the service adds to an item of the log. */
export const RESERVED_FIELDS = ['created_at', 'system'] as const

/** The payload of an event. A large payload is parsed on demand: thousands of submissions may wait. */
type Payload = JsonObject | RawJson<JsonObject>

/** A submission of a caller. The payload is the request's object without `id`, `type` and the address of the claim. */
export interface Submission {
  id: string
  type: string
  payload: Payload
  /** Size of the payload as JSON. */
  payloadBytes: number
}

/** The part of a log item that conditions read. */
export type Evidence = Pick<LogEvent, 'type' | 'payload'> & { system?: boolean }

/** Evidence with its sequence number in the log. For claims of extended contracts. */
export interface PlacedEvidence extends Evidence {
  seq: number
  isLate: boolean
}

/** An item of a claim's event log. */
export interface LogEvent {
  id: string
  type: string
  payload: Payload
  system: boolean
  createdAt: Date
  /** Milliseconds after the end of the window; null if the event was in time. Stored for extended contracts only. */
  lateMs?: number | null
}

/** The event that a submission becomes. */
export const eventOf = ({ id, type, payload }: Submission, createdAt: Date): LogEvent => ({
  id,
  type,
  payload,
  system: false,
  createdAt,
})
