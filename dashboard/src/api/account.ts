import { queryOptions } from '@tanstack/react-query'
import { get, patch, type Tagged } from './client.ts'
import type { Account } from './records.ts'

/** Who is signed in. */
export const accountQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => get<Tagged<Account>>('/v1/me'),
  staleTime: Number.POSITIVE_INFINITY,
})

/** If it was changed since, it is not. */
export const setCurrency = (base: Tagged<Account>, currency: string | null): Promise<Tagged<Account>> =>
  patch('/v1/me', { currency }, base)
