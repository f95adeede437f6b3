import { STATUSES } from '../../core/claims/lifecycle.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { type ListedRow, type Page, readPage } from '../../platform/database/lists/list-page.ts'
import { ListQuery } from '../../platform/database/lists/list-query.ts'
import { FRESH, isOfKind, isOneOf } from './claim-conditions.ts'
import { whereInRange } from './claim-search.ts'
import type { ClaimFilter } from './claim-selection.ts'

/**
 * A page of a list in the order of positions, by status, customer, schema, test clock or search.
 * @param columns of the table, as the page is read
 * @param shown as its records show them
 */
export async function readPlainPage<Row>(
  db: Connection,
  filter: ClaimFilter,
  columns: string,
  shown: string,
): Promise<Page<Row & ListedRow>> {
  const list = { name: 'claims', userId: filter.userId } as const
  return readPage(db, list, filter, (count, upTo) => {
    const query = conditionsOf(filter, upTo)
    const page = filter.search
      ? searchStatement(filter, query, columns, count)
      : listStatement(filter, query, columns, count, db.distribution.isOn)
    return db.query<Row & ListedRow>({
      ...(columns === shown ? {} : nameOf(filter, count, upTo)),
      text: columns === shown ? page : showing(shown, page, filter),
      values: query.values,
      readOnly: true,
    })
  })
}

/** Rows of a page of the default length and of a full one, with the record that tells of more. */
const USUAL_COUNTS = [51, 101]

/**
 * The usual pages are prepared: to plan one takes many times as long as to read it. Each of them is the beginning of an
 * index, whatever the values are. Searches are not, and lists of schemas and clocks may be of very few or of most.
 */
function nameOf(filter: ClaimFilter, count: number, upTo: string | null): { name?: string } {
  const { kind, order, statuses, customerId, schemaId, testClockId, search, after } = filter
  if (search || schemaId || testClockId || statuses.length > 1 || !USUAL_COUNTS.includes(count)) return {}
  const conditions = { status: statuses[0], customer: customerId, after: after?.position, up_to: upTo }
  const given = Object.entries(conditions).flatMap(([name, value]) => (value ? name : []))
  return { name: ['list', count, kind, order, ...given].join('_') }
}

const showing = (columns: string, page: string, { order }: ClaimFilter) =>
  `${/^--.*\n/.exec(page)}SELECT ${columns}, position, fresh FROM (\n${page}\n) AS page ORDER BY position ${order}`

function conditionsOf(filter: ClaimFilter, upTo: string | null): ListQuery {
  const query = new ListQuery()
    .where('user_id', '=', filter.userId)
    .where('status', '=', filter.statuses.length === 1 ? filter.statuses[0] : null)
    .where('customer_id', '=', filter.customerId)
    .where('schema_id', '=', filter.schemaId)
    .where('test_clock_id', '=', filter.testClockId)
    .after(filter.after?.position ?? null, filter.order)
    .where('position', '<=', upTo)
  return whereInRange(query, filter.search)
}

const isOfStatuses = ({ statuses }: ClaimFilter) => (statuses.length > 1 ? isOneOf(statuses) : 'true')

/**
 * The indexes of an account's list and of a customer's are by status: if all are wanted, a page of each is read, in
 * the order of its index, and of them together the page is the beginning. Those by schema and by clock are not.
 *
 * On distributed tables these pages are read one after the other, each at a time of its own. In the order of the statuses,
 * which claims never go back, none is missed; one that changes its status meanwhile is there twice, and the later one is
 * taken.
 */
function listStatement(
  filter: ClaimFilter,
  query: ListQuery,
  columns: string,
  count: number,
  isDistributed: boolean,
): string {
  const page = `ORDER BY position ${filter.order} LIMIT ${count}`
  const pageWhere = (condition: string) =>
    `SELECT ${columns}, position, ${FRESH} FROM claims
      WHERE ${isOfKind(filter.kind)} AND ${query.conditions} AND ${condition} ${page}`
  const { statuses, schemaId, testClockId } = filter
  const isOfOneIndex = statuses.length === 1 || (schemaId ?? testClockId) !== undefined
  if (isOfOneIndex) return `-- list_claims\n${pageWhere(isOfStatuses(filter))}`
  const asked = statuses.length > 0 ? statuses : STATUSES
  if (isDistributed) {
    const pages = asked.map(
      (status, place) =>
        `(SELECT *, ${place} AS place FROM (${pageWhere(`status = '${status}'`)}) AS p${place})`,
    )
    return `-- list_claims
    SELECT DISTINCT ON (position) * FROM (${pages.join(' UNION ALL ')}) AS pages
    ORDER BY position ${filter.order}, place DESC LIMIT ${count}`
  }
  return `-- list_claims
    SELECT * FROM (
      ${asked.map((status) => `(${pageWhere(`status = '${status}'`)})`).join(' UNION ALL ')}
    ) AS pages ${page}`
}

/**
 * Left to itself the planner may walk through the whole list for the few records that match a search: it cannot know
 * that they are at its end. So what matches is found first, and then put in order; many are not (`withSpan`).
 * `position + 0` is in no index, so no plan walks through the list.
 */
function searchStatement(filter: ClaimFilter, query: ListQuery, columns: string, count: number): string {
  return `-- search_claims
    SELECT ${columns}, position, ${FRESH}
    FROM claims
    WHERE ${isOfKind(filter.kind)} AND user_id = $1 AND position = ANY (ARRAY(
      SELECT position FROM claims
      WHERE ${isOfKind(filter.kind)} AND ${query.conditions} AND ${isOfStatuses(filter)}
      ORDER BY position + 0 ${filter.order} LIMIT ${count}
    ))
    ORDER BY position ${filter.order}`
}
