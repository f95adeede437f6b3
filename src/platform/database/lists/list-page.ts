import type { Connection } from '../connection.ts'
import { DatabaseUnavailable } from '../database-unavailable.ts'

/**
 * Lists are ordered by `position`, a sequence. A sequence number (like a time) is taken before its row is
 * committed, so a page could show number 12 while 11 is still on its way: whoever continues after 12 would
 * never see 11. Hence the turnstile: who adds a record holds a shared lock from before it takes its number
 * until the commit; who reads a page that ends in fresh records waits once for the exclusive lock, that is
 * for every record that may still arrive below the page's highest number, and reads up to that number again.
 * A page is therefore complete up to its highest record, and adding records never waits for adding others.
 */
export type ListName = 'customers' | 'claims' | 'test_clocks'

/**
 * Nobody who adds records waits longer for a reader, nor for a row that is just being changed or inserted: an alias that
 * another's advance moves, say. Then the statement fails (`isTransient`).
 */
export const LONGEST_LOCK_WAIT = '1s'

/**
 * SQL that takes the shared side; put it before what takes the sequence number. $1 list, $2 user ids, of which any may come
 * again. In one order for all: of two who take several, none may hold one that the other waits for behind a reader.
 */
export const ENTER_TURNSTILES = `SELECT count(pg_advisory_xact_lock_shared(hashtext($1), account)) FROM (
        SELECT set_config('lock_timeout', '${LONGEST_LOCK_WAIT}', true)
      ) AS patience, (
        SELECT DISTINCT hashtext(user_id::text) AS account FROM unnest($2::uuid[]) AS user_id ORDER BY account
      ) AS accounts`

/** SQL for "a record that may have been added together with one that is not visible yet". */
export const FRESH_SINCE = "clock_timestamp() - interval '1 minute'"
export const IS_FRESH = `created_at > ${FRESH_SINCE}`

export interface ListedRow {
  position: string
  fresh: boolean
}

export interface Page<Row> {
  rows: Row[]
  hasMore: boolean
}

/** How often a page is read again of which records vanish meanwhile: each time some are deleted, or change their status. */
const MOST_READINGS = 10

/**
 * Reads with `select` (at most `count` rows, none above `upTo`) a page that later commits cannot change.
 * @throws DatabaseUnavailable if records of it vanish again and again
 */
export async function readPage<Row extends ListedRow>(
  db: Connection,
  list: { name: ListName; userId: string },
  { limit, order }: { limit: number; order: 'asc' | 'desc' },
  select: (count: number, upTo: string | null) => Promise<Row[]>,
): Promise<Page<Row>> {
  for (let reading = 0; reading < MOST_READINGS; reading++) {
    const seen = await select(limit + 1, null)
    const hasMore = seen.length > limit
    const highest = highestOf(seen.slice(0, limit))
    if (!highest?.fresh) return { rows: seen.slice(0, limit), hasMore }

    await waitAtTurnstile(db, list)
    const settled = await select(limit + 1, highest.position)
    const rows = settled.slice(0, limit)
    if (order === 'desc') return { rows, hasMore: settled.length > limit }
    if (!hasMore || rows.length === limit) return { rows, hasMore: hasMore || settled.length > limit }
    // Records vanished: those after them belong to the page, and are to be waited for as well.
  }
  throw new DatabaseUnavailable('The list changes too fast to be read.', 'not applied')
}

/** Until all records are there whose numbers, or times, were taken before. */
export async function waitAtTurnstile(
  db: Connection,
  list: { name: ListName; userId: string },
): Promise<void> {
  await db.query({
    name: 'wait_at_turnstile',
    text: 'SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))',
    values: [list.name, list.userId],
  })
}

function highestOf<Row extends ListedRow>(page: readonly Row[]): Row | null {
  return page.reduce<Row | null>(
    (top, row) => (top && BigInt(top.position) > BigInt(row.position) ? top : row),
    null,
  )
}

/** Where a list stands that goes from the newest record to the oldest. */
export interface Place {
  /** As PostgreSQL writes it, to the microsecond. */
  time: string
  id: string
}

const START: Place = { time: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
/** Records that are read at a time: a few milliseconds of the event loop. */
const PAGE = 100

/**
 * A list without pages (§4.9, §4.10), newest first; the next records are read when they are asked for. What is added
 * meanwhile is not there.
 */
export async function* newestFirst<T>(
  readPage: (after: Place, limit: number) => Promise<{ item: T; place: Place }[]>,
): AsyncGenerator<T[]> {
  for (let after = START; ; ) {
    const page = await readPage(after, PAGE)
    yield page.map(({ item }) => item)
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.place
  }
}
