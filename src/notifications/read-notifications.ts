import type { App } from '../app.ts'
import type { ListedClaim } from '../claims/claim-columns.ts'
import { claimIdOf, namedUuid } from '../claims/claim-ids.ts'
import { LONG_CONTRACTS_BATCH_SIZE } from '../claims/limits.ts'
import { readLongParts } from '../claims/read-contracts.ts'
import type { ClaimAddress } from '../core/claims/claim.ts'
import type { Status } from '../core/claims/lifecycle.ts'
import {
  EVENT_TYPES,
  isNotifiedByDefault,
  NOTIFICATION_TYPES,
  type NotificationType,
} from '../core/notification-types.ts'
import type { EventSummary, Notification } from '../core/notifications.ts'
import { ServiceError, unavailable } from '../kernel/errors.ts'
import { readSettled } from '../outbox/notification-number-store.ts'
import { findEndpoints } from '../outbox/webhook-endpoint-store.ts'
import { loadLazyColumns } from '../platform/database/lists/lazy-columns.ts'
import { findTestClocks } from '../test-clocks/test-clock-store.ts'
import {
  eventKeyOf,
  FEED_PARTS,
  type FeedPart,
  type FeedRow,
  readEventSummaries,
  readFeed,
  readLastRemovedNumber,
  readSubjects,
} from './feed-store.ts'
import { LOOKUP_BATCH_SIZE, MAX_SCANNED_PER_PAGE } from './limits.ts'

export interface FeedRequest {
  userId: string
  /** Position after which the feed continues. Null at the start. */
  after: bigint | null
  limit: number
  order: 'asc' | 'desc'
  /** Only notifications of these types. Null for the default types (`isNotifiedByDefault`). */
  types: ReadonlySet<NotificationType> | null
  /** Only of this claim or candidate. Null for all. */
  address: ClaimAddress | null
  /** Only of claims and candidates of this customer. */
  customerId: string | undefined
}

export interface FeedPage {
  /** In order. Their contracts are loaded while they are iterated. */
  notifications: AsyncIterable<Notification[]>
  isEmpty: boolean
  /** Start of the next page, also if no notification follows yet. */
  next: bigint
  hasMore: boolean
}

/**
 * The next page of the account's feed (§4.13). A page of a filtered feed may be short or empty although more follow.
 * @throws CURSOR_EXPIRED if notifications after the cursor were removed
 */
export async function readNotifications(app: App, request: FeedRequest): Promise<FeedPage> {
  const { userId, after, limit, order, types, address, customerId } = request
  const subjectId = address ? claimIdOf(address) : undefined
  const db = app.db.reads.for(userId)
  const upTo = await readSettled(db, userId)
  const parts = partsOf(types)
  const isFiltered = types !== null || customerId !== undefined || subjectId !== undefined
  const count = isFiltered ? MAX_SCANNED_PER_PAGE : limit
  const rows = await readFeed(db, { userId, parts, subjectId, after, upTo, order, count: count + 1 })
  const goesOn = order === 'asc' && after !== null
  // A reader that finds nothing continues after the last removed notification.
  const findsNothing = after === null && rows.length === 0
  // A notification that is removed meanwhile was read before, or this check reports it.
  const removed = goesOn || findsNothing ? await readLastRemovedNumber(db, userId, parts) : 0n
  if (after !== null && after < removed) throw new ServiceError('CURSOR_EXPIRED')

  const matches = ({ type, claim }: Found) =>
    (types === null ? isNotifiedByDefault(type) : types.has(type)) &&
    (customerId === undefined || claim?.customerId === customerId)
  const matching: Found[] = []
  let examined = 0
  while (examined < Math.min(rows.length, count) && matching.length < limit) {
    const some = rows.slice(examined, Math.min(examined + LOOKUP_BATCH_SIZE, count))
    const mayMatch = some.filter(({ kind }) => isOfTypes(kind, types))
    const find = await findSubjects(app, userId, mayMatch)
    for (const row of some) {
      if (matching.length === limit) break
      examined++
      const found = find(row)
      if (found && matches(found)) matching.push(found)
    }
  }
  const events = await readEvents(app, userId, matching)
  const existing = matching.filter(({ row }) => row.kind !== 'recorded' || events.has(eventKeyOf(row)))
  const last = examined > 0 ? BigInt((rows[examined - 1] as FeedRow).number) : null
  return {
    notifications: withContracts(app, userId, existing, events),
    isEmpty: existing.length === 0,
    next: last ?? after ?? removed,
    hasMore: examined < rows.length,
  }
}

