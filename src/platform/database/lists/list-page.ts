import type { Connection } from '../connection.ts'
import { DatabaseUnavailable } from '../database-unavailable.ts'
import { FRESH_INTERVAL, MAX_LOCK_WAIT, MAX_PAGE_READS, NEWEST_FIRST_PAGE_SIZE } from '../limits.ts'

/*
 * Pages that skip no record. Lists are ordered by `position`, a sequence. A sequence number, like a time, is taken before its row
 * is committed, so a page could show number 12 while 11 is not visible yet. A reader that continues after 12 would never see 11.
 * Hence the insert barrier, an advisory lock for each list of an account:
 *
 * - An insert holds the shared lock from before it takes the number until its commit.
 * - A reader whose page ends with fresh records takes the exclusive lock once, which waits for every insert with a lower number.
 *   Then it reads the page again up to the same number.
 *
 * A page is complete up to its last record. Inserts never wait for each other.
 */
export type ListName = 'customers' | 'claims' | 'test_clocks'

/**
 * SQL that takes the shared locks. It must be evaluated before the sequence number is taken. $1 list, $2 user ids, each as often
 * as it occurs. All inserts take the locks in one order: two inserts for several accounts must not wait for each other behind a reader.
 */
export const ENTER_INSERT_BARRIERS = `SELECT count(pg_advisory_xact_lock_shared(hashtext($1), account)) FROM (
        SELECT set_config('lock_timeout', '${MAX_LOCK_WAIT}', true)
      ) AS patience, (
        SELECT DISTINCT hashtext(user_id::text) AS account FROM unnest($2::uuid[]) AS user_id ORDER BY account
      ) AS accounts`

/** SQL for "a record that may have been added together with one that is not visible yet". */
export const FRESH_SINCE = `clock_timestamp() - interval '${FRESH_INTERVAL}'`
export const IS_FRESH = `created_at > ${FRESH_SINCE}`

export interface ListedRow {
  position: string
  fresh: boolean
}

export interface Page<Row> {
  rows: Row[]
  hasMore: boolean
}

/**
 * Reads a page that later commits cannot change, with `select` (at most `count` rows, none above `upTo`).
 * @throws DatabaseUnavailable if records of the page vanish each time that it is read
 */
export async function readPage<Row extends ListedRow>(
  db: Connection,
  list: { name: ListName; userId: string },
  { limit, order }: { limit: number; order: 'asc' | 'desc' },
  select: (count: number, upTo: string | null) => Promise<Row[]>,
): Promise<Page<Row>> {
  for (let read = 0; read < MAX_PAGE_READS; read++) {
    const seen = await select(limit + 1, null)
    const hasMore = seen.length > limit
    const highest = highestOf(seen.slice(0, limit))
    if (!highest?.fresh) return { rows: seen.slice(0, limit), hasMore }

    await waitForInserts(db, list)
    const settled = await select(limit + 1, highest.position)
    const rows = settled.slice(0, limit)
    if (order === 'desc') return { rows, hasMore: settled.length > limit }
    if (!hasMore || rows.length === limit) return { rows, hasMore: hasMore || settled.length > limit }
    // Records vanished, so later records belong to the page. Their inserts must be waited for too.
  }
  throw new DatabaseUnavailable('The list changes too fast to be read.', 'not applied')
}

/** Waits for all records whose numbers or times were taken before. */
export async function waitForInserts(
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

/** A place in a list from the newest record to the oldest. */
export interface Place {
  /** As PostgreSQL writes it, to the microsecond. */
  time: string
  id: string
}

const START: Place = { time: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
/** Yields a list without pages (§4.9, §4.10), newest first. Records that are added meanwhile are not in it. */
export async function* newestFirst<T>(
  readPage: (after: Place, limit: number) => Promise<{ item: T; place: Place }[]>,
): AsyncGenerator<T[]> {
  for (let after = START; ; ) {
    const page = await readPage(after, NEWEST_FIRST_PAGE_SIZE)
    yield page.map(({ item }) => item)
    const last = page.at(-1)
    if (!last || page.length < NEWEST_FIRST_PAGE_SIZE) return
    after = last.place
  }
}
