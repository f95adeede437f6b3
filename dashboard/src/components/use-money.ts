import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { moneyFormat } from '../../../src/core/contracts/contract-in-words.ts'
import { accountQuery } from '../api/account.ts'

/** Formats amounts in the account's currency and the browser's locale. */
export function useMoney(): (amount: string | number) => string {
  const { data } = useQuery(accountQuery)
  const currency = data?.currency ?? null
  return useMemo(() => moneyFormat(currency), [currency])
}
