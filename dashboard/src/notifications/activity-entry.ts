import type { Notification } from '../api/records.ts'
import type { FeedItem } from './notifications-api.ts'

/** A row of the list. It does not keep the contract of the notification: 500 contracts may take megabytes. */
export interface ActivityEntry {
  id: string
  type: string
  /** The time of the notification. */
  at: string
  subject: Subject | null
  /** The cursor after the notification, if it is known. */
  cursor: string | null
}

export type Subject =
  | {
      kind: 'claim' | 'candidate'
      /** An id or an alias. */
      name: string
      /** Only for claims. */
      reference: string | null
      schemaId: string | null
      /** The customer's UUID for claims, its external_id for candidates. */
      customer: string
      /** Set when the status is final. */
      price: number | null
      /** Set while PENDING. */
      scheduledOutcome: 'CONFIRMED' | 'FAILED' | null
      /** The type of the event that was recorded. */
      event: string | null
      /** The fraction of the activity window that a reminder found used up. */
      reminder: number | null
      testClockId: string | null
    }
  | { kind: 'test_clock'; id: string; name: string | null; frozenTime: string }
  | { kind: 'webhook_endpoint'; id: string; name: string; reason: string }

const toEntry = ({ notification, cursor }: FeedItem): ActivityEntry => ({
  id: notification.id,
  type: notification.type,
  at: notification.created_at,
  subject: subjectOf(notification),
  cursor,
})

function subjectOf(notification: Notification): Subject | null {
  const {
    claim,
    candidate,
    test_clock: clock,
    webhook_endpoint: endpoint,
    reason,
    event,
    reminder,
  } = notification
  if (clock) return { kind: 'test_clock', id: clock.id, name: clock.name, frozenTime: clock.frozen_time }
  if (endpoint) {
    const name = endpoint.description ?? endpoint.url
    return { kind: 'webhook_endpoint', id: endpoint.id, name, reason: reason ?? '' }
  }
  const one = claim ?? candidate
  if (!one) return null
  const isFinal = one.status === 'CONFIRMED' || one.status === 'FAILED'
  return {
    kind: claim ? 'claim' : 'candidate',
    name: 'id' in one ? one.id : one.candidate_alias,
    reference: 'id' in one ? one.reference : null,
    schemaId: one.schema_id,
    customer: 'id' in one ? one.customer_id : one.customer_uuid,
    price: isFinal ? one.contract.price : null,
    scheduledOutcome: isFinal ? null : one.scheduled_outcome,
    event: event?.type ?? null,
    reminder: reminder ?? null,
    testClockId: one.test_clock_id,
  }
}

/** The shown entries, newest first, and the cursor of older entries, or null if there are none. */
export interface ActivityList {
  entries: readonly ActivityEntry[]
  older: string | null
}

/** Adds newer notifications, given oldest first, at the top. Known entries keep their position. */
export function withNewer(
  { entries, older }: ActivityList,
  items: readonly FeedItem[],
  maxEntries: number,
): ActivityList {
  const knownIds = new Set(entries.map(({ id }) => id))
  const newer = items.filter(({ notification }) => !knownIds.has(notification.id)).map(toEntry)
  return trimmed({ entries: [...newer.reverse(), ...entries], older }, maxEntries)
}

/** Adds older notifications, given newest first, at the end. */
export function withOlder(
  { entries }: ActivityList,
  { items, cursor, hasMore }: { items: readonly FeedItem[]; cursor: string | null; hasMore: boolean },
): ActivityList {
  const knownIds = new Set(entries.map(({ id }) => id))
  const added = items.filter(({ notification }) => !knownIds.has(notification.id)).map(toEntry)
  return { entries: [...entries, ...added], older: hasMore ? cursor : null }
}

/** Cuts the list after an entry with a known cursor, so that older entries can be loaded from there. */
function trimmed(list: ActivityList, maxEntries: number): ActivityList {
  if (list.entries.length <= maxEntries) return list
  const last = list.entries.findLastIndex(({ cursor }, i) => i < maxEntries && cursor !== null)
  if (last < 0) return list
  return { entries: list.entries.slice(0, last + 1), older: list.entries[last]?.cursor ?? null }
}
