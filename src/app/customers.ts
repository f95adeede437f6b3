import type { Customer, ExpectedVersions, Versioned } from '../domain/records.ts'
import { isUuid } from '../domain/uuid.ts'
import { ServiceError } from '../errors.ts'
import { type CustomerPage, listCustomers as readCustomers } from '../storage/customer-list.ts'
import { findCustomer, findCustomerPosition, renameCustomer } from '../storage/customers.ts'
import type { App } from './app.ts'
import { whyNotDone } from './changed-since.ts'
import { type PageRequest, resolveCursor } from './cursor.ts'
import { customerNotFound } from './not-found.ts'

/** @throws CUSTOMER_EXTERNAL_ID_CONFLICT */
export async function createCustomer(
  app: App,
  request: { userId: string; externalId: string; name: string | null },
): Promise<Versioned<Customer>> {
  const customer = await app.creations.newCustomers.do(request.userId, request)
  if (!customer) {
    throw new ServiceError(
      'CUSTOMER_EXTERNAL_ID_CONFLICT',
      `A customer with the external_id ${JSON.stringify(request.externalId)} exists already.`,
    )
  }
  return customer
}

export async function getCustomer(app: App, userId: string, id: string): Promise<Versioned<Customer>> {
  const customer = await findCustomer(app.db.reads.for(userId), userId, id)
  if (!customer) throw customerNotFound({ id })
  return customer
}

export interface CustomerListRequest extends PageRequest {
  userId: string
  externalId: string | undefined
  /** The beginning of an external id or of a name. */
  search: string | undefined
}

export async function listCustomers(app: App, request: CustomerListRequest): Promise<CustomerPage> {
  const after = await resolveCursor(request.after, async (id) =>
    isUuid(id) ? findCustomerPosition(app.db.reads.for(request.userId), request.userId, id) : null,
  )
  return readCustomers(app.db.reads.for(request.userId), { ...request, after })
}

/**
 * Sets the customer's name; its external_id never changes.
 * @throws CUSTOMER_NOT_FOUND, PRECONDITION_FAILED
 */
export async function updateCustomer(
  app: App,
  userId: string,
  id: string,
  name: string | null,
  expected: ExpectedVersions,
): Promise<Versioned<Customer>> {
  const customer = await renameCustomer(app.db.writes.for(userId), userId, id, name, expected)
  if (customer) return customer
  throw await whyNotDone('customer', expected, customerNotFound({ id }), () => getCustomer(app, userId, id))
}
