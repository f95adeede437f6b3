import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createCustomer } from '../../api/customers.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { CustomerInput } from './customer-input.tsx'
import type { useCustomerChoice } from './use-written-customer.ts'

interface CustomerFieldProps {
  choice: ReturnType<typeof useCustomerChoice>
  hint: string
  error: string | undefined
  /** Whether a customer that is not there yet can be made on the way. */
  isCreating?: boolean
}

/** The customer that a form is about. */
export function CustomerField({ choice, hint, error, isCreating = false }: CustomerFieldProps) {
  return (
    <div className="grid gap-2">
      <Field label="Customer" hint={hint} error={choice.error ?? error}>
        {(props) => <CustomerInput {...props} placeholder="acme" written={choice} onWrite={choice.write} />}
      </Field>
      {isCreating ? <CreateUnknown choice={choice} /> : null}
    </div>
  )
}

function CreateUnknown({ choice }: Pick<CustomerFieldProps, 'choice'>) {
  const queryClient = useQueryClient()
  const creation = useMutation({
    mutationFn: createCustomer,
    // It is found then, if it is still the one that is written.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['customers'] }),
  })
  return (
    <>
      {choice.isUnknown ? (
        <Button
          className="max-w-full justify-self-start"
          pending={creation.isPending}
          onClick={() => creation.mutate({ external_id: choice.text })}
        >
          <span className="truncate">
            Create customer <bdi>{choice.text}</bdi>
          </span>
        </Button>
      ) : null}
      <FormError error={creation.error} />
    </>
  )
}
