import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Contract } from '../../../src/core/contracts/contract.ts'
import type { Tagged } from '../api/client.ts'
import type { ClaimSchema } from '../api/records.ts'
import { useToast } from '../components/toast.tsx'
import { useGuardedSave } from '../components/use-guarded-save.ts'
import { createSchema, readSchema, type SchemaNames, updateSchema } from './schemas-api.ts'

/** Saves the contract of a schema, or creates a schema and opens its page.
 * @param names name and description of a new schema
 */
export function useSaveSchema(
  id: string | null,
  names: SchemaNames,
  onStored: (schema: Tagged<ClaimSchema>, by: 'me' | 'others') => void,
) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  return useGuardedSave<Contract, ClaimSchema>({
    read: () => readSchema(id ?? ''),
    save: (contract, base) => (base ? updateSchema(base, { contract }) : createSchema(contract, names)),
    valuesOf: ({ contract }) => contract,
    onStored: async (schema, by) => {
      onStored(schema, by)
      queryClient.setQueryData(['schemas', 'one', schema.id], schema)
      void queryClient.invalidateQueries({ queryKey: ['schemas', 'list'] })
      if (by === 'me') toast(id ? 'Schema saved' : 'Schema created')
      if (!id) await navigate({ to: '/schemas/$id', params: { id: schema.id }, ignoreBlocker: true })
    },
  })
}
