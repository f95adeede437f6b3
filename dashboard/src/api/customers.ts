import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Metadata } from '../../../src/kernel/metadata.ts'
import { get, patch, post, type Tagged } from './client.ts'
import type { MetadataFilters } from './metadata-filters.ts'
import type { Customer, Page } from './records.ts'

interface CustomersQuery extends MetadataFilters {
  after?: string | undefined
  external_id?: string | undefined
  /** The beginning of an external id or of a name. */
  search?: string | undefined
  limit?: number
}

export const customersQuery = (query: CustomersQuery = {}) =>
  queryOptions({
    queryKey: ['customers', 'list', query],
    queryFn: ({ signal }) =>
      get<Page<Customer>>('/v1/customers', { order: 'desc', limit: 50, ...query }, signal),
  })

/** For choosing among them: the newest hundred, or of those that are called so. */
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

/** Null leaves it without a name; the external_id never changes. If it was renamed since, it is not. */
export const renameCustomer = (base: Tagged<Customer>, name: string | null): Promise<Tagged<Customer>> =>
  patch(`/v1/customers/${base.id}`, { name }, base)
