import type { NotificationType } from './notification-types.ts'

/** Where notifications of an account are sent (§2.11). */
export interface WebhookEndpoint {
  id: string
  userId: string
  createdAt: Date
  url: string
  /** Of which types; null for all. */
  types: readonly NotificationType[] | null
  /** Of whose claims and candidates alone; null for all. */
  customerId: string | null
  description: string | null
  /** Why nothing is sent; null if it is. */
  disabled: 'by hand' | 'failing' | 'gone' | null
  /** Its last delivery: 0, and `NO_HASH`, before the first. */
  last: { number: number; hash: string }
  /** Since when all attempts have failed; null if the last one did not. */
  failingSince: Date | null
  /** Until when none is made, since it is failing. */
  pausedUntil: Date | null
}

export const DELIVERY_STATUSES = ['waiting', 'succeeded', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** A notification that is, or was, sent to an endpoint (§2.12). */
export interface WebhookDelivery {
  endpointId: string
  /** Its place among those to the endpoint, from 1 on, without holes. */
  number: number
  notificationId: string
  /** The claim, candidate or whatever else it tells of. */
  subjectId: string
  type: string
  createdAt: Date
  /** SHA-256 of its body, and of the body before. */
  hash: string
  previousHash: string
  status: DeliveryStatus
  nextAttemptAt: Date | null
  /** Oldest first. */
  attempts: WebhookAttempt[]
}

export interface WebhookAttempt {
  startedAt: Date
  durationMs: number
  /** The answer's; null if there was none. */
  status: number | null
  /** Its beginning. */
  answer: string | null
  /** Why it counts as failed; null if it does not. */
  error: string | null
}

/** What an endpoint is never sent unless it asks: by its own test, or instead of notifications that were removed. */
export const OWN_TYPES = ['webhook_endpoint.test', 'webhook_endpoint.notifications_removed'] as const

const STEEPEST_PAUSE_MS = 300_000
const LEAST_PAUSE_MS = 1_000

/** How long an endpoint is left alone of which several attempts in a row failed: a tenth of how long that has gone on. */
export const pauseOf = (failingMs: number): number =>
  Math.min(STEEPEST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, failingMs / 10))

/** The longest that an answer's Retry-After is heeded, in milliseconds. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000

/**
 * Milliseconds until the next attempt; null if there is none.
 * @param tries that were made, from 1 on
 * @param chance from 0 to 1: a fifth more or less, so that what failed together does not come back together
 */
export function retryDelay(
  tries: number,
  { delaysMs, retryAfterMs, chance }: { delaysMs: readonly number[]; retryAfterMs: number; chance: number },
): number | null {
  const delay = delaysMs[tries - 1]
  if (delay === undefined) return null
  return Math.round(Math.max(delay * (0.8 + 0.4 * chance), Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)))
}
