import type { App } from '../app.ts'
import { changedMetadata, changedSince, customerNotFound } from '../core/record-errors.ts'
import type { ExpectedVersions, Versioned } from '../core/records.ts'
import { ServiceError, unavailable } from '../kernel/errors.ts'
import type { Metadata, MetadataChange } from '../kernel/metadata.ts'
import { isUuid } from '../kernel/uuid.ts'
import type { Context } from '../platform/database/context.ts'
import { LONG_METADATA_BATCH_SIZE } from '../platform/database/limits.ts'
import { loadLazyColumns } from '../platform/database/lists/lazy-columns.ts'
import { type PageRequest, resolveCursor } from '../platform/database/lists/list-query.ts'
import type { Customer } from './customer.ts'
import { readCustomerMetadata, listCustomers as readCustomers } from './customer-list-store.ts'
import {
  changeCustomer,
  findCustomer,
  findCustomerPosition,
  insertCustomers,
  type NewCustomer,
} from './customer-store.ts'

/** @throws CUSTOMER_EXTERNAL_ID_CONFLICT */
export async function createCustomer(
  { creations }: Pick<App, 'creations'>,
  { userId, write, isInTransaction }: Context,
  fields: Omit<NewCustomer, 'userId'>,
): Promise<Versioned<Customer>> {
  const request = { userId, ...fields }
  const [customer] = isInTransaction
    ? await insertCustomers(write, [request])
    : [await creations.newCustomers.submit(userId, request)]
  if (!customer) {
    throw new ServiceError(
      'CUSTOMER_EXTERNAL_ID_CONFLICT',
      `A customer with the external_id ${JSON.stringify(request.externalId)} exists already.`,
    )
  }
  return customer
}

export async function getCustomer({ userId, read }: Context, id: string): Promise<Versioned<Customer>> {
  const customer = await findCustomer(read, userId, id)
  if (!customer) throw customerNotFound({ id })
  return customer
}

interface CustomerListRequest extends PageRequest {
  externalId: string | undefined
  /** The beginning of an external id or of a name. */
  search: string | undefined
  /** A customer must have all of these pairs. */
  metadata: Metadata | undefined
}

/** A page of a list. Long metadata is loaded while the customers are iterated. */
interface CustomerPage {
  customers: AsyncIterable<StoredCustomer[]>
  /** The value for `after`. Null on the last page. */
  nextCursor: string | null
}

/** Metadata is JSON text. */
type StoredCustomer = Omit<Customer, 'metadata'> & { metadata: string }

export interface CustomerChange {
  /** Null removes the name. Undefined keeps it. */
  name: string | null | undefined
  metadata: MetadataChange | undefined
}

export async function listCustomers(
  { userId, read: db }: Context,
  request: CustomerListRequest,
): Promise<CustomerPage> {
  const after = await resolveCursor(request.after, async (id) =>
    isUuid(id) ? findCustomerPosition(db, userId, id) : null,
  )
  const { rows, next } = await readCustomers(db, { ...request, userId, after })
  const customers = loadLazyColumns(rows, {
    columns: ['metadata'],
    batchSize: LONG_METADATA_BATCH_SIZE,
    key: ({ id }) => id,
    read: (some) =>
      readCustomerMetadata(
        db,
        userId,
        some.map(({ id }) => id),
      ),
    onMissing: () => unavailable('A customer of the page was deleted while it was read.'),
  })
  return { customers, nextCursor: next }
}

/**
 * Changes the customer's name and metadata. Its external_id never changes. Concurrent changes are applied one after
 * the other.
 * @throws CUSTOMER_NOT_FOUND, PRECONDITION_FAILED, VALIDATION_ERROR if there would be too many keys, UNAVAILABLE if
 *   another transaction holds the customer for long
 */
export async function updateCustomer(
  { userId, write }: Context,
  id: string,
  change: CustomerChange,
  expected: ExpectedVersions,
): Promise<Versioned<Customer>> {
  const customer = await changeCustomer(write, userId, id, ({ version, ...before }) => {
    if (expected && !expected.includes(version)) throw changedSince('customer')
    const { name = before.name, metadata } = change
    return {
      name,
      metadata: metadata === undefined ? before.metadata : changedMetadata(before.metadata, metadata),
    }
  })
  if (!customer) throw customerNotFound({ id })
  return customer
}
