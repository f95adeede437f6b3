import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CopyPlus } from 'lucide-react'
import { useState } from 'react'
import type { ClaimKind } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { FormError } from '../components/form-error.tsx'
import { customersQuery, readCustomer } from '../customers/customers-api.ts'
import type { AnyClaim } from './claims-api.ts'
import { type ClaimBeginning, CreateClaimDialog } from './create-claim-dialog.tsx'

/** Opens the form for a new record with the same customer, contract, clock and metadata. */
export function CreateAnother({ kind, one }: { kind: ClaimKind; one: AnyClaim }) {
  const queryClient = useQueryClient()
  const [begin, setBegin] = useState<ClaimBeginning | null>(null)
  const opening = useMutation({
    mutationFn: async () => {
      if ('id' in one) return readCustomer(one.customer_id)
      const query = customersQuery({ external_id: one.customer_uuid, limit: 1 })
      return (await queryClient.fetchQuery(query)).data[0]
    },
    onSuccess: (customer) =>
      setBegin({
        ...(customer ? { customer } : {}),
        ...(one.schema_id ? { schemaId: one.schema_id } : {}),
        ...(one.test_clock_id ? { clock: one.test_clock_id } : {}),
        contract: one.contract,
        metadata: one.metadata,
      }),
  })
  return (
    <>
      <Button pending={opening.isPending} onClick={() => opening.mutate()}>
        <CopyPlus aria-hidden /> Create another like this
      </Button>
      <FormError error={opening.error} />
      <CreateClaimDialog
        kind={kind}
        begin={begin ?? {}}
        open={begin !== null}
        onOpenChange={() => setBegin(null)}
      />
    </>
  )
}
