import { queryOptions } from '@tanstack/react-query'
import type { Contract } from '../../../src/domain/contract/contract.ts'
import { get, patch, post, remove, type Tagged } from './client.ts'
import type { ClaimSchema } from './records.ts'

/** All of the account's, oldest first. */
export const schemasQuery = queryOptions({
  queryKey: ['schemas', 'list'],
  queryFn: ({ signal }) => get<{ data: ClaimSchema[] }>('/v1/schemas', {}, signal).then(({ data }) => data),
})

export const schemaQuery = (id: string) =>
  queryOptions({
    queryKey: ['schemas', 'one', id],
    queryFn: ({ signal }) => readSchema(id, signal),
  })

export const readSchema = (id: string, signal?: AbortSignal): Promise<Tagged<ClaimSchema>> =>
  get(`/v1/schemas/${encodeURIComponent(id)}`, {}, signal)

export const createSchema = (contract: Contract): Promise<Tagged<ClaimSchema>> =>
  post('/v1/schemas', { contract })

/** If it was changed since, it is not. */
export const updateSchema = (base: Tagged<ClaimSchema>, contract: Contract): Promise<Tagged<ClaimSchema>> =>
  patch(`/v1/schemas/${base.id}`, { contract }, base)

/** Claims keep their copy of its contract. */
export const deleteSchema = (id: string): Promise<void> => remove(`/v1/schemas/${id}`)
