import { STATUSES } from '../../core/claims/lifecycle.ts'
import type { Connection, Statement } from '../../platform/database/connection.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../platform/database/limits.ts'
import { PAIRS } from '../../platform/database/metadata.ts'
import { ConditionSql, type FilterName, FRESH, filtersOf, isOneOf } from './claim-conditions.ts'
import type { ClaimFilter, ClaimPlace } from './claim-selection.ts'
import { type IndexScan, uncheckedFilters } from './index-scans.ts'

/** SQL for the entries of a scan, from FROM on. It reads only the index. */
export const indexEntriesSql = (sql: ConditionSql, scan: IndexScan) =>
  entriesWhere(scan, conditionsOf(sql, scan))

const entriesWhere = ({ pair }: IndexScan, where: string) =>
  `${pair === undefined ? 'claims' : PAIRS.claims.table} WHERE ${where}`

function conditionsOf(sql: ConditionSql, { filters, statuses, pair }: IndexScan): string {
  if (pair !== undefined)
    return [...sql.of(['user']), `pair = ${sql.query.parameter(pair)}::bigint`].join(' AND ')
  return [...sql.of(filters), ...(statuses.length > 0 ? [isOneOf(statuses)] : [])].join(' AND ')
}

/** Condition for the records after the cursor. */
function afterPlace({ query }: ConditionSql, { after, order }: ClaimFilter, { time }: IndexScan): string {
  if (after === null) return ''
  const beyond = order === 'asc' ? '>' : '<'
  if (time === null) return `AND position ${beyond} ${query.parameter(after.position)}`
  if (after.position === null) return `AND ${time} ${beyond} ${query.parameter(after.time)}`
  return `AND (${time}, position) ${beyond} (${query.parameter(after.time)}, ${query.parameter(after.position)})`
}

function upToStop(
  { query }: ConditionSql,
  stop: ClaimPlace | null,
  { order }: ClaimFilter,
  { time }: IndexScan,
) {
  if (stop === null) return ''
  const within = order === 'asc' ? '<=' : '>='
  return `AND ${time ?? 'position'} ${within} ${query.parameter(time ? stop.time : stop.position)}`
}

/**
 * The claims of a scan with their `place`. A scan of a metadata pair looks up the claim of each entry. A subquery with
 * OFFSET is planned on its own: the conditions and the order of the page do not change its index.
 */
const rowsOf = ({ pair }: IndexScan, where: string, inOrder: string) =>
  pair === undefined
    ? `SELECT * FROM claims WHERE ${where} ${inOrder} OFFSET 0`
    : `SELECT claims.*, place FROM (
            SELECT ${PAIRS.claims.owner} AS entry, position AS place FROM ${PAIRS.claims.table} WHERE ${where} ${inOrder} OFFSET 0
          ) AS entries, LATERAL (SELECT * FROM claims WHERE id = entry OFFSET 0) AS claims ${inOrder} OFFSET 0`

/** The claims of a scan without OFFSET: Citus would send all rows of a subquery with OFFSET over the network. */
const joinOf = ({ pair }: IndexScan, where: string) =>
  pair === undefined
    ? `claims WHERE ${where}`
    : `(SELECT ${PAIRS.claims.owner} AS entry FROM ${PAIRS.claims.table} WHERE ${where}) AS entries
          JOIN claims ON claims.id = entry WHERE true`

/**
 * Whether each of the first `maxEntries` entries of a scan matches the condition. An entry of a metadata pair whose claim
 * was deleted does not.
 */
export function probeSql(
  db: Connection,
  sql: ConditionSql,
  scan: IndexScan,
  condition: string,
  maxEntries: number,
): string {
  // Called once: each call adds parameters, and an unused parameter is an error.
  const where = conditionsOf(sql, scan)
  const entries = entriesWhere(scan, where)
  if (scan.pair === undefined) return `SELECT ${condition} AS matches FROM ${entries} LIMIT ${maxEntries}`
  if (db.distribution.isOn)
    return `SELECT ${condition} AS matches FROM ${joinOf(scan, where)} LIMIT ${maxEntries}`
  return `SELECT ${condition} AS matches FROM (SELECT ${PAIRS.claims.owner} AS entry FROM ${entries} LIMIT ${maxEntries}) AS entries
          LEFT JOIN LATERAL (SELECT * FROM claims WHERE id = entry OFFSET 0) AS claims ON true`
}