/**
 * The same, but waits if there is no notification.
 * @param maxWaitMs limit of the wait; the page is empty after it
 * @param gone aborts the wait; its reason is thrown
 * @throws CURSOR_EXPIRED, RATE_LIMITED if too many requests of the account wait
 */
export async function awaitNotifications(
  app: App,
  request: FeedRequest,
  maxWaitMs: number,
  gone: AbortSignal,
): Promise<FeedPage> {
  const { userId, types } = request
  const end = performance.now() + maxWaitMs
  for (let { after } = request; ; ) {
    const page = await readNotifications(app, { ...request, after })
    const left = end - performance.now()
    if (!page.isEmpty || left <= 0) return page
    if (page.hasMore) gone.throwIfAborted()
    else await app.feedWatch.waitForNews({ userId, parts: partsOf(types), after: page.next }, left, gone)
    after = page.next
  }
}

/** A notification whose subject exists. */
interface Found {
  row: FeedRow
  type: NotificationType
  claim: ListedClaim | null
  /** The subject if it is not a claim. */
  other: Exclude<Notification['subject'], { claim: unknown }> | null
}

/** Records that were deleted meanwhile are missing. */
async function findSubjects(app: App, userId: string, rows: readonly FeedRow[]) {
  const db = app.db.reads.for(userId)
  const idsOf = (...kinds: FeedRow['kind'][]) => [
    ...new Set(rows.filter(({ kind }) => kinds.includes(kind)).map(({ subject_id }) => subject_id)),
  ]
  const claims = await readSubjects(
    db,
    userId,
    idsOf('created', 'pending', 'confirmed', 'failed', 'outcome_changed', 'due_soon', 'recorded'),
  )
  const clockIds = idsOf('advanced')
  const found = clockIds.length === 0 ? [] : await findTestClocks(db, userId, clockIds)
  const clocks = new Map(found.map((clock) => [clock.id, clock]))
  const endpoints = await findEndpoints(db, userId, idsOf('failing', 'gone'))
  return (row: FeedRow): Found | null => {
    const { kind, subject_id: id } = row
    if (kind === 'advanced') {
      const clock = clocks.get(id)
      const other = clock && { testClock: { ...clock, frozenTime: row.status_since } }
      return other ? { row, type: 'test_clock.advanced', claim: null, other } : null
    }
    if (kind === 'failing' || kind === 'gone') {
      const endpoint = endpoints.get(id)
      const other = endpoint && { endpoint, reason: kind }
      return other ? { row, type: 'webhook_endpoint.disabled', claim: null, other } : null
    }
    const claim = claims.get(id)
    const subject = claim?.candidateAlias == null ? 'claim' : 'candidate'
    return claim
      ? { row, type: `${subject}.${CHANGES[kind]}`, claim: asItWas(claim, row, kind), other: null }
      : null
  }
}

/** In the words of the types. */
const CHANGES = {
  created: 'created',
  recorded: 'event_recorded',
  pending: 'pending',
  confirmed: 'confirmed',
  failed: 'failed',
  outcome_changed: 'outcome_changed',
  due_soon: 'due_soon',
  advanced: 'advanced',
  failing: 'disabled',
  gone: 'disabled',
} as const satisfies Record<FeedRow['kind'], string>

