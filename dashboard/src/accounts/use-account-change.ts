import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type AccountChanges, accountQuery, updateAccount } from '../api/account.ts'
import type { Tagged } from '../api/client.ts'
import type { Account } from '../api/records.ts'
import { useToast } from '../components/toast.tsx'

/** A mutation that changes the account. */
export function useAccountChange(account: Tagged<Account>, done: string) {
  const queryClient = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: (changes: AccountChanges) => updateAccount(account, changes),
    onSuccess: (changed) => {
      queryClient.setQueryData(accountQuery.queryKey, changed)
      // The overview depends on the time zone.
      void queryClient.invalidateQueries({ queryKey: ['overview'] })
      toast(done)
    },
    // The account may have changed elsewhere, so show the current one.
    onError: () => queryClient.invalidateQueries(accountQuery),
  })
}
