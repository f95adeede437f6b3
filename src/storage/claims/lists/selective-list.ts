import { STATUSES } from '../../../domain/claims/lifecycle.ts'
import type { Connection, Statement } from '../../database/connection.ts'
import { type ListedRow, readPage, waitAtTurnstile } from '../../lists/list-page.ts'
import { ListQuery } from '../../lists/list-query.ts'
import { ConditionSql, FRESH, isOfKind, isOneOf } from './claim-conditions.ts'
import { type ClaimFilter, type ClaimPlace, whole } from './claim-selection.ts'
import { findersOf, type Part, restOf, walkOf } from './claim-walk.ts'

/** Entries that a page goes through first: where most records fit, it is full then. */
const GLANCE = 500
/** Entries that it goes through at most: some ten milliseconds. */
const MOST_LOOKED_AT = 10_000
/** What an index finds is put in order if it is less; else the list is gone through. */
const FEW = 10_000
/** Of a subquery that has a limit the plan is its own: conditions around it do not lead to another index. */
const OWN_PLAN = 'LIMIT 1000000000'

/** A record with its place. */
type PlacedRow = ListedRow & { id: string; list_time: Date | null }

/** After what a page begins, with the id of the record that was there; null where nothing is known of it. */
export interface NextPlace extends ClaimPlace {
  id: string | null
}

export interface SelectivePage<Row> {
  rows: Row[]
  /** Null if this is the last page. */
  next: NextPlace | null
}

/**
 * A page of a list in any order, by any filters; no index has all of them together. The list is gone through in its own order
 * with a look at each record, or what one filter finds is put in order if it is little. Where that is not so, a page ends after
 * so many records, with fewer of them than asked for, or none, while others follow.
 */
export async function readSelectivePage<Row>(
  db: Connection,
  asked: ClaimFilter,
  columns: string,
  shown: string,
): Promise<SelectivePage<Row & PlacedRow>> {
  const filter = whole(asked)
  if (!filter || !(await hasClock(db, filter))) return { rows: [], next: null }
  const read = async (parts: readonly Part[], isInOrder: boolean, most: number) => {
    const stop = isInOrder ? await findStop(db, filter, parts, most) : null
    return readParts<Row>(db, filter, parts, { columns, shown, stop, isInOrder })
  }
  const walk = walkOf(filter)
  const glance = walk && (await read(walk, true, GLANCE))
  if (glance && (glance.next === null || glance.rows.length === filter.limit)) return glance
  const few = await findFew(db, filter, walk === null)
  return few ? read([few], false, FEW) : read(walk ?? [], true, MOST_LOOKED_AT)
}

/** False if the test clock that is asked for is not the account's: its index is not by account. */
async function hasClock(db: Connection, { userId, testClockId }: ClaimFilter): Promise<boolean> {
  if (testClockId === undefined) return true
  const rows = await db.query({
    text: `-- has_test_clock
      SELECT FROM test_clocks WHERE user_id = $1 AND id = $2`,
    values: [userId, testClockId],
    readOnly: true,
  })
  return rows.length > 0
}

async function readParts<Row>(
  db: Connection,
  filter: ClaimFilter,
  parts: readonly Part[],
  options: Omit<PageOptions, 'count' | 'upTo' | 'latest'>,
): Promise<SelectivePage<Row & PlacedRow>> {
  const list = { name: 'claims', userId: filter.userId } as const
  // In an order of times a page is read again up to its latest time, not its highest number: of two that are created at the
  // same moment the one may have the earlier time, and the other the lower number.
  let latest: Date | null = null
  const select = async (count: number, upTo: string | null) => {
    const page = pageOf(db, filter, parts, { ...options, count, upTo, latest: upTo === null ? null : latest })
    const rows = await db.query<Row & PlacedRow>({ ...page, readOnly: true })
    if (upTo === null) latest = latestOf(rows.slice(0, filter.limit))
    return rows
  }
  const isOfCreation = filter.sort === undefined || filter.sort === 'created_at'
  // What is on its way before the stop belongs to this page.
  if (isOfCreation && options.stop && (await isFresh(db, filter, options.stop)))
    await waitAtTurnstile(db, list)
  const { rows, hasMore } = isOfCreation
    ? await readPage(db, list, filter, select)
    : beginningOf(await select(filter.limit + 1, null), filter.limit)
  const last = rows.at(-1)
  if (hasMore && last) return { rows, next: { time: last.list_time, position: last.position, id: last.id } }
  return { rows, next: options.stop && { ...options.stop, id: null } }
}

