import { type Customer, findCustomers } from '../storage/customers.ts'
import type { App } from './app.ts'
import { customerNotFound } from './not-found.ts'

export async function getCustomer(app: App, userId: string, id: string): Promise<Customer> {
  const [customer] = await findCustomers(app.db.reads.for(userId), userId, [id])
  if (!customer) throw customerNotFound({ id })
  return customer
}
