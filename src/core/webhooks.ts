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
