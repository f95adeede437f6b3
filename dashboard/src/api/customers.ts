import { queryOptions } from '@tanstack/react-query'
import { get, patch, post } from './client.ts'
import type { Customer, Page } from './records.ts'

interface CustomersQuery {
  after?: string | undefined
  external_id?: string | undefined
  limit?: number
}

export const customersQuery = (query: CustomersQuery = {}) =>
  queryOptions({
    queryKey: ['customers', 'list', query],
    queryFn: ({ signal }) =>
      get<Page<Customer>>('/v1/customers', { order: 'desc', limit: 50, ...query }, signal),
  })

/** For choosing among them: the newest hundred. */
export const customerChoicesQuery = customersQuery({ limit: 100 })

export const customerQuery = (id: string) =>
  queryOptions({
    queryKey: ['customers', 'one', id],
    queryFn: ({ signal }) => get<Customer>(`/v1/customers/${encodeURIComponent(id)}`, {}, signal),
  })

export const createCustomer = (body: { external_id: string; name?: string }): Promise<Customer> =>
  post('/v1/customers', body)

/** Null leaves it without a name; the external_id never changes. */
export const renameCustomer = (id: string, name: string | null): Promise<Customer> =>
  patch(`/v1/customers/${id}`, { name })
