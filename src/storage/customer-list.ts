import type { Customer } from '../domain/records.ts'
import { CUSTOMER_COLUMNS, type CustomerRow, toCustomer } from './customers.ts'
import type { Connection } from './database/connection.ts'
import { IS_FRESH, type ListedRow, readPage, waitAtTurnstile } from './lists/list-page.ts'
import { ListQuery } from './lists/list-query.ts'

export interface CustomerFilter {
  userId: string
  externalId: string | undefined
  /** The beginning of an external id or of a name, whatever the case of its letters. */
  search: string | undefined
  /** Position of the record to continue after. */
  after: string | null
  order: 'asc' | 'desc'
  limit: number
}

export interface CustomerPage {
  rows: Customer[]
  /** After whom the next page begins, by the id; null if this is the last. */
  next: string | null
}

/** What a search finds is put in order if it is less; else the list is gone through, up to so many a page. */
const FEW = 10_000
/**
 * In the words of their indexes. With a generic plan `^@` alone is no range in an index: two bounds are, and it says the rest.
 */
const LAST_CHARACTER = 'chr(1114111)'
const startsWith = (by: string, beginning: string) =>
  `(${by} >= ${beginning} AND ${by} < ${beginning} || ${LAST_CHARACTER} AND ${by} ^@ ${beginning})`
const BY_EXTERNAL_ID = 'lower(external_id) COLLATE "C"'
const BY_NAME = 'lower(name) COLLATE "C"'

/**
 * A page of the account's customers, in the order of creation. If many fit a search, and few of those that are looked at, it
 * has fewer than asked for, though others follow.
 */
export async function listCustomers(db: Connection, filter: CustomerFilter): Promise<CustomerPage> {
  const { userId, search } = filter
  const isBroad = search !== undefined && !(await findsFew(db, userId, search))
  const stop = isBroad ? await findStop(db, filter) : null
  const list = { name: 'customers', userId } as const
  // What is on its way before the stop belongs to this page.
  if (stop?.fresh) await waitAtTurnstile(db, list)
  const { rows, hasMore } = await readPage(db, list, filter, (count, upTo) => {
    const query = new ListQuery()
      .where('user_id', '=', userId)
      .where('external_id', '=', filter.externalId)
      .after(filter.after, filter.order)
      .where('position', '<=', upTo)
      .where('position', filter.order === 'asc' ? '<=' : '>=', stop?.position)
    const found = search === undefined ? 'true' : beginsWith(query, search, isBroad)
    return db.query<CustomerRow & ListedRow>({
      text: `-- list_customers
        SELECT ${CUSTOMER_COLUMNS}, position, ${IS_FRESH} AS fresh FROM customers
        WHERE ${query.conditions} AND ${found} ORDER BY position ${filter.order} LIMIT ${query.parameter(count)}`,
      values: query.values,
    })
  })
  const next = hasMore ? (rows.at(-1)?.id ?? null) : (stop?.id ?? null)
  return { rows: rows.map(toCustomer), next }
}

/** Of few, those that the indexes find; of many, what each record says. */
function beginsWith(query: ListQuery, search: string, isBroad: boolean): string {
  const beginning = `lower(${query.parameter(search)}::text)`
  if (isBroad) return `(${startsWith(BY_EXTERNAL_ID, beginning)} OR ${startsWith(BY_NAME, beginning)})`
  const ids = (by: string) => `SELECT id FROM customers WHERE user_id = $1 AND ${startsWith(by, beginning)}`
  return `id = ANY (ARRAY(${ids(BY_EXTERNAL_ID)} UNION ${ids(BY_NAME)} AND name IS NOT NULL))`
}

async function findsFew(db: Connection, userId: string, search: string): Promise<boolean> {
  const some = (by: string) =>
    `(SELECT user_id FROM customers WHERE user_id = $1 AND ${startsWith(by, 'lower($2::text)')} LIMIT ${FEW})`
  const [row] = await db.query<{ is_few: boolean }>({
    text: `-- count_found_customers
      SELECT count(*) < ${FEW} AS is_few
      FROM (${some(BY_EXTERNAL_ID)} UNION ALL ${some(BY_NAME)}) AS found`,
    values: [userId, search],
    readOnly: true,
  })
  return row?.is_few === true
}

/** The last customer that a page may look at; null if the list ends before. */
async function findStop(
  db: Connection,
  { userId, after, order }: CustomerFilter,
): Promise<{ position: string; id: string; fresh: boolean } | null> {
  const query = new ListQuery().where('user_id', '=', userId).after(after, order)
  const [row] = await db.query<{ position: string; id: string; fresh: boolean }>({
    text: `-- find_stop_of_customers
      SELECT position, id, ${IS_FRESH} AS fresh FROM customers WHERE ${query.conditions}
      ORDER BY position ${order} OFFSET ${FEW - 1} LIMIT 1`,
    values: query.values,
    readOnly: true,
  })
  return row ?? null
}
