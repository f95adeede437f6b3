import { NOTIFICATION_TYPES, type NotificationType } from '../../../src/core/notification-types.ts'
import { ApiError, get, open } from '../api/client.ts'
import type { Notification } from '../api/records.ts'
import { readEventStream } from './event-stream.ts'

export interface FeedFilters {
  type?: NotificationType | undefined
  /** A UUID. */
  customer?: string | undefined
}

/** A notification and the cursor after it, if that is known. */
export interface FeedItem {
  notification: Notification
  cursor: string | null
}

/** A part of the feed in the requested order. */
export interface FeedPart {
  items: FeedItem[]
  /** Where to continue. Null if the cursor has not moved. */
  cursor: string | null
  hasMore: boolean
}

interface PageQuery {
  order?: 'asc' | 'desc'
  after?: string | null
  limit?: number
  /** Seconds. */
  wait?: number
}

const PATH = '/v1/notifications'
const ALL_TYPES = NOTIFICATION_TYPES.join(',')
const PAGE_SIZE = 100
const LONG_POLL_SECONDS = 25
/** The service sends a heartbeat every 15 s. */
const SILENCE_TIMEOUT_MS = 40_000
/** A stream starts immediately unless a proxy buffers it. */
const STREAM_START_TIMEOUT_MS = 8_000
/** A proxy has cut off a stream that ends sooner. */
const MIN_STREAM_MS = 10_000

interface NotificationPage {
  data: Notification[]
  next_cursor: string
  has_more: boolean
}

const readPage = (
  { type, customer }: FeedFilters,
  pageQuery: PageQuery,
  signal = new AbortController().signal,
): Promise<NotificationPage> =>
  get(
    PATH,
    { ...pageQuery, types: type, customer_id: customer },
    AbortSignal.any([signal, AbortSignal.timeout(SILENCE_TIMEOUT_MS)]),
  )

async function readPart(filters: FeedFilters, pageQuery: PageQuery, signal?: AbortSignal) {
  const { data, next_cursor: cursor, has_more } = await readPage(filters, pageQuery, signal)
  const items = data.map((notification, i) => ({
    notification,
    cursor: i === data.length - 1 ? cursor : null,
  }))
  return { items, cursor, hasMore: has_more } satisfies FeedPart
}

/** Pages that are read in a row while nothing matches the filters. */
const MAX_EMPTY_PAGES = 5

/** Reads notifications before the cursor, or the newest, newest first. An empty part may have more behind it. */
export async function readBackwards(
  filters: FeedFilters,
  after: string | null,
  limit: number,
  signal?: AbortSignal,
): Promise<FeedPart> {
  for (let page = 1; ; page++) {
    const part = await readPart(filters, { order: 'desc', after, limit }, signal)
    if (part.items.length > 0 || !part.hasMore || page === MAX_EMPTY_PAGES) return part
    after = part.cursor
  }
}

/** The current end of the feed, including event notifications. Later notifications come after it, with any filters. */
export const readEnd = async (signal: AbortSignal): Promise<string> =>
  (await get<NotificationPage>(PATH, { order: 'desc', limit: 1, types: ALL_TYPES }, signal)).next_cursor

/** More than one page follows the cursor: reload from the end instead of catching up. */
export class TooFarBehind extends Error {}

/** The position of a reader of the feed. */
export interface Following {
  filters: FeedFilters
  cursor: string
  /** Long polls are used if a proxy blocks streams or the account has too many streams. */
  isPolling: boolean
}

/** Follows the feed from the cursor until the stream ends, or for one long poll. Throws if the stream breaks. `onPart` gets
 * new notifications, oldest first, after the cursor has moved past them. It is also called without notifications.
 * @throws TooFarBehind
 */
export async function follow(
  following: Following,
  onPart: (items: FeedItem[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const { filters, cursor: after, isPolling } = following
  const take = ({ items, cursor }: FeedPart) => {
    following.cursor = cursor ?? following.cursor
    onPart(items)
  }
  const wait = isPolling ? LONG_POLL_SECONDS : 0
  let page = await readPart(filters, { after, limit: PAGE_SIZE, wait }, signal)
  // Pages without a match are skipped quickly.
  while (page.hasMore && page.items.length === 0) {
    take(page)
    page = await readPart(filters, { after: following.cursor, limit: PAGE_SIZE }, signal)
  }
  if (page.hasMore) throw new TooFarBehind()
  take(page)
  if (isPolling) return
  const startedAt = performance.now()
  const isShort = () => performance.now() - startedAt < MIN_STREAM_MS
  try {
    for await (const part of readStream(filters, following.cursor, signal)) take(part)
  } catch (error) {
    const shouldPoll = error instanceof ApiError ? error.code === 'RATE_LIMITED' : isShort()
    if (!shouldPoll) throw error
  }
  if (isShort()) following.isPolling = true
}

async function* readStream(
  { type, customer }: FeedFilters,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<FeedPart> {
  const silence = new AbortController()
  let timer = setTimeout(
    () => silence.abort(new Error('The stream does not begin.')),
    STREAM_START_TIMEOUT_MS,
  )
  try {
    const query = { after, types: type, customer_id: customer }
    const either = AbortSignal.any([signal, silence.signal])
    const body = await open(PATH, query, 'text/event-stream', either)
    for await (const events of readEventStream(body)) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(new Error('The stream fell silent.')), SILENCE_TIMEOUT_MS)
      const items = events
        .filter(({ data }) => data !== '')
        .map(({ id, data }) => ({ notification: JSON.parse(data) as Notification, cursor: id }))
      yield { items, cursor: events.findLast(({ id }) => id !== null)?.id ?? null, hasMore: false }
    }
  } finally {
    clearTimeout(timer)
  }
}
