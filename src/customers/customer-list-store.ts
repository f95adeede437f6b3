import type { Metadata } from '../kernel/metadata.ts'
import type { Connection } from '../platform/database/connection.ts'
import { IS_FRESH, type ListedRow, readPage, waitForInserts } from '../platform/database/lists/list-page.ts'
import { ListQuery } from '../platform/database/lists/list-query.ts'
import { hasPairs, METADATA, METADATA_IF_SHORT, PAIRS, pairsOf } from '../platform/database/metadata.ts'
import type { Customer } from './customer.ts'
import { CUSTOMER_COLUMNS, type CustomerRow, toCustomer } from './customer-store.ts'
import { MAX_LETTERS_IN_RANGES, MAX_SCANNED_CUSTOMERS, MAX_SORTED_CUSTOMERS } from './limits.ts'

export interface CustomerFilter {
  userId: string
  externalId: string | undefined
  /** The beginning of an external id or of a name, case-insensitive. */
  search: string | undefined
  /** A customer must have all of these pairs. */
  metadata: Metadata | undefined
  /** Position of the record to continue after. */
  after: string | null
  order: 'asc' | 'desc'
  limit: number
}

/** Metadata is JSON. Null if it is long and must be read separately. */
type ListedCustomer = Omit<Customer, 'metadata'> & { metadata: string | null }

export interface CustomerPage {
  rows: ListedCustomer[]
  /** The id of the last customer that the page scanned. Null on the last page. */
  next: string | null
}

/** A filter with indexes. If they find too many customers, the filter is checked on each customer of the list instead. */
interface IndexedFilter {
  /** SQL queries for the ids of the matching customers, one for each index. */
  matchingIds: (query: ListQuery) => string[]
  /** SQL condition: whether a customer matches. */
  matches: (query: ListQuery) => string
}

/**
 * A page of the account's customers, in the order of creation. If a filter is selective, only its matches are read.
 * Otherwise the page scans at most MAX_SCANNED_CUSTOMERS, and may have fewer customers than requested although more follow.
 */
export async function listCustomers(db: Connection, filter: CustomerFilter): Promise<CustomerPage> {
  const { userId } = filter
  const filters = filtersOf(filter)
  const selective = await findSelectiveFilter(db, userId, filters)
  const stop = filters.length > 0 && !selective ? await findStop(db, filter) : null
  const list = { name: 'customers', userId } as const
  // Customers before a fresh stop may be uncommitted. They belong to this page.
  if (stop?.fresh) await waitForInserts(db, list)
  const { rows, hasMore } = await readPage(db, list, filter, (count, upTo) => {
    const query = new ListQuery()
      .where('user_id', '=', userId)
      .where('external_id', '=', filter.externalId)
      .after(filter.after, filter.order)
      .where('position', '<=', upTo)
      .where('position', filter.order === 'asc' ? '<=' : '>=', stop?.position)
    const conditions = filters.map((indexed) =>
      indexed === selective
        ? `id = ANY (ARRAY(${indexed.matchingIds(query).join(' UNION ')}))`
        : indexed.matches(query),
    )
    return db.query<CustomerRow & ListedRow & { metadata: string | null }>({
      text: `-- list_customers
        SELECT ${CUSTOMER_COLUMNS}, ${METADATA_IF_SHORT} AS metadata, position, ${IS_FRESH} AS fresh FROM customers
        WHERE ${[query.conditions, ...conditions].join(' AND ')}
        ORDER BY position ${filter.order} LIMIT ${query.parameter(count)}`,
      values: query.values,
    })
  })
  const next = hasMore ? (rows.at(-1)?.id ?? null) : (stop?.id ?? null)
  return { rows: rows.map((row) => ({ ...toCustomer(row), metadata: row.metadata })), next }
}