const latestOf = (rows: readonly PlacedRow[]): Date | null =>
  rows.reduce<Date | null>((latest, { list_time: at }) => (latest && at && at <= latest ? latest : at), null)

/** Whether records that come before this place may still be on their way. */
async function isFresh(
  db: Connection,
  filter: ClaimFilter,
  { time, position }: ClaimPlace,
): Promise<boolean> {
  const there = new ListQuery().where('user_id', '=', filter.userId).where('position', '=', position)
  const [row] = time
    ? await db.query<{ fresh: boolean }>({
        text: `-- is_time_fresh
          SELECT $1::timestamptz > clock_timestamp() - interval '1 minute' AS fresh`,
        values: [time],
      })
    : await db.query<{ fresh: boolean }>({
        text: `-- is_place_fresh
          SELECT ${FRESH} FROM claims
          WHERE ${isOfKind(filter.kind)} AND ${isOneOf(STATUSES)} AND ${there.conditions}`,
        values: there.values,
        readOnly: true,
      })
  return row?.fresh ?? true
}

/** On distributed tables parts are of neighbouring moments: what moved on meanwhile may be in two, with another time in each. */
function beginningOf<Row extends PlacedRow>(all: readonly Row[], limit: number) {
  const rows = [...new Map(all.slice(0, limit).map((row) => [row.position, row])).values()]
  return { rows, hasMore: all.length > limit }
}

/** The least of what single filters find, if it is little, or if there is no other way. */
async function findFew(db: Connection, filter: ClaimFilter, isOnlyWay: boolean): Promise<Part | null> {
  const finders = findersOf(filter)
  let least: { part: Part | null; count: number } = { part: null, count: FEW }
  for (const part of finders) {
    const count = await countUpTo(db, filter, part, least.count)
    if (count < least.count) least = { part, count }
    if (count <= filter.limit) break
  }
  // By a time on a test clock: else all that is on it.
  const ofClock = finders.find(({ filters }) => filters.includes('clock')) ?? null
  return least.part ?? (isOnlyWay ? ofClock : null)
}

/** How many an index finds; read of the index alone. */
async function countUpTo(db: Connection, filter: ClaimFilter, part: Part, most: number): Promise<number> {
  const sql = new ConditionSql(filter)
  const [row] = await db.query<{ count: number }>({
    text: `-- count_claims_up_to
      SELECT count(*)::int AS count FROM (SELECT user_id FROM claims WHERE ${conditionsOf(sql, part)} LIMIT ${most}) AS found`,
    values: sql.query.values,
    readOnly: true,
  })
  return row?.count ?? 0
}

const conditionsOf = (sql: ConditionSql, { filters, statuses }: Part) =>
  [...sql.of(filters), ...(statuses.length > 0 ? [isOneOf(statuses)] : [])].join(' AND ')

/**
 * Where to stop going through these parts if not all filters are theirs: the place of the last entry that may be looked at. Null if
 * they end before. Reads the indexes alone, of which not all have positions behind their times: so all records of the last
 * time belong to the page.
 */
async function findStop(
  db: Connection,
  filter: ClaimFilter,
  parts: readonly Part[],
  most: number,
): Promise<ClaimPlace | null> {
  if (parts.every((part) => restOf(filter, part).length === 0)) return null
  const sql = new ConditionSql(filter)
  const { after, order } = filter
  const column = parts.some(({ time }) => time !== null) ? 'time' : 'position'
  const entries = parts.map((part) => {
    const beyond = `${order === 'asc' ? '>' : '<'}${part.time && after?.position ? '=' : ''}`
    const from = after === null ? '' : sql.query.parameter(part.time ? after.time : after.position)
    const key = part.time ?? 'position'
    return `(SELECT ${key} AS ${column} FROM claims
      WHERE ${conditionsOf(sql, part)} ${from && `AND ${key} ${beyond} ${from}`} ORDER BY ${key} ${order} LIMIT ${most})`
  })
  const [row] = await db.query<{ time?: Date; position?: string }>({
    text: `-- find_stop_of_claims
      SELECT ${column} FROM (${entries.join(' UNION ALL ')}) AS entries
      ORDER BY ${column} ${order} OFFSET ${most - 1} LIMIT 1`,
    values: sql.query.values,
    readOnly: true,
  })
  return row ? { time: row.time ?? null, position: row.position ?? null } : null
}

