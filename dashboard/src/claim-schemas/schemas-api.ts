import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Contract } from '../../../src/core/contracts/contract.ts'
import { get, patch, post, remove, type Tagged } from '../api/client.ts'
import type { ClaimSchema, SchemaVersion } from '../api/records.ts'

/** All schemas of the account, oldest first. */
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

/** Newest first. Refetched when the schema gets a new version. */
export const schemaVersionsQuery = ({ id, version }: ClaimSchema) =>
  queryOptions<SchemaVersion[]>({
    queryKey: ['schemas', 'versions', id, version],
    queryFn: ({ signal }) => readVersions(id, signal),
    placeholderData: keepPreviousData,
  })

const readVersions = (id: string, signal: AbortSignal): Promise<SchemaVersion[]> =>
  get<{ data: SchemaVersion[] }>(`/v1/schemas/${encodeURIComponent(id)}/versions`, {}, signal).then(
    ({ data }) => data,
  )

/** What a schema gives to its claims. */
export interface SchemaTerms {
  contract: Contract
  /** Fractions of the activity window. */
  reminders?: readonly number[]
}

/** Name and description of a schema. */
export type SchemaNames = Pick<ClaimSchema, 'name' | 'description'>

export const NO_NAMES: SchemaNames = { name: null, description: null }

export const createSchema = (
  { contract, reminders = [] }: SchemaTerms,
  names = NO_NAMES,
): Promise<Tagged<ClaimSchema>> => post('/v1/schemas', { contract, reminders, ...names })

/** Fails with 412 if the schema has changed since `base` was read. */
export const updateSchema = (
  base: Tagged<ClaimSchema>,
  changes: Partial<SchemaTerms> | SchemaNames,
): Promise<Tagged<ClaimSchema>> => patch(`/v1/schemas/${base.id}`, changes, base)

/** Claims keep their contract. Fails with 412 if the schema has changed since `base` was read. */
export const deleteSchema = (base: Tagged<ClaimSchema>): Promise<void> =>
  remove(`/v1/schemas/${base.id}`, base)
