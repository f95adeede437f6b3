import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CopyPlus } from 'lucide-react'
import { useState } from 'react'
import type { ClaimKind } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { FormError } from '../components/form-error.tsx'
import { customersQuery, readCustomer } from '../customers/customers-api.ts'
import type { AnyClaim } from './claims-api.ts'
import { type ClaimDefaults, CreateClaimDialog } from './create-claim-dialog.tsx'

/** Opens the form for a new record with the same customer, contract, reminders, clock and metadata. */
export function CreateAnother({ kind, claim }: { kind: ClaimKind; claim: AnyClaim }) {
  const queryClient = useQueryClient()
  const [defaults, setDefaults] = useState<ClaimDefaults | null>(null)
  const opening = useMutation({
    mutationFn: async () => {
      if ('id' in claim) return readCustomer(claim.customer_id)
      const query = customersQuery({ external_id: claim.customer_uuid, limit: 1 })
      return (await queryClient.fetchQuery(query)).data[0]
    },
    onSuccess: (customer) =>
      setDefaults({
        ...(customer ? { customer } : {}),
        ...(claim.schema_id ? { schemaId: claim.schema_id } : {}),
        ...(claim.test_clock_id ? { clock: claim.test_clock_id } : {}),
        contract: claim.contract,
        metadata: claim.metadata,
        reminders: claim.reminders ?? [],
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
        defaults={defaults ?? {}}
        open={defaults !== null}
        onOpenChange={() => setDefaults(null)}
      />
    </>
  )
}
