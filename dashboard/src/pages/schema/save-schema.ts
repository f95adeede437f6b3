import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Contract } from '../../../../src/domain/contract/contract.ts'
import { createSchema, updateSchema } from '../../api/schemas.ts'
import { useToast } from '../../components/ui/toast.tsx'

/** Saves a schema, or creates one and goes to its page. */
export function useSaveSchema(id: string | null, onSaved: (contract: Contract) => void) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  return useMutation({
    mutationFn: (contract: Contract) => (id ? updateSchema(id, contract) : createSchema(contract)),
    onSuccess: async (schema) => {
      onSaved(schema.contract)
      queryClient.setQueryData(['schemas', 'one', schema.id], schema)
      void queryClient.invalidateQueries({ queryKey: ['schemas', 'list'] })
      toast(id ? 'Schema saved' : 'Schema created')
      if (!id) await navigate({ to: '/schemas/$id', params: { id: schema.id }, ignoreBlocker: true })
    },
  })
}
