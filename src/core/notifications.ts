import type { StoredClaim } from './claims/claim.ts'
import type { NotificationType } from './notification-types.ts'
import type { TestClock } from './records.ts'
import type { WebhookEndpoint } from './webhooks.ts'

/** An event of a claim's log, without its payload. */
export interface EventSummary {
  id: string
  type: string
  createdAt: Date
}

/** The notifications of an account besides those that every account has (§4.13). */
export interface NotificationSettings {
  /** Each event that is recorded. */
  eventRecorded: boolean
}

/** That something happened, with what it happened to as it was then. */
export interface Notification {
  /** The same whenever it is read, and of no other one. */
  id: string
  type: NotificationType
  /** Its place in the account's feed: a whole number. */
  number: string
  /** Of the log's item that it tells of; 0 for a creation. Otherwise 0. */
  sequence: number
  createdAt: Date
  /** The event that was recorded; null if it tells of another thing. */
  event: EventSummary | null
  /** The reminder that was reached, and the scheduled check that found it, by the claim's clock; null for anything else. */
  reminder: { fraction: number; checkedAt: Date } | null
  subject:
    | { claim: StoredClaim }
    | { testClock: Omit<TestClock, 'nextDueAt'> }
    | { endpoint: Pick<WebhookEndpoint, 'id' | 'url' | 'description'>; reason: 'failing' | 'gone' }
}
