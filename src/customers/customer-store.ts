import { v7 as uuidv7 } from 'uuid'
import type { Versioned } from '../core/records.ts'
import type { Metadata } from '../kernel/metadata.ts'
import { NOW } from '../platform/database/clock.ts'
import { Columns } from '../platform/database/columns.ts'
import type { Connection, Statement } from '../platform/database/connection.ts'
import { ENTER_INSERT_BARRIERS } from '../platform/database/lists/list-page.ts'
import {
  addPairs,
  holdBriefly,
  METADATA_COLUMNS,
  type MetadataColumns,
  metadataColumns,
  replacePairs,
} from '../platform/database/metadata.ts'
import { versionOf } from '../platform/database/record-version.ts'
import { type Lookup, lookupColumns, lookupRows } from '../platform/database/sql-array.ts'
import type { Customer, CustomerKey } from './customer.ts'

export interface CustomerRow {
  id: string
  user_id: string
  external_id: string
  name: string | null
  created_at: Date
}

export const CUSTOMER_COLUMNS = 'id, user_id, external_id, name, created_at'
const KEY_COLUMNS = 'id, external_id'
/**
 * The version: a hash of all fields that can be changed. A new field that can be changed must be here, or a change of that
 * field leaves the ETag. A customer without metadata keeps the version from before metadata existed.
 */
const VERSION = `CASE WHEN metadata IS NULL THEN ${versionOf('name')} ELSE ${versionOf('name', 'metadata')} END`

/** Without the metadata. */
export const toCustomer = (row: CustomerRow): Omit<Customer, 'metadata'> => ({
  id: row.id,
  userId: row.user_id,
  externalId: row.external_id,
  name: row.name,
  createdAt: row.created_at,
})

type VersionedRow = Versioned<CustomerRow & { metadata: Metadata | null }>
const VERSIONED_COLUMNS = `${CUSTOMER_COLUMNS}, metadata, ${VERSION} AS version`

const toVersioned = (row: VersionedRow): Versioned<Customer> => ({
  ...toCustomer(row),
  metadata: row.metadata ?? {},
  version: row.version,
})

export type NewCustomer = Pick<Customer, 'userId' | 'externalId' | 'name' | 'metadata'>

type NewRow = MetadataColumns & Pick<Customer, 'userId' | 'id' | 'externalId' | 'name'>
const NEW_ROWS = new Columns<NewRow>(
  {
    user_id: ['uuid', ({ userId }) => userId],
    id: ['uuid', ({ id }) => id],
    external_id: ['text', ({ externalId }) => externalId],
    name: ['text', ({ name }) => name],
    ...METADATA_COLUMNS,
  },
  2,
)

// Looks for existing customers first, as with claims. Rows are inserted in one order: of two statements that insert
// the same customers one waits, so they cannot deadlock.
const INSERT_CUSTOMERS = `-- insert_customers
      WITH barriers AS MATERIALIZED (${ENTER_INSERT_BARRIERS}),
      clock AS MATERIALIZED (SELECT ${NOW} AS now FROM barriers),
      new AS MATERIALIZED (
        SELECT * FROM ${NEW_ROWS.as('new', 'place')}
      ),
      inserted AS (
        INSERT INTO customers (user_id, id, external_id, name, metadata, created_at)
        SELECT user_id, id, external_id, name, metadata, now FROM clock, new
        WHERE (
          SELECT true FROM customers AS old WHERE old.user_id = new.user_id AND old.external_id = new.external_id
        ) IS NULL
        ORDER BY user_id, external_id, place
        ON CONFLICT (user_id, external_id) DO NOTHING
        RETURNING ${VERSIONED_COLUMNS}, position
      ),
      noted AS (${addPairs('customers', 'SELECT inserted.user_id, position, id, pairs FROM inserted JOIN new USING (id)')})
      SELECT * FROM inserted`

