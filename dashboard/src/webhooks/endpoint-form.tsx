import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import { errorsByPath } from '../api/client.ts'
import type { WebhookEndpoint } from '../api/records.ts'
import { Checkbox } from '../components/checkbox.tsx'
import { SubmitActions } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { CustomerField } from '../customers/customer-field.tsx'
import { customerQuery } from '../customers/customers-api.ts'
import { useCustomerChoice, useSubmitAfterLookup } from '../customers/use-customer-lookup.ts'
import { TypesField } from './types-field.tsx'
import type { EndpointSettings } from './webhooks-api.ts'

interface EndpointFormProps {
  /** The endpoint to edit. Missing for a new endpoint. */
  endpoint?: WebhookEndpoint
  action: string
  pending: boolean
  error: unknown
  onSubmit: (settings: EndpointSettings) => void
}

const SHOWN_PATHS = ['url', 'description', 'types', 'customer_id']

/** The settings of an endpoint. */
export function EndpointForm({ endpoint, action, pending, error, onSubmit }: EndpointFormProps) {
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [types, setTypes] = useState(endpoint?.types ?? null)
  const [isOneCustomer, setOfOne] = useState(endpoint?.customer_id != null)
  const begun = endpoint?.customer_id ?? null
  const ofBegun = useQuery({ ...customerQuery(begun ?? ''), enabled: begun !== null })
  const choice = useCustomerChoice(ofBegun.data)
  const customer = choice.isTouched ? (choice.customer?.id ?? null) : begun
  const [isChecked, setChecked] = useState(false)
  const errors = errorsByPath(error)
  const written = isOneCustomer && choice.isTouched ? choice : null
  const { isWaiting, ...handlers } = useSubmitAfterLookup(written, () => {
    setChecked(true)
    if (types?.length === 0 || (isOneCustomer && customer === null)) return
    onSubmit({
      url: url.trim(),
      description: description.trim() || null,
      types,
      customer_id: isOneCustomer ? customer : null,
    })
  })
  return (
    <Form {...handlers} className="grid gap-4">
      <Field
        label="URL"
        hint="An https URL at a public address. Allowed ports: 443, 80, and 1024 or higher."
        error={errors.url}
      >
        {(props) => (
          <Input
            {...props}
            required
            inputMode="url"
            maxLength={2048}
            spellCheck={false}
            placeholder="https://example.com/claimkeeper"
            value={url}
            onChange={({ target }) => setUrl(target.value)}
          />
        )}
      </Field>
      <Field
        label="Description (optional)"
        hint="What the endpoint is for, for example billing."
        error={errors.description}
      >
        {(props) => (
          <Input
            {...props}
            maxLength={MAX_NAME_LENGTH}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        )}
      </Field>
      <TypesField
        types={types}
        error={isChecked && types?.length === 0 ? 'Choose at least one type' : errors.types}
        onChange={setTypes}
      />
      <div className="grid gap-2">
        <Checkbox isChecked={!isOneCustomer} onChange={(isOfAll) => setOfOne(!isOfAll)}>
          All customers
        </Checkbox>
        {isOneCustomer ? (
          <CustomerField
            choice={choice}
            hint="The external id of the customer. Only notifications about this customer are sent."
            error={
              isChecked && customer === null && choice.text === '' ? 'Choose a customer' : errors.customer_id
            }
          />
        ) : null}
      </div>
      <FormError error={error} shownPaths={SHOWN_PATHS} />
      <SubmitActions action={action} pending={pending} isWaiting={isWaiting} />
    </Form>
  )
}
