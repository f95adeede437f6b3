import {
  CLAIM_COLUMNS_IF_SHORT,
  type ListedClaim,
  type ListedClaimRow,
  toClaimWithMetadata,
} from '../claims/claim-columns.ts'
import type { EventSummary } from '../core/notifications.ts'
import type { ClaimNotification, OtherNotification } from '../outbox/outbox-store.ts'
import type { Connection } from '../platform/database/connection.ts'
import { ListQuery } from '../platform/database/lists/list-query.ts'
import { plainArray } from '../platform/database/sql-array.ts'

/** The parts of a feed: single events, which most readers exclude, and all other notifications. */
export const FEED_PARTS = ['changes', 'events'] as const
export type FeedPart = (typeof FEED_PARTS)[number]

/** The SQL condition of each part. Each part has a partial index with this condition. */
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

export interface FeedQuery {
  userId: string
  parts: readonly FeedPart[]
  /** The id of a claim, candidate or test clock: only its notifications. Undefined for all notifications. */
  subjectId: string | undefined
  /** The number of the last notification that the reader has. Null for the first page. */
  after: bigint | null
  /** The highest number that may be read. */
  upTo: bigint
  order: 'asc' | 'desc'
  /** Maximum number of rows. */
  count: number
}

/** Reads the next notifications of the account. With a subject, the parts are ignored. */
export async function readFeed(db: Connection, page: FeedQuery): Promise<FeedRow[]> {
  // One index has the notifications of a subject, whatever their part.
  if (page.subjectId !== undefined) return readPart(db, page, null)
  const [only, ...others] = page.parts
  if (only && others.length === 0) return readPart(db, page, only)
  const rows: FeedRow[] = []
  for (const part of page.parts) rows.push(...(await readPart(db, page, part)))
  const sign = page.order === 'asc' ? 1 : -1
  return rows.sort((a, b) => sign * Number(BigInt(a.number) - BigInt(b.number))).slice(0, page.count)
}

async function readPart(db: Connection, page: FeedQuery, part: FeedPart | null): Promise<FeedRow[]> {
  const { userId, subjectId, after, upTo, order, count } = page
  const query = new ListQuery()
    .where('user_id', '=', userId)
    .where('subject_id', '=', subjectId)
    .where('number', order === 'asc' ? '>' : '<', after)
    .where('number', '<=', upTo)
  const limit = query.parameter(count)
  const partCondition = part ? `AND ${PART_CONDITION[part]}` : ''
  return db.query<FeedRow>({
    name: ['read_feed', order, part ?? 'of', ...(after === null ? [] : ['after'])].join('_'),
    text: `-- read_feed
      SELECT number, subject_id, kind, sequence, status_since, due_at, scheduled_outcome, reminder, created_at
      FROM notifications WHERE ${query.conditions} ${partCondition} ORDER BY number ${order} LIMIT ${limit}`,
    values: query.values,
    readOnly: true,
  })
}

/** The claims and candidates with these ids, by id. Deleted records are missing in the result. */
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
  return new Map(rows.map((row) => [row.id, toClaimWithMetadata(row)]))
}

// OFFSET 0 keeps the planner from a join that reads whole logs: each event is one lookup in the primary key.
const READ_EVENT_SUMMARIES = {
  name: 'read_told_events',
  text: `-- read_told_events
      SELECT e.claim_id, e.seq, e.id, e.type, e.created_at
      FROM unnest($1::uuid[], $2::integer[]) AS wanted (claim_id, seq), LATERAL (
        SELECT claim_id, seq, id, type, created_at FROM claim_events
        WHERE claim_id = wanted.claim_id AND seq = wanted.seq OFFSET 0
      ) AS e`,
}
/** Citus cannot run a lateral query for each row. */
const READ_EVENT_SUMMARIES_ON_CITUS = {
  name: 'read_told_events_on_machines',
  text: `-- read_told_events_on_machines
      SELECT e.claim_id, e.seq, e.id, e.type, e.created_at
      FROM unnest($1::uuid[], $2::integer[]) AS wanted (claim_id, seq)
      JOIN claim_events e ON e.claim_id = wanted.claim_id AND e.seq = wanted.seq
      WHERE e.claim_id = ANY ($1::uuid[])`,
}

/** The events that the rows are about, by `eventKeyOf`. Events of deleted claims are missing in the result. */
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
    ...(db.distribution.isOn ? READ_EVENT_SUMMARIES_ON_CITUS : READ_EVENT_SUMMARIES),
    values: [
      plainArray(rows.map(({ subject_id }) => subject_id)),
      plainArray(rows.map(({ sequence }) => sequence)),
    ],
    readOnly: true,
  })
  return new Map(
    events.map(({ claim_id, seq, id, type, created_at: createdAt }) => [
      eventKeyOf({ subject_id: claim_id, sequence: seq }),
      { id, type, createdAt },
    ]),
  )
}

export const eventKeyOf = ({ subject_id, sequence }: Pick<FeedRow, 'subject_id' | 'sequence'>): string =>
  `${subject_id} ${sequence}`

/** The greatest number of a notification that was removed from these parts of the account's feed. 0 if none was removed. */
export async function readLastRemovedNumber(
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
export interface FeedPosition {
  userId: string
  parts: readonly FeedPart[]
  after: bigint
}

/**
 * Returns a function that says for each of these positions whether there may be a notification after it. If an account has
 * several positions, its lowest position decides for all of them. Notifications of transactions in progress count too.
 */
export async function findNews(
  db: Connection,
  positions: readonly FeedPosition[],
): Promise<(position: FeedPosition) => boolean> {
  const news = new Map<FeedPart, Set<string>>()
  for (const part of FEED_PARTS) {
    const matching = positions.filter(({ parts }) => parts.includes(part))
    if (matching.length > 0) news.set(part, await findNewsOf(db, part, lowestByAccount(matching)))
  }
  return ({ userId, parts }) => parts.some((part) => news.get(part)?.has(userId))
}

function lowestByAccount(positions: readonly FeedPosition[]): Map<string, bigint> {
  const lowest = new Map<string, bigint>()
  for (const { userId, after } of positions) {
    const current = lowest.get(userId)
    if (current === undefined || after < current) lowest.set(userId, after)
  }
  return lowest
}

/** The accounts that have a notification after their number. The search in an account ends with the first notification. */
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
