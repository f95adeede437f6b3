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

/** Optional notifications of the account (§4.13). */
export interface NotificationSettings {
  /** A notification for each recorded event. */
  eventRecorded: boolean
}

/** A change, with its subject in the state of that time. */
export interface Notification {
  /** Unique, and the same at each read. */
  id: string
  type: NotificationType
  /** Position in the account's feed: a whole number. */
  number: string
  /** Number of the log item; 0 for a creation and for other subjects. */
  sequence: number
  createdAt: Date
  /** The recorded event. Null for other notifications. */
  event: EventSummary | null
  /** The reminder, and the scheduled check that sent it, by the claim's clock. Null for other notifications. */
  reminder: { fraction: number; checkedAt: Date } | null
  subject:
    | { claim: StoredClaim }
    | { testClock: Omit<TestClock, 'nextDueAt'> }
    | { endpoint: Pick<WebhookEndpoint, 'id' | 'url' | 'description'>; reason: 'failing' | 'gone' }
}
