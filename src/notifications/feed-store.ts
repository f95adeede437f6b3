import {
  CLAIM_COLUMNS_IF_SHORT,
  type ListedClaim,
  type ListedClaimRow,
  toNoted,
} from '../claims/claim-columns.ts'
import type { EventSummary } from '../core/notifications.ts'
import type { ClaimNotification, OtherNotification } from '../outbox/outbox-store.ts'
import type { Connection } from '../platform/database/connection.ts'
import { ListQuery } from '../platform/database/lists/list-query.ts'
import { plainArray } from '../platform/database/sql-array.ts'

/** The parts of a feed: single events, which most readers exclude, and all other notifications. */
export const FEED_PARTS = ['changes', 'events'] as const
export type FeedPart = (typeof FEED_PARTS)[number]

/** SQL: whether a row belongs to a part. Each part has an index. */
export const PART_CONDITION: Readonly<Record<FeedPart, string>> = {
  changes: "kind <> 'recorded'",
  events: "kind = 'recorded'",
}

/** A stored notification: the change, its subject, and the state after it. */
export interface FeedRow {
  number: string
  subject_id: string
  kind: ClaimNotification['kind'] | OtherNotification['kind']
  sequence: number
  status_since: Date
  due_at: Date | null
  scheduled_outcome: 'CONFIRMED' | 'FAILED' | null
  /** Only for a claim that is due soon. */
  reminder: number | null
  created_at: Date
}

export interface FeedSpan {
  userId: string
  parts: readonly FeedPart[]
  /** Only of the claim, candidate or test clock with this id. */
  subjectId: string | undefined
  /** The number after which the feed continues, in its order. Null at the start. */
  after: bigint | null
  /** The highest number that may be read. */
  upTo: bigint
  order: 'asc' | 'desc'
  count: number
}

/** The next notifications of the account. For a subject those of all parts. */
export async function readFeed(db: Connection, span: FeedSpan): Promise<FeedRow[]> {
  // The notifications of one subject are stored together.
  if (span.subjectId !== undefined) return readPart(db, span, null)
  const [only, ...others] = span.parts
  if (only && others.length === 0) return readPart(db, span, only)
  const rows: FeedRow[] = []
  for (const part of span.parts) rows.push(...(await readPart(db, span, part)))
  const sign = span.order === 'asc' ? 1 : -1
  return rows.sort((a, b) => sign * Number(BigInt(a.number) - BigInt(b.number))).slice(0, span.count)
}

async function readPart(db: Connection, span: FeedSpan, part: FeedPart | null): Promise<FeedRow[]> {
  const { userId, subjectId, after, upTo, order, count } = span
  const query = new ListQuery()
    .where('user_id', '=', userId)
    .where('subject_id', '=', subjectId)
    .where('number', order === 'asc' ? '>' : '<', after)
    .where('number', '<=', upTo)
  const limit = query.parameter(count)
  const ofPart = part ? `AND ${PART_CONDITION[part]}` : ''
  return db.query<FeedRow>({
    name: ['read_feed', order, part ?? 'of', ...(after === null ? [] : ['after'])].join('_'),
    text: `-- read_feed
      SELECT number, subject_id, kind, sequence, status_since, due_at, scheduled_outcome, reminder, created_at
      FROM notifications WHERE ${query.conditions} ${ofPart} ORDER BY number ${order} LIMIT ${limit}`,
    values: query.values,
    readOnly: true,
  })
}

/** The claims and candidates among these that still exist, by id. */
export async function readSubjects(
  db: Connection,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, ListedClaim>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<ListedClaimRow>({
    name: 'read_subjects',
    text: `-- read_subjects
      SELECT ${CLAIM_COLUMNS_IF_SHORT} FROM claims WHERE id = ANY ($2::uuid[]) AND user_id = $1`,
    values: [userId, plainArray(ids)],
    readOnly: true,
  })
  return new Map(rows.map((row) => [row.id, toNoted(row)]))
}

// Each event is looked up separately, whatever the length of its log.
const READ_EVENT_SUMMARIES = {
  name: 'read_told_events',
  text: `-- read_told_events
      SELECT e.claim_id, e.seq, e.id, e.type, e.created_at
      FROM unnest($1::uuid[], $2::integer[]) AS wanted (claim_id, seq), LATERAL (
        SELECT claim_id, seq, id, type, created_at FROM claim_events
        WHERE claim_id = wanted.claim_id AND seq = wanted.seq OFFSET 0
      ) AS e`,
}
const READ_EVENT_SUMMARIES_ON_MACHINES = {
  name: 'read_told_events_on_machines',
  text: `-- read_told_events_on_machines
      SELECT e.claim_id, e.seq, e.id, e.type, e.created_at
      FROM unnest($1::uuid[], $2::integer[]) AS wanted (claim_id, seq)
      JOIN claim_events e ON e.claim_id = wanted.claim_id AND e.seq = wanted.seq
      WHERE e.claim_id = ANY ($1::uuid[])`,
}

