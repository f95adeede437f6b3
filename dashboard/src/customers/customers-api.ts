import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Metadata } from '../../../src/kernel/metadata.ts'
import { get, patch, post, type Tagged } from '../api/client.ts'
import type { MetadataFilters } from '../api/metadata-filters.ts'
import type { Customer, Page } from '../api/records.ts'

interface CustomersQuery extends MetadataFilters {
  after?: string | undefined
  external_id?: string | undefined
  /** The start of an external id or name. */
  search?: string | undefined
  limit?: number
}

export const customersQuery = (query: CustomersQuery = {}) =>
  queryOptions({
    queryKey: ['customers', 'list', query],
    queryFn: ({ signal }) =>
      get<Page<Customer>>('/v1/customers', { order: 'desc', limit: 50, ...query }, signal),
  })

/** Customers to choose from: the newest hundred, filtered by the search. */
export const customerChoicesQuery = (search: string) =>
  queryOptions({
    ...customersQuery({ limit: 100, ...(search ? { search } : {}) }),
    placeholderData: keepPreviousData,
  })

export const customerQuery = (id: string) =>
  queryOptions({
    queryKey: ['customers', 'one', id],
    queryFn: ({ signal }) => readCustomer(id, signal),
  })

export const readCustomer = (id: string, signal?: AbortSignal): Promise<Tagged<Customer>> =>
  get(`/v1/customers/${encodeURIComponent(id)}`, {}, signal)

interface NewCustomer {
  external_id: string
  name?: string
  metadata?: Metadata
}

export const createCustomer = (body: NewCustomer): Promise<Customer> => post('/v1/customers', body)

/** Null removes the name. Fails with 412 if the customer has changed since `base` was read. */
export const renameCustomer = (base: Tagged<Customer>, name: string | null): Promise<Tagged<Customer>> =>
  patch(`/v1/customers/${base.id}`, { name }, base)