/** Stores new customers of any accounts. Null for a customer whose external id exists in its account. */
export async function insertCustomers(
  db: Connection,
  customers: readonly NewCustomer[],
): Promise<(Versioned<Customer> | null)[]> {
  const newRows = customers.map(
    (customer): NewRow => ({
      ...customer,
      id: uuidv7(),
      ...metadataColumns(customer.userId, 'customer', customer.metadata),
    }),
  )
  const rows = await db.query<VersionedRow>({
    name: 'insert_customers',
    text: INSERT_CUSTOMERS,
    values: ['customers', ...NEW_ROWS.values(newRows)],
  })
  const inserted = new Map(rows.map((row) => [row.id, toVersioned(row)]))
  return newRows.map(({ id }) => inserted.get(id) ?? null)
}

/** For each request, the account's customers with these ids. */
export const findCustomers = (db: Connection, lookups: readonly Lookup[]): Promise<CustomerKey[][]> =>
  readCustomers(db, lookups, {
    name: 'find_customers',
    text: `-- find_customers
      SELECT lookup, ${KEY_COLUMNS} FROM ${lookupRows('uuid')} AS named (lookup, user_id, id)
      JOIN customers USING (user_id, id)`,
  })

/** For each request, the account's customers with these external ids. */
export const findCustomersByExternalId = (
  db: Connection,
  lookups: readonly Lookup[],
): Promise<CustomerKey[][]> =>
  readCustomers(db, lookups, {
    name: 'find_customers_by_external_id',
    text: `-- find_customers_by_external_id
      SELECT lookup, ${KEY_COLUMNS} FROM ${lookupRows('text')} AS named (lookup, user_id, external_id)
      JOIN customers USING (user_id, external_id)`,
  })

async function readCustomers(
  db: Connection,
  lookups: readonly Lookup[],
  statement: Statement,
): Promise<CustomerKey[][]> {
  const found: CustomerKey[][] = lookups.map(() => [])
  const rows = await db.query<{ lookup: number; id: string; external_id: string }>({
    ...statement,
    values: lookupColumns(lookups),
    readOnly: true,
  })
  for (const { lookup, id, external_id: externalId } of rows) found[lookup]?.push({ id, externalId })
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
      SELECT ${VERSIONED_COLUMNS} FROM customers WHERE user_id = $1 AND id = $2`,
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
): Promise<CustomerKey | null> {
  const [found] = await findCustomersByExternalId(db, [{ userId, names: [externalId] }])
  return found?.[0] ?? null
}

/**
 * Changes name and metadata of a customer. Locks the row, so each change starts from the result of the previous one. The wait
 * for the lock is short (`isTransient`).
 * @param change returns the new state; if it throws, nothing changes
 * @returns null if the account has no such customer
 */
export function changeCustomer(
  db: Connection,
  userId: string,
  id: string,
  change: (customer: Versioned<Customer>) => Pick<Customer, 'name' | 'metadata'>,
): Promise<Versioned<Customer> | null> {
  return db.transaction(async (connection) => {
    await holdBriefly(connection)
    const [held] = await connection.query<VersionedRow & { position: string }>({
      name: 'hold_customer',
      text: `-- hold_customer
        SELECT ${VERSIONED_COLUMNS}, position FROM customers WHERE user_id = $1 AND id = $2 FOR NO KEY UPDATE`,
      values: [userId, id],
    })
    if (!held) return null
    const before = toVersioned(held)
    const { name, metadata } = change(before)
    const columns = metadataColumns(userId, 'customer', metadata)
    const [row] = await connection.query<VersionedRow>({
      name: 'change_customer',
      text: `-- change_customer
        UPDATE customers SET name = $3, metadata = $4::jsonb WHERE user_id = $1 AND id = $2
        RETURNING ${VERSIONED_COLUMNS}`,
      values: [userId, id, name, columns.metadata],
    })
    if (metadata !== before.metadata)
      await replacePairs(connection, 'customers', { userId, position: held.position, id }, columns.pairs)
    return toVersioned(row as VersionedRow)
  })
}

/** A customer's position in the account's list. Null if there is no such customer. */
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
