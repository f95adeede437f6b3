import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type AccountChanges, accountQuery, updateAccount } from '../../api/account.ts'
import type { Tagged } from '../../api/client.ts'
import type { Account } from '../../api/records.ts'
import { useToast } from '../../components/ui/toast.tsx'

/** To change the account as it is shown. */
export function useAccountChange(account: Tagged<Account>, done: string) {
  const queryClient = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: (changes: AccountChanges) => updateAccount(account, changes),
    onSuccess: (changed) => {
      queryClient.setQueryData(accountQuery.queryKey, changed)
      // Its days are others.
      void queryClient.invalidateQueries({ queryKey: ['overview'] })
      toast(done)
    },
    // Somebody else may have changed it: then that is shown.
    onError: () => queryClient.invalidateQueries(accountQuery),
  })
}
