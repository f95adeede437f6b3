import type { NotificationType } from './notification-types.ts'

/** A webhook endpoint: a URL that receives the account's notifications (§2.11). */
export interface WebhookEndpoint {
  id: string
  userId: string
  createdAt: Date
  url: string
  /** The types of notifications to send; null for all. */
  types: readonly NotificationType[] | null
  /** The only customer whose claims and candidates it is notified of; null for all. */
  customerId: string | null
  description: string | null
  /** Why the service does not send; null if it sends. */
  disabled: 'by hand' | 'failing' | 'gone' | null
  /** The number and hash of its last delivery. Before the first: 0 and `NO_HASH`. */
  last: { number: number; hash: string }
  /** Since when all attempts have failed; null if the last attempt succeeded. */
  failingSince: Date | null
  /** No attempt is made before this time, because the endpoint is failing. */
  pausedUntil: Date | null
}

export const DELIVERY_STATUSES = ['waiting', 'succeeded', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** A delivery of a notification to an endpoint (§2.12). */
export interface WebhookDelivery {
  endpointId: string
  /** Number of the delivery at the endpoint, from 1 on, without gaps. */
  number: number
  notificationId: string
  /** The id of the claim, candidate, test clock or endpoint of the notification. */
  subjectId: string
  type: string
  createdAt: Date
  /** SHA-256 of this body and of the previous delivery's body. */
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
  /** The status of the response; null without a response. */
  status: number | null
  /** The beginning of the response's body. */
  answer: string | null
  /** Why the attempt failed; null if it succeeded. */
  error: string | null
}

/** Deliveries of these types are not notifications: a test that the caller requests, and a substitute for removed notifications. */
export const OWN_TYPES = ['webhook_endpoint.test', 'webhook_endpoint.notifications_removed'] as const
