import { useState } from 'react'
import { errorsByPath } from '../../api/client.ts'
import type { WebhookEndpoint } from '../../api/records.ts'
import type { EndpointSettings } from '../../api/webhooks.ts'
import { useSubmitOnceKnown } from '../../use-submit-once-known.ts'
import { type CustomerLookUp, CustomerSelect, lookUpError } from '../customer-select.tsx'
import { Choice } from '../ui/choice.tsx'
import { SubmitActions } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Input } from '../ui/input.tsx'
import { TypesField } from './types-field.tsx'

interface EndpointFormProps {
  /** What it begins with; none for a new one. */
  endpoint?: WebhookEndpoint
  action: string
  pending: boolean
  error: unknown
  onSubmit: (settings: EndpointSettings) => void
}

const AT_FIELDS = ['url', 'description', 'types', 'customer_id']

/** What is set of an endpoint. */
export function EndpointForm({ endpoint, action, pending, error, onSubmit }: EndpointFormProps) {
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [types, setTypes] = useState(endpoint?.types ?? null)
  const [isOfOne, setOfOne] = useState(endpoint?.customer_id != null)
  const [customer, setCustomer] = useState(endpoint?.customer_id ?? null)
  const [lookUp, setLookUp] = useState<CustomerLookUp | null>(null)
  const isOfNobody = isOfOne && (customer === null || lookUp !== null)
  const [isChecked, setChecked] = useState(false)
  const errors = errorsByPath(error)
  const isKnown = !isOfOne || lookUp?.state !== 'pending'
  const { isWaiting, ...handlers } = useSubmitOnceKnown(isKnown, () => {
    setChecked(true)
    if (types?.length === 0 || isOfNobody) return
    onSubmit({
      url: url.trim(),
      description: description.trim() || null,
      types,
      customer_id: isOfOne ? customer : null,
    })
  })
  return (
    <Form {...handlers} className="grid gap-4">
      <Field label="URL" hint="Reached over https, at a public address." error={errors.url}>
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
        hint="What it is for, such as billing."
        error={errors.description}
      >
        {(props) => (
          <Input
            {...props}
            maxLength={255}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        )}
      </Field>
      <TypesField
        types={types}
        error={isChecked && types?.length === 0 ? 'Choose one at least' : errors.types}
        onChange={setTypes}
      />
      <div className="grid gap-2">
        <Choice
          isChosen={!isOfOne}
          onChange={(isOfAll) => {
            // Before it is known by that whose it is.
            handlers.onInput()
            setOfOne(!isOfAll)
          }}
        >
          Of all customers
        </Choice>
        {isOfOne ? (
          <Field
            label="Customer"
            hint="By its external_id. Of its claims and candidates alone."
            error={
              lookUpError(lookUp) ?? (isChecked && isOfNobody ? 'Choose a customer' : errors.customer_id)
            }
          >
            {(props) => (
              <CustomerSelect
                {...props}
                placeholder="acme"
                value={customer ?? ''}
                by="id"
                onChange={(chosen) => setCustomer(chosen?.id ?? null)}
                onLookUp={setLookUp}
              />
            )}
          </Field>
        ) : null}
      </div>
      <FormError error={error} shownPaths={AT_FIELDS} />
      <SubmitActions action={action} pending={isWaiting || pending} />
    </Form>
  )
}
