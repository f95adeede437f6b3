import { queryOptions } from '@tanstack/react-query'
import type { Contract } from '../../../src/domain/contract/contract.ts'
import { get, patch, post, remove } from './client.ts'
import type { ClaimSchema } from './records.ts'

/** All of the account's, oldest first. */
export const schemasQuery = queryOptions({
  queryKey: ['schemas', 'list'],
  queryFn: ({ signal }) => get<{ data: ClaimSchema[] }>('/v1/schemas', {}, signal).then(({ data }) => data),
})

export const schemaQuery = (id: string) =>
  queryOptions({
    queryKey: ['schemas', 'one', id],
    queryFn: ({ signal }) => get<ClaimSchema>(`/v1/schemas/${encodeURIComponent(id)}`, {}, signal),
  })

export const createSchema = (contract: Contract): Promise<ClaimSchema> => post('/v1/schemas', { contract })

export const updateSchema = (id: string, contract: Contract): Promise<ClaimSchema> =>
  patch(`/v1/schemas/${id}`, { contract })

/** Claims keep their copy of its contract. */
export const deleteSchema = (id: string): Promise<void> => remove(`/v1/schemas/${id}`)
