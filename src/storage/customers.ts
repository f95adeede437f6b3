import { v7 as uuidv7 } from 'uuid'
import type { Customer, ExpectedVersions, Versioned } from '../domain/records.ts'
import { type AskedNames, askedColumns } from './database/asked-names.ts'
import { NOW } from './database/clock.ts'
import type { Connection, Statement } from './database/connection.ts'
import { plainArray } from './database/sql-array.ts'
import { ENTER_TURNSTILES } from './lists/list-page.ts'
import { isExpected, versionOf } from './record-version.ts'

export interface CustomerRow {
  id: string
  user_id: string
  external_id: string
  name: string | null
  created_at: Date
}

export const CUSTOMER_COLUMNS = 'id, user_id, external_id, name, created_at'
/** Of the one column that can be changed. */
const VERSION = versionOf('name')

export const toCustomer = (row: CustomerRow): Customer => ({
  id: row.id,
  userId: row.user_id,
  externalId: row.external_id,
  name: row.name,
  createdAt: row.created_at,
})

type VersionedRow = Versioned<CustomerRow>

const toVersioned = (row: VersionedRow): Versioned<Customer> => ({ ...toCustomer(row), version: row.version })

export type NewCustomer = Pick<Customer, 'userId' | 'externalId' | 'name'>

/** Stores new customers, of any accounts. Each is null if its account has one with this external_id. */
export async function insertCustomers(
  db: Connection,
  customers: readonly NewCustomer[],
): Promise<(Versioned<Customer> | null)[]> {
  const ids = customers.map(() => uuidv7())
  const rows = await db.query<VersionedRow>({
    name: 'insert_customers',
    // One that is there already is looked for first, as with claims.
    // In one order for all: whoever else inserts some of them then waits for this one, and not each for the other.
    text: `-- insert_customers
      WITH turnstiles AS MATERIALIZED (${ENTER_TURNSTILES}),
      clock AS MATERIALIZED (SELECT ${NOW} AS now FROM turnstiles)
      INSERT INTO customers (user_id, id, external_id, name, created_at)
      SELECT user_id, id, external_id, name, now
      FROM clock, unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[]) WITH ORDINALITY
        AS new (user_id, id, external_id, name, place)
      WHERE (
        SELECT true FROM customers AS old WHERE old.user_id = new.user_id AND old.external_id = new.external_id
      ) IS NULL
      ORDER BY user_id, external_id, place
      ON CONFLICT (user_id, external_id) DO NOTHING
      RETURNING ${CUSTOMER_COLUMNS}, ${VERSION} AS version`,
    values: [
      'customers',
      plainArray(customers.map(({ userId }) => userId)),
      plainArray(ids),
      customers.map(({ externalId }) => externalId),
      customers.map(({ name }) => name),
    ],
  })
  const inserted = new Map(rows.map((row) => [row.id, toVersioned(row)]))
  return ids.map((id) => inserted.get(id) ?? null)
}

/** Of each, those of the account's customers that have these ids. */
export const findCustomers = (db: Connection, asked: readonly AskedNames[]): Promise<Customer[][]> =>
  readCustomers(db, asked, {
    name: 'find_customers',
    text: `-- find_customers
      SELECT asking, ${CUSTOMER_COLUMNS} FROM unnest($1::integer[], $2::uuid[], $3::uuid[]) AS named (asking, user_id, id)
      JOIN customers USING (user_id, id)`,
  })

/** Of each, those of the account's customers that have these external ids. */
export const findCustomersByExternalId = (
  db: Connection,
  asked: readonly AskedNames[],
): Promise<Customer[][]> =>
  readCustomers(db, asked, {
    name: 'find_customers_by_external_id',
    text: `-- find_customers_by_external_id
      SELECT asking, ${CUSTOMER_COLUMNS} FROM unnest($1::integer[], $2::uuid[], $3::text[]) AS named (asking, user_id, external_id)
      JOIN customers USING (user_id, external_id)`,
  })

async function readCustomers(
  db: Connection,
  asked: readonly AskedNames[],
  statement: Statement,
): Promise<Customer[][]> {
  const found: Customer[][] = asked.map(() => [])
  const rows = await db.query<CustomerRow & { asking: number }>({
    ...statement,
    values: askedColumns(asked),
    readOnly: true,
  })
  for (const row of rows) found[row.asking]?.push(toCustomer(row))
  return found
}

/** Null if the account has no such customer. */
export async function findCustomer(
  db: Connection,
  userId: string,
  id: string,
): Promise<Versioned<Customer> | null> {
  const [row] = await db.query<VersionedRow>({
    name: 'find_customer',
    text: `-- find_customer
      SELECT ${CUSTOMER_COLUMNS}, ${VERSION} AS version FROM customers WHERE user_id = $1 AND id = $2`,
    values: [userId, id],
    readOnly: true,
  })
  return row ? toVersioned(row) : null
}

/** Null if the account has no such customer. */
export async function findCustomerByExternalId(
  db: Connection,
  userId: string,
  externalId: string,
): Promise<Customer | null> {
  const [found] = await findCustomersByExternalId(db, [{ userId, names: [externalId] }])
  return found?.[0] ?? null
}

/** Sets the name; null if the account has no such customer, or none of a version that is expected. */
export async function renameCustomer(
  db: Connection,
  userId: string,
  id: string,
  name: string | null,
  expected: ExpectedVersions,
): Promise<Versioned<Customer> | null> {
  const [row] = await db.query<VersionedRow>({
    name: 'rename_customer',
    text: `-- rename_customer
      UPDATE customers SET name = $3 WHERE user_id = $1 AND id = $2 AND ${isExpected(VERSION, '$4')}
      RETURNING ${CUSTOMER_COLUMNS}, ${VERSION} AS version`,
    values: [userId, id, name, expected],
  })
  return row ? toVersioned(row) : null
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
