import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { createCustomer } from '../../api/customers.ts'
import type { Customer } from '../../api/records.ts'
import { type CustomerLookUp, CustomerSelect, lookUpError } from '../customer-select.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'

interface CustomerFieldProps {
  customer: Customer | null
  onChange: (customer: Customer | null) => void
  lookUp: CustomerLookUp | null
  onLookUp: (lookUp: CustomerLookUp | null) => void
  error: string | undefined
}

/** Whose claim it is to be; a customer that is not there yet is made on the way. */
export function CustomerField({ customer, onChange, lookUp, onLookUp, error }: CustomerFieldProps) {
  const unknown = lookUp?.state === 'unknown' ? lookUp.externalId : null
  // Another may be written by the time that one is made.
  const written = useRef<string | null>(null)
  written.current = lookUp?.externalId ?? null
  const queryClient = useQueryClient()
  const creation = useMutation({
    mutationFn: createCustomer,
    onSuccess: (created) => {
      if (written.current === created.external_id) onChange(created)
      return queryClient.invalidateQueries({ queryKey: ['customers'] })
    },
  })
  return (
    <div className="grid gap-2">
      <Field
        label="Customer"
        hint="By its external_id: your own name for it."
        error={lookUpError(lookUp) ?? error}
      >
        {(props) => (
          <CustomerSelect
            {...props}
            placeholder="acme"
            value={customer?.external_id ?? ''}
            by="external_id"
            onChange={onChange}
            onLookUp={onLookUp}
          />
        )}
      </Field>
      {unknown === null ? null : (
        <Button
          className="max-w-full justify-self-start"
          pending={creation.isPending}
          onClick={() => creation.mutate({ external_id: unknown })}
        >
          <span className="truncate">
            Create customer <bdi>{unknown}</bdi>
          </span>
        </Button>
      )}
      <FormError error={creation.error} />
    </div>
  )
}
