import { ServiceError } from '../errors.ts'
import { type Customer, insertCustomer } from '../storage/customers.ts'
import type { App } from './app.ts'

/** @throws CUSTOMER_EXTERNAL_ID_CONFLICT */
export async function createCustomer(
  app: App,
  request: { userId: string; externalId: string; name: string | null },
): Promise<Customer> {
  const customer = await insertCustomer(app.db.writes.for(request.userId), request)
  if (!customer) {
    throw new ServiceError(
      'CUSTOMER_EXTERNAL_ID_CONFLICT',
      `A customer with the external_id ${JSON.stringify(request.externalId)} exists already.`,
    )
  }
  return customer
}
