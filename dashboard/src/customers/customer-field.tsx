import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { FormError } from '../components/form-error.tsx'
import { CustomerInput } from './customer-input.tsx'
import { createCustomer } from './customers-api.ts'
import type { useCustomerChoice } from './use-customer-lookup.ts'

interface CustomerFieldProps {
  choice: ReturnType<typeof useCustomerChoice>
  hint: string
  error: string | undefined
  /** Whether a missing customer can be created here. */
  isCreating?: boolean
}

/** The customer field of a form. */
export function CustomerField({ choice, hint, error, isCreating = false }: CustomerFieldProps) {
  return (
    <div className="grid gap-2">
      <Field label="Customer" hint={hint} error={choice.error ?? error}>
        {(props) => (
          <CustomerInput {...props} placeholder="acme" written={choice} onWrite={choice.setWritten} />
        )}
      </Field>
      {isCreating ? <CreateCustomer choice={choice} /> : null}
    </div>
  )
}

/** The state of a creation is shown only while its external_id is in the field. */
function CreateCustomer({ choice }: Pick<CustomerFieldProps, 'choice'>) {
  const queryClient = useQueryClient()
  // The lookup then finds the customer, also if another request has created it meanwhile.
  const lookUpAgain = () => queryClient.invalidateQueries({ queryKey: ['customers'] })
  const creation = useMutation({
    mutationFn: createCustomer,
    onSuccess: lookUpAgain,
    onError: () => void lookUpAgain(),
  })
  if (!choice.isNotFound) return null
  const isForText = creation.variables?.external_id === choice.text
  return (
    <>
      <Button
        className="max-w-full justify-self-start"
        pending={isForText && creation.isPending}
        onClick={() => creation.mutate({ external_id: choice.text })}
      >
        <span className="truncate">
          Create customer <bdi>{choice.text}</bdi>
        </span>
      </Button>
      {isForText ? <FormError error={creation.error} /> : null}
    </>
  )
}
