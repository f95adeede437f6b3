import { isUuid } from '../domain/uuid.ts'
import { type Customer, findCustomerPosition, listCustomers as readCustomers } from '../storage/customers.ts'
import type { Page } from '../storage/list-page.ts'
import type { App } from './app.ts'
import { type PageRequest, resolveCursor } from './cursor.ts'

export interface CustomerListRequest extends PageRequest {
  userId: string
  externalId: string | undefined
}

export async function listCustomers(app: App, request: CustomerListRequest): Promise<Page<Customer>> {
  const after = await resolveCursor(request.after, async (id) =>
    isUuid(id) ? findCustomerPosition(app.db.reads.for(request.userId), request.userId, id) : null,
  )
  return readCustomers(app.db.reads.for(request.userId), { ...request, after })
}