/** The events of these rows, by claim and number in its log (`placeOf`). Events of deleted claims are missing. */
export async function readEventSummaries(
  db: Connection,
  rows: readonly Pick<FeedRow, 'subject_id' | 'sequence'>[],
): Promise<Map<string, EventSummary>> {
  if (rows.length === 0) return new Map()
  const events = await db.query<{
    claim_id: string
    seq: number
    id: string
    type: string
    created_at: Date
  }>({
    ...(db.distribution.isOn ? READ_EVENT_SUMMARIES_ON_MACHINES : READ_EVENT_SUMMARIES),
    values: [
      plainArray(rows.map(({ subject_id }) => subject_id)),
      plainArray(rows.map(({ sequence }) => sequence)),
    ],
    readOnly: true,
  })
  return new Map(
    events.map(({ claim_id, seq, id, type, created_at: createdAt }) => [
      placeOf({ subject_id: claim_id, sequence: seq }),
      { id, type, createdAt },
    ]),
  )
}

export const placeOf = ({ subject_id, sequence }: Pick<FeedRow, 'subject_id' | 'sequence'>): string =>
  `${subject_id} ${sequence}`

/** The last removed number of these parts of the account's feed. 0 for none. */
export async function readRemoved(
  db: Connection,
  userId: string,
  parts: readonly FeedPart[],
): Promise<bigint> {
  const [row] = await db.query<Record<FeedPart, string>>({
    name: 'read_removed_notifications',
    text: `-- read_removed_notifications
      SELECT number AS changes, events_number AS events FROM notification_removals WHERE user_id = $1`,
    values: [userId],
    readOnly: true,
  })
  const numbers = row ? parts.map((part) => BigInt(row[part])) : []
  return numbers.reduce((a, b) => (a > b ? a : b), 0n)
}

/** A reader's position in an account's feed. */
export interface FeedPlace {
  userId: string
  parts: readonly FeedPart[]
  after: bigint
}

/**
 * Searches for notifications after any of these places, settled or not. Returns a function that says whether there is
 * one after a place. For the places of one account it may say so because of a notification that is after another one
 * of them.
 */
export async function findNews(
  db: Connection,
  places: readonly FeedPlace[],
): Promise<(place: FeedPlace) => boolean> {
  const news = new Map<FeedPart, Set<string>>()
  for (const part of FEED_PARTS) {
    const ofPart = places.filter(({ parts }) => parts.includes(part))
    if (ofPart.length > 0) news.set(part, await findNewsOf(db, part, lowestOfEach(ofPart)))
  }
  return ({ userId, parts }) => parts.some((part) => news.get(part)?.has(userId))
}

function lowestOfEach(places: readonly FeedPlace[]): Map<string, bigint> {
  const lowest = new Map<string, bigint>()
  for (const { userId, after } of places) {
    const known = lowest.get(userId)
    if (known === undefined || after < known) lowest.set(userId, after)
  }
  return lowest
}

/** The accounts that have notifications after their numbers. One per account is enough, however far behind its number is. */
async function findNewsOf(
  db: Connection,
  part: FeedPart,
  accounts: ReadonlyMap<string, bigint>,
): Promise<Set<string>> {
  const { isOn } = db.distribution
  const rows = await db.query<{ user_id: string }>({
    name: `find_news${isOn ? '_on_machines' : ''}_of_${part}`,
    // Citus joins the given rows with its shards, but cannot run a lateral query for each row.
    text: isOn
      ? `-- find_news_on_machines
        SELECT DISTINCT n.user_id FROM unnest($1::uuid[], $2::bigint[]) AS a (user_id, after)
        JOIN notifications n ON n.user_id = a.user_id AND n.number > a.after
        WHERE n.user_id = ANY ($1::uuid[]) AND ${PART_CONDITION[part]}`
      : `-- find_news
        SELECT a.user_id FROM unnest($1::uuid[], $2::bigint[]) AS a (user_id, after)
        WHERE EXISTS (
          SELECT FROM notifications n WHERE n.user_id = a.user_id AND n.number > a.after AND ${PART_CONDITION[part]} OFFSET 0
        )`,
    values: [plainArray([...accounts.keys()]), plainArray([...accounts.values()].map(String))],
    readOnly: true,
  })
  return new Set(rows.map(({ user_id }) => user_id))
}
