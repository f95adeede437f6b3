import { queryOptions } from '@tanstack/react-query'
import { get } from './client.ts'
import type { Account } from './records.ts'

/** Who is signed in. */
export const accountQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => get<Account>('/v1/me'),
  staleTime: Number.POSITIVE_INFINITY,
})
