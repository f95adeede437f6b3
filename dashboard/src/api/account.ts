import { queryOptions } from '@tanstack/react-query'
import { get, patch, type Tagged, unexpectedResponse } from './client.ts'
import type { Account } from './records.ts'

/** The signed-in account. */
export const accountQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => get<Tagged<Account>>('/v1/me'),
  staleTime: Number.POSITIVE_INFINITY,
})

/** The account that is signed in now. Another tab may have signed in as another account. */
export async function readAccount(signal: AbortSignal): Promise<Account> {
  const account = await get<Account | null>('/v1/me', {}, signal)
  if (typeof account?.id !== 'string') throw unexpectedResponse()
  return account
}

export type AccountChanges = Partial<Pick<Account, 'currency' | 'time_zone'>>

/** Fails with 412 if the account has changed since `base` was read. */
export const updateAccount = (base: Tagged<Account>, changes: AccountChanges): Promise<Tagged<Account>> =>
  patch('/v1/me', changes, base)
