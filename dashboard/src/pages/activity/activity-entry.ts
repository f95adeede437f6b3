import type { Told } from '../../api/notifications.ts'
import type { Notification } from '../../api/records.ts'

/** A row: what is shown of a notification. Contracts are left behind, of which five hundred may have megabytes. */
export interface ActivityEntry {
  id: string
  type: string
  /** When it was recorded. */
  at: string
  subject: Subject | null
  /** The place in the feed behind it, if that is known. */
  cursor: string | null
}

export type Subject =
  | {
      kind: 'claim' | 'candidate'
      /** An id or an alias. */
      name: string
      /** Of a claim. */
      reference: string | null
      schemaId: string | null
      /** By UUID of a claim, by external_id of a candidate. */
      customer: string
      /** Once it is final. */
      price: number | null
      /** Of a pending one. */
      scheduledOutcome: 'CONFIRMED' | 'FAILED' | null
      /** The type of the event that was recorded. */
      event: string | null
      testClockId: string | null
    }
  | { kind: 'test_clock'; id: string; name: string | null; frozenTime: string }
  | { kind: 'webhook_endpoint'; id: string; name: string; reason: string }

const toEntry = ({ notification, cursor }: Told): ActivityEntry => ({
  id: notification.id,
  type: notification.type,
  at: notification.created_at,
  subject: subjectOf(notification),
  cursor,
})

function subjectOf(notification: Notification): Subject | null {
  const { claim, candidate, test_clock: clock, webhook_endpoint: endpoint, reason, event } = notification
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
    testClockId: one.test_clock_id,
  }
}

/** What is shown of the feed, newest first, and where what is older begins; null if there is nothing. */
export interface ActivityList {
  entries: readonly ActivityEntry[]
  older: string | null
}

/** With what came since, oldest first, on top. What is there already, as it was read twice, stays where it is. */
export function withNewer(
  { entries, older }: ActivityList,
  told: readonly Told[],
  most: number,
): ActivityList {
  const known = new Set(entries.map(({ id }) => id))
  const newer = told.filter(({ notification }) => !known.has(notification.id)).map(toEntry)
  return trimmed({ entries: [...newer.reverse(), ...entries], older }, most)
}

/** With those behind its end, newest first. */
export function withOlder(
  { entries }: ActivityList,
  { told, cursor, hasMore }: { told: readonly Told[]; cursor: string | null; hasMore: boolean },
): ActivityList {
  const known = new Set(entries.map(({ id }) => id))
  const added = told.filter(({ notification }) => !known.has(notification.id)).map(toEntry)
  return { entries: [...entries, ...added], older: hasMore ? cursor : null }
}

/** Ends where its place in the feed is known, so that one can go on from there. */
function trimmed(list: ActivityList, most: number): ActivityList {
  if (list.entries.length <= most) return list
  const last = list.entries.findLastIndex(({ cursor }, i) => i < most && cursor !== null)
  if (last < 0) return list
  return { entries: list.entries.slice(0, last + 1), older: list.entries[last]?.cursor ?? null }
}
