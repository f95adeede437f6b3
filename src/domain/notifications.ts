import type { Claim, WithContract } from './claims/claim.ts'
import type { NotificationType } from './notification-types.ts'
import type { TestClock } from './records.ts'
import type { WebhookEndpoint } from './webhooks.ts'

/** That something happened, with what it happened to as it was then. */
export interface Notification<Contract = Claim['contract']> {
  /** The same whenever it is read, and of no other one. */
  id: string
  type: NotificationType
  /** Its place in the account's feed: a whole number. */
  number: string
  /** Of the log's item that it tells of; 0 for a creation. Otherwise 0. */
  sequence: number
  createdAt: Date
  subject:
    | { claim: WithContract<Claim, Contract> }
    | { testClock: Omit<TestClock, 'nextDueAt'> }
    | { endpoint: Pick<WebhookEndpoint, 'id' | 'url' | 'description'>; reason: 'failing' | 'gone' }
}
