import { queryOptions } from '@tanstack/react-query'
import { get, patch, strangeAnswer, type Tagged } from './client.ts'
import type { Account } from './records.ts'

/** Who is signed in. */
export const accountQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => get<Tagged<Account>>('/v1/me'),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Who is signed in now: somebody else may be, in another tab. */
export async function readAccount(signal: AbortSignal): Promise<Account> {
  const account = await get<Account | null>('/v1/me', {}, signal)
  if (typeof account?.id !== 'string') throw strangeAnswer()
  return account
}

export type AccountChanges = Partial<Pick<Account, 'currency' | 'time_zone'>>

/** If it was changed since, it is not. */
export const updateAccount = (base: Tagged<Account>, changes: AccountChanges): Promise<Tagged<Account>> =>
  patch('/v1/me', changes, base)
