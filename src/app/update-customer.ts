import { type Customer, renameCustomer } from '../storage/customers.ts'
import type { App } from './app.ts'
import { customerNotFound } from './not-found.ts'

/** Sets the customer's name; its external_id never changes. */
export async function updateCustomer(
  app: App,
  userId: string,
  id: string,
  name: string | null,
): Promise<Customer> {
  const customer = await renameCustomer(app.db.writes.for(userId), userId, id, name)
  if (!customer) throw customerNotFound({ id })
  return customer
}
