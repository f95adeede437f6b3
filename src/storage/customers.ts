import { v7 as uuidv7 } from 'uuid'
import type { Customer } from '../domain/records.ts'
import { NOW } from './database/clock.ts'
import type { Connection } from './database/connection.ts'
import { ENTER_TURNSTILE, IS_FRESH, type ListedRow, type Page, readPage } from './lists/list-page.ts'
import { ListQuery } from './lists/list-query.ts'

interface CustomerRow {
  id: string
  user_id: string
  external_id: string
  name: string | null
  created_at: Date
}

const COLUMNS = 'id, user_id, external_id, name, created_at'

const toCustomer = (row: CustomerRow): Customer => ({
  id: row.id,
  userId: row.user_id,
  externalId: row.external_id,
  name: row.name,
  createdAt: row.created_at,
})

/** Stores a new customer; null if the account has one with this external_id. */
export async function insertCustomer(
  db: Connection,
  customer: Pick<Customer, 'userId' | 'externalId' | 'name'>,
): Promise<Customer | null> {
  const [row] = await db.query<CustomerRow>({
    name: 'insert_customer',
    text: `-- insert_customer
      WITH turnstile AS MATERIALIZED (${ENTER_TURNSTILE})
      INSERT INTO customers (user_id, id, external_id, name, created_at)
      SELECT $2::uuid, $3, $4, $5, ${NOW} FROM turnstile
      ON CONFLICT (user_id, external_id) DO NOTHING
      RETURNING ${COLUMNS}`,
    values: ['customers', customer.userId, uuidv7(), customer.externalId, customer.name],
  })
  return row ? toCustomer(row) : null
}

/** Those of the account's customers that have these ids. */
export async function findCustomers(
  db: Connection,
  userId: string,
  ids: readonly string[],
): Promise<Customer[]> {
  const rows = await db.query<CustomerRow>({
    name: 'find_customers',
    text: `-- find_customers
      SELECT ${COLUMNS} FROM customers WHERE user_id = $1 AND id = ANY ($2)`,
    values: [userId, ids],
  })
  return rows.map(toCustomer)
}

/** Those of the account's customers that have these external ids. */
export async function findCustomersByExternalId(
  db: Connection,
  userId: string,
  externalIds: readonly string[],
): Promise<Customer[]> {
  const rows = await db.query<CustomerRow>({
    name: 'find_customers_by_external_id',
    text: `-- find_customers_by_external_id
      SELECT ${COLUMNS} FROM customers WHERE user_id = $1 AND external_id = ANY ($2)`,
    values: [userId, externalIds],
  })
  return rows.map(toCustomer)
}

/** Sets the name; null if the account has no such customer. */
export async function renameCustomer(
  db: Connection,
  userId: string,
  id: string,
  name: string | null,
): Promise<Customer | null> {
  const [row] = await db.query<CustomerRow>({
    name: 'rename_customer',
    text: `-- rename_customer
      UPDATE customers SET name = $3 WHERE user_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
    values: [userId, id, name],
  })
  return row ? toCustomer(row) : null
}

export interface CustomerFilter {
  userId: string
  externalId: string | undefined
  /** Position of the record to continue after. */
  after: string | null
  order: 'asc' | 'desc'
  limit: number
}

export async function listCustomers(db: Connection, filter: CustomerFilter): Promise<Page<Customer>> {
  const { rows, hasMore } = await readPage(
    db,
    { name: 'customers', userId: filter.userId },
    filter,
    (count, upTo) => {
      const query = new ListQuery()
        .where('user_id', '=', filter.userId)
        .where('external_id', '=', filter.externalId)
        .after(filter.after, filter.order)
        .where('position', '<=', upTo)
      return db.query<CustomerRow & ListedRow>({
        text: `-- list_customers
          SELECT ${COLUMNS}, position, ${IS_FRESH} AS fresh FROM customers
          WHERE ${query.conditions} ORDER BY position ${filter.order} LIMIT ${query.parameter(count)}`,
        values: query.values,
      })
    },
  )
  return { rows: rows.map(toCustomer), hasMore }
}

/** A customer's position in the account's list; null if there is no such customer. */
export async function findCustomerPosition(
  db: Connection,
  userId: string,
  id: string,
): Promise<string | null> {
  const [row] = await db.query<{ position: string }>({
    name: 'find_customer_position',
    text: `-- find_customer_position
      SELECT position FROM customers WHERE user_id = $1 AND id = $2`,
    values: [userId, id],
  })
  return row?.position ?? null
}