const TYPES_BY_PART: Readonly<Record<FeedPart, readonly NotificationType[]>> = {
  changes: NOTIFICATION_TYPES.filter(isNotifiedByDefault),
  events: EVENT_TYPES,
}

/** The parts of the feed with these types. Null: the default types. */
export const partsOf = (types: FeedRequest['types']): FeedPart[] =>
  types === null
    ? ['changes']
    : FEED_PARTS.filter((part) => TYPES_BY_PART[part].some((type) => types.has(type)))

/** Whether the type may match. The kind of the subject is not known yet. */
const isOfTypes = (kind: FeedRow['kind'], types: FeedRequest['types']): boolean =>
  types === null ? kind !== 'recorded' : [...types].some((type) => type.endsWith(`.${CHANGES[kind]}`))

type ClaimKind = Exclude<FeedRow['kind'], 'advanced' | 'failing' | 'gone'>
const STATUS_AFTER: Readonly<Record<ClaimKind, Status>> = {
  created: 'OPEN',
  recorded: 'OPEN',
  pending: 'PENDING',
  confirmed: 'CONFIRMED',
  failed: 'FAILED',
  outcome_changed: 'PENDING',
  due_soon: 'OPEN',
}

function asItWas(claim: ListedClaim, row: FeedRow, kind: ClaimKind): ListedClaim {
  const { due_at: dueAt, scheduled_outcome: scheduledOutcome } = row
  // Of a reminder the row has the time of the check. An OPEN claim has its status since its creation.
  const statusSince = kind === 'due_soon' ? claim.createdAt : row.status_since
  // A claim has a scheduled outcome before an event only in review.
  const isInReview = kind === 'recorded' && scheduledOutcome !== null
  const status = isInReview ? 'PENDING' : STATUS_AFTER[kind]
  // The row does not have the claim's clock of that time.
  const { clock: _, ...unchanged } = claim
  return { ...unchanged, status, statusSince, dueAt, scheduledOutcome }
}

const readEvents = (app: App, userId: string, found: readonly Found[]) =>
  readEventSummaries(
    app.db.reads.for(userId),
    found.flatMap(({ row }) => (row.kind === 'recorded' ? row : [])),
  )

async function* withContracts(
  app: App,
  userId: string,
  found: readonly Found[],
  events: ReadonlyMap<string, EventSummary>,
): AsyncGenerator<Notification[]> {
  // Only claims have events.
  const rows = found.map((one) => {
    const { contract, metadata } = one.claim ?? { contract: '', metadata: '' }
    return { ...one, contract, metadata }
  })
  const filled = loadLazyColumns(rows, {
    columns: ['contract', 'metadata'],
    batchSize: LONG_CONTRACTS_BATCH_SIZE,
    key: ({ row }) => row.subject_id,
    read: (some) =>
      readLongParts(
        app,
        userId,
        some.map(({ row }) => row.subject_id),
      ),
    onMissing: () => unavailable('A claim of the page was deleted while it was read.'),
  })
  for await (const some of filled)
    yield some.map(({ row, type, claim, other, contract, metadata }) => ({
      id: notificationId(row),
      type,
      number: row.number,
      sequence: row.sequence,
      createdAt: row.created_at,
      event: (row.kind === 'recorded' && events.get(eventKeyOf(row))) || null,
      reminder: row.reminder === null ? null : { fraction: row.reminder, checkedAt: row.status_since },
      subject: other ?? { claim: { ...(claim as ListedClaim), contract, metadata } },
    }))
}

/**
 * A claim changes at most once with each log item, and each event is one item. A reminder is sent once. Subjects
 * without a log may get the same state twice.
 */
const notificationId = ({ subject_id, kind, sequence, reminder, number }: FeedRow) =>
  namedUuid(
    'notification',
    [subject_id, kind, reminder ?? (kind in STATUS_AFTER ? sequence : number)].join(' '),
  )