/** What comes after the cursor. */
function afterPlace({ query }: ConditionSql, { after, order }: ClaimFilter, { time }: Part): string {
  if (after === null) return ''
  const beyond = order === 'asc' ? '>' : '<'
  if (time === null) return `AND position ${beyond} ${query.parameter(after.position)}`
  if (after.position === null) return `AND ${time} ${beyond} ${query.parameter(after.time)}`
  return `AND (${time}, position) ${beyond} (${query.parameter(after.time)}, ${query.parameter(after.position)})`
}

function upToStop({ query }: ConditionSql, stop: ClaimPlace | null, { order }: ClaimFilter, { time }: Part) {
  if (stop === null) return ''
  const within = order === 'asc' ? '<=' : '>='
  return `AND ${time ?? 'position'} ${within} ${query.parameter(time ? stop.time : stop.position)}`
}

interface PageOptions {
  columns: string
  shown: string
  count: number
  /** The highest number, in an order of numbers. */
  upTo: string | null
  /** In an order of times, in place of that. */
  latest: Date | null
  stop: ClaimPlace | null
  /** Whether the parts are found in the list's order. */
  isInOrder: boolean
}

function pageOf(
  db: Connection,
  filter: ClaimFilter,
  parts: readonly Part[],
  options: PageOptions,
): Statement {
  const { columns, shown, count, upTo, latest, stop, isInOrder } = options
  const sql = new ConditionSql(filter)
  const { order } = filter
  const end = latest ?? upTo
  const upToEnd = (time: Part['time']) =>
    end === null ? '' : `AND ${(latest && time) ?? 'position'} <= ${sql.query.parameter(end)}`
  const { isOn: isDistributed } = db.distribution
  const pages = parts.map((part, number) => {
    const { time } = part
    const inOrder = time ? `${time} ${order}, position ${order}` : `position ${order}`
    // What is computed is in no index: no plan goes through one in this order.
    const putInOrder = time ? `${time} + interval '0' ${order}, position ${order}` : `position + 0 ${order}`
    const place = `${afterPlace(sql, filter, part)} ${upToStop(sql, stop, filter, part)} ${upToEnd(time)}`
    const found = conditionsOf(sql, part)
    const rest = sql.of(restOf(filter, part)).map((condition) => `AND ${condition}`)
    const page = `ORDER BY ${isInOrder ? inOrder : putInOrder} LIMIT ${count}`
    const listed = `${columns}, position, ${time ?? 'NULL::timestamptz'} AS list_time, ${FRESH}, ${number} AS part`
    // On distributed tables the rows of a subquery with a limit would all go over the network.
    if (rest.length === 0 || isDistributed)
      return `(SELECT ${listed} FROM claims WHERE ${found} ${place} ${rest.join(' ')} ${page})`
    return isInOrder
      ? `(SELECT ${listed} FROM (SELECT * FROM claims WHERE ${found} ${place} ORDER BY ${inOrder} ${OWN_PLAN}) AS claims
          WHERE true ${rest.join(' ')} ${page})`
      : `(SELECT ${listed} FROM (SELECT * FROM claims WHERE ${found} ${OWN_PLAN}) AS claims
          WHERE true ${place} ${rest.join(' ')} ${page})`
  })
  const all = `ORDER BY list_time ${order}, position ${order}`
  // There the parts are read one after the other, in the order of the statuses, which claims never go back: none is missed, and
  // of one that is there twice the later is taken.
  const [once, laterFirst] = isDistributed ? ['DISTINCT ON (list_time, position)', ', part DESC'] : ['', '']
  return {
    text: `-- select_claims
      SELECT ${shown}, position, list_time, fresh FROM (
        SELECT ${once} * FROM (${pages.join('\nUNION ALL ')}) AS pages ${all}${laterFirst} LIMIT ${count}
      ) AS page ${all}`,
    values: sql.query.values,
  }
}