/** The metadata of these customers as JSON, by customer id. */
export async function readCustomerMetadata(
  db: Connection,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, { metadata: string }>> {
  const rows = await db.query<{ id: string; metadata: string }>({
    name: 'read_customer_metadata',
    text: `-- read_customer_metadata
      SELECT id, ${METADATA} AS metadata FROM customers WHERE user_id = $1 AND id = ANY ($2::uuid[])`,
    values: [userId, ids],
    readOnly: true,
  })
  return new Map(rows.map(({ id, metadata }) => [id, { metadata }]))
}

function filtersOf({ userId, search, metadata }: CustomerFilter): IndexedFilter[] {
  const filters: IndexedFilter[] = []
  if (search !== undefined) filters.push(searchFilter(search))
  if (metadata) {
    const { table, owner } = PAIRS.customers
    for (const pair of pairsOf(userId, 'customer', metadata))
      filters.push({
        matches: (query) => hasPairs('customers', [pair], (value) => query.parameter(value)),
        matchingIds: (query) => [
          `SELECT ${owner} FROM ${table} WHERE user_id = $1 AND pair = ${query.parameter(pair)}::bigint`,
        ],
      })
  }
  return filters
}

function searchFilter(search: string): IndexedFilter {
  const prefix = prefixOf(search)
  return {
    matches: (query) => matchesSql(query, prefix),
    matchingIds: (query) => matchingIdsSql(query, prefix),
  }
}

/** The first filter whose indexes find fewer than MAX_SORTED_CUSTOMERS. */
async function findSelectiveFilter(
  db: Connection,
  userId: string,
  filters: readonly IndexedFilter[],
): Promise<IndexedFilter | null> {
  for (const filter of filters) {
    const query = new ListQuery().where('user_id', '=', userId)
    const queries = filter.matchingIds(query).map((ids) => `(${ids} LIMIT ${MAX_SORTED_CUSTOMERS})`)
    const [row] = await db.query<{ is_selective: boolean }>({
      text: `-- count_found_customers
        SELECT count(*) < ${MAX_SORTED_CUSTOMERS} AS is_selective FROM (${queries.join(' UNION ALL ')}) AS found`,
      values: query.values,
      readOnly: true,
    })
    if (row?.is_selective) return filter
  }
  return null
}

/** The last customer that a page may scan. Null if fewer than MAX_SCANNED_CUSTOMERS are left. */
async function findStop(
  db: Connection,
  { userId, after, order }: CustomerFilter,
): Promise<{ position: string; id: string; fresh: boolean } | null> {
  const query = new ListQuery().where('user_id', '=', userId).after(after, order)
  const [row] = await db.query<{ position: string; id: string; fresh: boolean }>({
    text: `-- find_stop_of_customers
      SELECT position, id, ${IS_FRESH} AS fresh FROM customers WHERE ${query.conditions}
      ORDER BY position ${order} OFFSET ${MAX_SCANNED_CUSTOMERS - 1} LIMIT 1`,
    values: query.values,
    readOnly: true,
  })
  return row ?? null
}

/*
 * Prefix search of customers by external id or name, case-insensitive (§4.5) by Unicode's simple case folding; A to Z match
 * only a to z. PostgreSQL folds other letters by the locale of the database, or not at all. So the indexes fold only ASCII
 * (`COLLATE "C"`), which is the same in every database. A search lists the case variants of its letters beyond ASCII: each
 * combination of variants of the first of them is an index range, and a condition compares all letters.
 */

const LAST_CHARACTER = 'chr(1114111)'
/** The expressions of the indexes. */
const EXTERNAL_ID = 'lower(external_id COLLATE "C")'
const NAME = 'lower(name COLLATE "C")'

/** A prefix to search for, in any case of its letters. */
export interface Prefix {
  folded: string
  /** ASCII-folded prefixes. A match has one of them. */
  ranges: string[]
  /** Variants of its letters beyond ASCII, in the order of `foldedVariants`. */
  variants: string
  foldedVariants: string
}

/** By folded letter: its variants besides itself and its upper case, such as a final sigma or a capital ẞ. */
const EXTRA_VARIANTS = Map.groupBy(
  '\u00b5ǅǈǋǲ\u0345ςϐϑϕϖϰϱϴϵᲀᲁᲂᲃᲄᲅᲆᲇᲈẛẞᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾼ\u1fbeῌῼ\u2126\u212b',
  foldLetter,
)

/** Folds a letter beyond ASCII if its folded form is one letter beyond ASCII. */
function foldLetter(letter: string): string {
  const oneLetter = (text: string, fallback: string) =>
    text > '\x7f' && [...text].length === 1 ? text : fallback
  return oneLetter(oneLetter(letter.toUpperCase(), letter).toLowerCase(), letter)
}

/** All letters that fold to this one, including itself. */
function variantsOf(folded: string): string[] {
  const candidates = [folded, folded.toUpperCase(), ...(EXTRA_VARIANTS.get(folded) ?? [])]
  return [...new Set(candidates)].filter((letter) => foldLetter(letter) === folded)
}

export function prefixOf(search: string): Prefix {
  const prefix: Prefix = { folded: '', ranges: [''], variants: '', foldedVariants: '' }
  let lettersWithVariants = 0
  for (const character of search) {
    const isAscii = character <= '\x7f'
    const folded = isAscii ? character.toLowerCase() : foldLetter(character)
    const variants = isAscii ? [folded] : variantsOf(folded)
    prefix.folded += folded
    if (variants.length > 1) {
      lettersWithVariants++
      prefix.variants += variants.join('')
      prefix.foldedVariants += folded.repeat(variants.length)
    }
    if (lettersWithVariants <= MAX_LETTERS_IN_RANGES)
      prefix.ranges = prefix.ranges.flatMap((range) => variants.map((letter) => range + letter))
  }
  return prefix
}

/** SQL condition: whether a customer matches. */
function matchesSql(query: ListQuery, prefix: Prefix): string {
  const [folded, variants, foldedVariants] = [prefix.folded, prefix.variants, prefix.foldedVariants].map(
    (text) => `${query.parameter(text)}::text`,
  )
  const startsWith = (column: string) => `translate(${column}, ${variants}, ${foldedVariants}) ^@ ${folded}`
  return `(${startsWith(EXTERNAL_ID)} OR ${startsWith(NAME)})`
}

/** SQL queries for the ids of the matching customers of the account $1, one for each index and range. */
function matchingIdsSql(query: ListQuery, prefix: Prefix): string[] {
  const matches = matchesSql(query, prefix)
  return prefix.ranges.flatMap((range) => {
    const from = `${query.parameter(range)}::text`
    // The bounds are explicit: in a generic plan, PostgreSQL derives no index range from `^@`.
    const ids = (column: string) =>
      `SELECT id FROM customers WHERE user_id = $1 AND ${column} >= ${from} AND ${column} < ${from} || ${LAST_CHARACTER} AND ${matches}`
    return [ids(EXTERNAL_ID), `${ids(NAME)} AND name IS NOT NULL`]
  })
}