export interface PageOptions {
  columns: string
  shown: string
  count: number
  /** Highest position, in an order by position. */
  upTo: string | null
  /** Latest time, in an order by time. */
  latest: Date | null
  stop: ClaimPlace | null
  /** Whether the scans have the order of the list. Otherwise the matches are sorted. */
  isInOrder: boolean
}

/** The statement of a page that is merged from these scans. */
export function pageOf(
  db: Connection,
  filter: ClaimFilter,
  scans: readonly IndexScan[],
  options: PageOptions,
): Statement {
  const { columns, shown, count, upTo, latest, stop, isInOrder } = options
  const sql = new ConditionSql(filter)
  const { order } = filter
  const end = latest ?? upTo
  const upToEnd = (time: IndexScan['time']) =>
    end === null ? '' : `AND ${(latest && time) ?? 'position'} <= ${sql.query.parameter(end)}`
  const { isOn: isDistributed } = db.distribution
  const pages = scans.map((scan, index) => {
    const { time, pair } = scan
    const byPosition = pair === undefined || isDistributed || !isInOrder ? 'position' : 'place'
    const indexOrder = time ? `${time} ${order}, position ${order}` : `${byPosition} ${order}`
    // Citus only, in place of OFFSET: no index contains an expression, so no plan scans an index in this order.
    const expressionOrder = time
      ? `${time} + interval '0' ${order}, position ${order}`
      : `position + 0 ${order}`
    const bounds = `${afterPlace(sql, filter, scan)} ${upToStop(sql, stop, filter, scan)} ${upToEnd(time)}`
    const where = `${conditionsOf(sql, scan)} ${isInOrder ? bounds : ''}`
    const unchecked = sql.of(uncheckedFilters(filter, scan)).map((condition) => `AND ${condition}`)
    const page = `${isInOrder ? '' : bounds} ${unchecked.join(' ')} ORDER BY ${isDistributed && !isInOrder ? expressionOrder : indexOrder} LIMIT ${count}`
    const listed = `${columns}, position, ${time ?? 'NULL::timestamptz'} AS list_time, ${FRESH}, ${index} AS scan`
    if (isDistributed || (isInOrder && unchecked.length === 0))
      return `(SELECT ${listed} FROM ${joinOf(scan, where)} ${page})`
    const rows = rowsOf(scan, where, isInOrder ? `ORDER BY ${indexOrder}` : '')
    return `(SELECT ${listed} FROM (${rows}) AS claims WHERE true ${page})`
  })
  const keys = scans.some(({ time }) => time) ? ['list_time', 'position'] : ['position']
  const listOrder = `ORDER BY ${keys.map((key) => `${key} ${order}`).join(', ')}`
  // On distributed tables the scans are read one after the other in the order of the statuses. Statuses only move
  // forward, so no claim is missed. Of a claim that appears twice the later row is kept.
  const [once, laterFirst] = isDistributed ? [`DISTINCT ON (${keys.join(', ')})`, ', scan DESC'] : ['', '']
  const name = isInOrder ? nameOf(filter, options) : null
  return {
    ...(name && { name }),
    text: `-- ${name ? 'list_claims' : 'select_claims'}
      SELECT ${shown}, position, list_time, fresh FROM (
        SELECT ${once} * FROM (${pages.join('\nUNION ALL ')}) AS pages ${listOrder}${laterFirst} LIMIT ${count}
      ) AS page ${listOrder}`,
    values: sql.query.values,
  }
}

/** Rows of a page of the default length and of the maximum length, with the extra record that shows whether more follow. */
const USUAL_COUNTS = [DEFAULT_PAGE_SIZE + 1, MAX_PAGE_SIZE + 1]
const USUAL_FILTERS: readonly FilterName[] = ['user', 'kind', 'statuses', 'customer']

/** Usual pages are prepared statements: planning takes many times as long as reading. Null for other pages. */
function nameOf(filter: ClaimFilter, { count, upTo }: PageOptions): string | null {
  const { kind, order, statuses, customerId, after } = filter
  const isUsual = [...filtersOf(filter)].every((name) => USUAL_FILTERS.includes(name))
  const isOfAll = statuses.length === STATUSES.length
  if (!isUsual || !USUAL_COUNTS.includes(count) || !(isOfAll || statuses.length === 1)) return null
  const conditions = { [`status_${statuses[0]}`]: !isOfAll, customer: customerId, after, up_to: upTo }
  const given = Object.entries(conditions).flatMap(([name, value]) => (value ? name : []))
  return ['list', count, kind, order, ...given].join('_')
}
