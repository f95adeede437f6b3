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
export interface Told {
  notification: Notification
  cursor: string | null
}

/** A part of the feed in the requested order. */
export interface FeedPart {
  told: Told[]
  /** Where to continue. Null if the cursor has not moved. */
  cursor: string | null
  hasMore: boolean
}

interface Asked {
  order?: 'asc' | 'desc'
  after?: string | null
  limit?: number
  /** Seconds. */
  wait?: number
}

const PATH = '/v1/notifications'
const ALL_TYPES = NOTIFICATION_TYPES.join(',')
const MOST_AT_ONCE = 100
const LONG_POLL_SECONDS = 25
/** The service sends a heartbeat every 15 s. */
const LONGEST_SILENCE_MS = 40_000
/** A stream starts immediately unless a proxy buffers it. */
const LONGEST_BEGINNING_MS = 8_000
/** A proxy has cut off a stream that ends sooner. */
const SHORTEST_STREAM_MS = 10_000

interface NotificationPage {
  data: Notification[]
  next_cursor: string
  has_more: boolean
}

const readPage = (
  { type, customer }: FeedFilters,
  asked: Asked,
  signal = new AbortController().signal,
): Promise<NotificationPage> =>
  get(
    PATH,
    { ...asked, types: type, customer_id: customer },
    AbortSignal.any([signal, AbortSignal.timeout(LONGEST_SILENCE_MS)]),
  )

async function readPart(filters: FeedFilters, asked: Asked, signal?: AbortSignal) {
  const { data, next_cursor: cursor, has_more } = await readPage(filters, asked, signal)
  const told = data.map((notification, i) => ({
    notification,
    cursor: i === data.length - 1 ? cursor : null,
  }))
  return { told, cursor, hasMore: has_more } satisfies FeedPart
}

/** Pages that are read in a row while nothing matches the filters. */
const MOST_EMPTY_PAGES = 5

/** Reads notifications before the cursor, or the newest, newest first. An empty part may have more behind it. */
export async function readBackwards(
  filters: FeedFilters,
  after: string | null,
  limit: number,
  signal?: AbortSignal,
): Promise<FeedPart> {
  for (let page = 1; ; page++) {
    const part = await readPart(filters, { order: 'desc', after, limit }, signal)
    if (part.told.length > 0 || !part.hasMore || page === MOST_EMPTY_PAGES) return part
    after = part.cursor
  }
}

/** The current end of the feed, including event notifications. Later notifications come after it, with any filters. */
export const readEnd = async (signal: AbortSignal): Promise<string> =>
  (await get<NotificationPage>(PATH, { order: 'desc', limit: 1, types: ALL_TYPES }, signal)).next_cursor

/** More than one page follows the cursor: reload from the end instead of catching up. */
export class FarBehind extends Error {}

/** The position of a reader of the feed. */
export interface Following {
  filters: FeedFilters
  cursor: string
  /** Long polls are used if a proxy blocks streams or the account has too many streams. */
  isPolling: boolean
}

/** Follows the feed from the cursor until the stream ends, or for one long poll. Throws if the stream breaks. `onPart` gets
 * new notifications, oldest first, after the cursor has moved past them. It is also called without notifications.
 * @throws FarBehind
 */
export async function follow(
  following: Following,
  onPart: (told: Told[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const { filters, cursor: after, isPolling } = following
  const take = ({ told, cursor }: FeedPart) => {
    following.cursor = cursor ?? following.cursor
    onPart(told)
  }
  const wait = isPolling ? LONG_POLL_SECONDS : 0
  let missed = await readPart(filters, { after, limit: MOST_AT_ONCE, wait }, signal)
  // Pages without a match are skipped quickly.
  while (missed.hasMore && missed.told.length === 0) {
    take(missed)
    missed = await readPart(filters, { after: following.cursor, limit: MOST_AT_ONCE }, signal)
  }
  if (missed.hasMore) throw new FarBehind()
  take(missed)
  if (isPolling) return
  const begun = performance.now()
  const isShort = () => performance.now() - begun < SHORTEST_STREAM_MS
  try {
    for await (const part of readStream(filters, following.cursor, signal)) take(part)
  } catch (error) {
    const mayPollsFareBetter = error instanceof ApiError ? error.code === 'RATE_LIMITED' : isShort()
    if (!mayPollsFareBetter) throw error
  }
  if (isShort()) following.isPolling = true
}

async function* readStream(
  { type, customer }: FeedFilters,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<FeedPart> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(new Error('The stream does not begin.')), LONGEST_BEGINNING_MS)
  try {
    const query = { after, types: type, customer_id: customer }
    const either = AbortSignal.any([signal, silence.signal])
    const body = await open(PATH, query, 'text/event-stream', either)
    for await (const events of readEventStream(body)) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(new Error('The stream fell silent.')), LONGEST_SILENCE_MS)
      const told = events
        .filter(({ data }) => data !== '')
        .map(({ id, data }) => ({ notification: JSON.parse(data) as Notification, cursor: id }))
      yield { told, cursor: events.findLast(({ id }) => id !== null)?.id ?? null, hasMore: false }
    }
  } finally {
    clearTimeout(timer)
  }
}
