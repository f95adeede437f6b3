import type { Connection } from '../../platform/database/connection.ts'
import {
  FRESH_SINCE,
  type ListedRow,
  readPage,
  waitForInserts,
} from '../../platform/database/lists/list-page.ts'
import { FIRST_SCAN_ENTRIES, MAX_SCANNED_ENTRIES } from '../limits.ts'
import { findClaimFrom } from './claim-at-store.ts'
import { ConditionSql } from './claim-conditions.ts'
import { findSelectiveScan, ownsTestClock } from './claim-count-store.ts'
import { type ClaimFilter, type ClaimPlace, withImpliedFilters } from './claim-selection.ts'
import { type IndexScan, orderedScans, testClockScan, uncheckedFilters } from './index-scans.ts'
import { indexEntriesSql, type PageOptions, pageOf } from './list-statement-store.ts'

/** A record with its position and the time of the list's order. */
type PlacedRow = ListedRow & { id: string; list_time: Date | null }

/** The place after which a page begins, with the id of the record there. Null id: after all records of the time. */
export interface NextPlace extends ClaimPlace {
  id: string | null
}

interface Stop extends ClaimPlace {
  /** Start of the next page. Null if no record is left for it. */
  next: NextPlace | null
  /** Whether uncommitted records may still come before it. */
  fresh: boolean
}

export interface ListPage<Row> {
  rows: Row[]
  /** Null on the last page. */
  next: NextPlace | null
}

/**
 * A page of a list in any order with any filters. If the indexes of the list cover all filters, the page is the
 * beginning of their merge. No index covers all combinations of filters. Then the page is found by scanning the list in
 * its order and checking each record, or by sorting the matches of one filter if they are few. Otherwise the page ends
 * after `MAX_SCANNED_ENTRIES` records, possibly with no records although more follow.
 */
export async function readListPage<Row>(
  db: Connection,
  requested: ClaimFilter,
  columns: string,
  shown: string,
): Promise<ListPage<Row & PlacedRow>> {
  const filter = withImpliedFilters(requested)
  if (!filter || !(await ownsTestClock(db, filter))) return { rows: [], next: null }
  const ordered = orderedScans(filter)
  const readInOrder = async (scans: readonly IndexScan[], maxEntries: number) =>
    readScans<Row>(db, filter, scans, {
      columns,
      shown,
      stop: await findStop(db, filter, scans, maxEntries),
      isInOrder: true,
    })
  const first = ordered && (await readInOrder(ordered, FIRST_SCAN_ENTRIES))
  if (first && (first.next === null || first.rows.length === filter.limit)) return first
  const selective = await findSelectiveScan(db, filter)
  if (ordered && !selective) return readInOrder(ordered, MAX_SCANNED_ENTRIES)
  return readScans(db, filter, [selective ?? testClockScan(filter)], {
    columns,
    shown,
    stop: null,
    isInOrder: false,
  })
}

async function readScans<Row>(
  db: Connection,
  filter: ClaimFilter,
  scans: readonly IndexScan[],
  options: Omit<PageOptions, 'count' | 'upTo' | 'latest'> & { stop: Stop | null },
): Promise<ListPage<Row & PlacedRow>> {
  const list = { name: 'claims', userId: filter.userId } as const
  // In an order by time, the second read of a page is bounded by its latest time instead of its highest position: of
  // two records that are created at the same moment, one may have the earlier time and the other the lower position.
  let latest: Date | null = null
  const select = async (count: number, upTo: string | null) => {
    const page = pageOf(db, filter, scans, { ...options, count, upTo, latest: upTo === null ? null : latest })
    const rows = await db.query<Row & PlacedRow>({ ...page, readOnly: true })
    if (upTo === null) latest = latestOf(rows.slice(0, filter.limit))
    return rows
  }
  const isOfCreation = filter.sort === undefined || filter.sort === 'created_at'
  // Uncommitted records before the stop belong to this page.
  if (isOfCreation && options.stop?.fresh) await waitForInserts(db, list)
  const { rows, hasMore } = isOfCreation
    ? await readPage(db, list, filter, select)
    : beginningOf(await select(filter.limit + 1, null), filter.limit)
  const last = rows.at(-1)
  if (hasMore && last) return { rows, next: { time: last.list_time, position: last.position, id: last.id } }
  return { rows, next: options.stop?.next ?? null }
}

const latestOf = (rows: readonly PlacedRow[]): Date | null =>
  rows.reduce<Date | null>((latest, { list_time: at }) => (latest && at && at <= latest ? latest : at), null)

/**
 * On distributed tables each scan has its own snapshot. A record that changes meanwhile may be in two scans, with
 * different times.
 */
function beginningOf<Row extends PlacedRow>(all: readonly Row[], limit: number) {
  const rows = [...new Map(all.slice(0, limit).map((row) => [row.position, row])).values()]
  return { rows, hasMore: all.length > limit }
}

/**
 * The last entry that these scans may read together. Null if they have fewer entries, or if their indexes cover all
 * filters. Reads only indexes. Some indexes do not contain the position, so all records of the last time belong to the
 * page.
 */
async function findStop(
  db: Connection,
  filter: ClaimFilter,
  scans: readonly IndexScan[],
  maxEntries: number,
): Promise<Stop | null> {
  if (scans.every((scan) => uncheckedFilters(filter, scan).length === 0)) return null
  const sql = new ConditionSql(filter)
  const { after, order } = filter
  const isByTime = scans.some(({ time }) => time !== null)
  const entries = scans.map((scan) => {
    const key = scan.time ?? 'position'
    const beyond = `${order === 'asc' ? '>' : '<'}${scan.time && after?.position ? '=' : ''}`
    const from = after === null ? '' : sql.query.parameter(scan.time ? after.time : after.position)
    return `(SELECT ${key} AS place FROM ${indexEntriesSql(sql, scan)} ${from && `AND ${key} ${beyond} ${from}`} ORDER BY ${key} ${order} LIMIT ${maxEntries})`
  })
  const [row] = await db.query<{ place: Date | string; fresh: boolean }>({
    text: `-- find_stop_of_claims
      SELECT place, ${isByTime ? `place > ${FRESH_SINCE}` : 'true'} AS fresh FROM (${entries.join(' UNION ALL ')}) AS entries
      ORDER BY place ${order} OFFSET ${maxEntries - 1} LIMIT 1`,
    values: sql.query.values,
    readOnly: true,
  })
  if (!row) return null
  if (isByTime) {
    const place = { time: row.place as Date, position: null }
    return { ...place, next: { ...place, id: null }, fresh: row.fresh }
  }
  // A cursor names a record. If the record of the last entry is deleted, the next record is taken and belongs to this
  // page.
  const there = await findClaimFrom(db, filter.userId, filter.kind, row.place as string, order)
  const position = there?.position ?? (row.place as string)
  const next = there && { time: null, position, id: there.id }
  return { time: null, position, next, fresh: there?.fresh ?? true }
}
