import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import type { Metadata } from '../../../src/kernel/metadata.ts'
import { errorsByPath } from '../api/client.ts'
import type { ClaimKind, Customer } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Dialog, SubmitActions } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { useToast } from '../components/toast.tsx'
import { inPercent, percentagesOf, readReminders } from '../contracts/reminder-percentages.ts'
import { RemindersField } from '../contracts/reminders-field.tsx'
import { CustomerField } from '../customers/customer-field.tsx'
import { useCustomerChoice, useSubmitAfterLookup } from '../customers/use-customer-lookup.ts'
import { NewMetadata } from '../metadata/metadata-editor.tsx'
import { metadataIn, rowsOf } from '../metadata/metadata-rows.ts'
import { TestClockSelect } from '../test-clocks/test-clock-select.tsx'
import { type AnyClaim, createClaim, type NewClaim, nameOf } from './claims-api.ts'
import { type ContractDefaults, ContractSource, useContractSource } from './contract-source.tsx'

/** Initial values of the form. */
export interface ClaimDefaults extends ContractDefaults {
  customer?: Customer
  clock?: string
  metadata?: Metadata
  /** Fractions of the activity window. Without them, those of the schema. */
  reminders?: readonly number[]
}

interface CreateClaimDialogProps {
  kind: ClaimKind
  defaults?: ClaimDefaults
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function CreateClaimDialog({ kind, defaults = {}, open, onOpenChange }: CreateClaimDialogProps) {
  const title = kind === 'claims' ? 'Create a claim' : 'Create a candidate'
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      description="The contract cannot be changed later."
    >
      <CreateClaimForm kind={kind} defaults={defaults} />
    </Dialog>
  )
}

function CreateClaimForm({ kind, defaults }: { kind: ClaimKind; defaults: ClaimDefaults }) {
  const [alias, setAlias] = useState('')
  const [reference, setReference] = useState('')
  const choice = useCustomerChoice(defaults.customer)
  const { customer } = choice
  const source = useContractSource(defaults)
  const [clock, setClock] = useState(defaults.clock ?? '')
  const [rows, setRows] = useState(() => rowsOf(defaults.metadata ?? {}))
  const reminderForm = useReminders(defaults.reminders, source.reminders)
  const [isChecked, setChecked] = useState(false)
  const { announce, open } = useNewClaim(kind)
  const creation = useMutation({
    mutationFn: (given: Pick<NewClaim, 'source' | 'metadata' | 'reminders'>) =>
      createClaim(kind, {
        ...given,
        customer: (kind === 'claims' ? customer?.id : customer?.external_id) ?? '',
        alias,
        reference: reference.trim(),
        clock,
      }),
    onSuccess: announce,
  })
  const errors = errorsByPath(creation.error)
  const { isWaiting, ...handlers } = useSubmitAfterLookup(choice, () => {
    setChecked(true)
    const metadata = metadataIn(rows)
    // mutate's own onSuccess is not called after the form is closed.
    const done = { onSuccess: open }
    if (customer && source.given && metadata && reminderForm.given)
      creation.mutate({ source: source.given, metadata, ...reminderForm.given }, done)
  })
  return (
    <Form {...handlers} className="grid gap-4">
      {kind === 'candidates' ? (
        <Field
          label="Alias"
          hint={`Your own unique name, 8 to ${MAX_NAME_LENGTH} characters, for example order-20261121-77.`}
          error={errors.candidate_alias}
        >
          {(props) => (
            <Input
              {...props}
              required
              minLength={8}
              maxLength={MAX_NAME_LENGTH}
              value={alias}
              onChange={(event) => setAlias(event.target.value)}
            />
          )}
        </Field>
      ) : null}
      <CustomerField
        choice={choice}
        hint="The external id of the customer."
        error={
          isChecked && choice.text === '' ? 'Choose a customer' : (errors.customer_id ?? errors.customer_uuid)
        }
        isCreating
      />
      {kind === 'claims' ? (
        <Field
          label="Reference"
          hint="Optional. Your own unique name for the claim, for example order-4711."
          error={errors.reference}
        >
          {(props) => (
            <Input
              {...props}
              maxLength={MAX_NAME_LENGTH}
              value={reference}
              onChange={(event) => setReference(event.target.value)}
            />
          )}
        </Field>
      ) : null}
      <ContractSource source={source} isChecked={isChecked} />
      {source.isPending ? null : <RemindersField {...reminderForm.field} />}
      <Field label="Time" hint="On a test clock, time stands still until you advance it.">
        {(props) => <TestClockSelect {...props} none="Live" value={clock} onChange={setClock} />}
      </Field>
      <NewMetadata rows={rows} onChange={setRows} isChecked={isChecked} />
      <FormError
        error={creation.error}
        shownPaths={['candidate_alias', 'reference', 'customer_id', 'customer_uuid']}
      />
      <SubmitActions
        action="Create"
        pending={creation.isPending}
        // The contract cannot be changed later, so the user must be able to read it first.
        isWaiting={isWaiting || source.isPending}
      />
    </Form>
  )
}

/**
 * The reminders of the new claim: those of the schema, until the user changes them.
 * @param initial replaces the reminders of the schema
 */
function useReminders(initial: readonly number[] | undefined, ofSchema: readonly number[]) {
  /** Null for the schema's. */
  const [own, setOwn] = useState<string[] | null>(initial ? percentagesOf(initial) : null)
  const { reminders } = readReminders(own ?? [])
  const isOther = own !== null && JSON.stringify(reminders) !== JSON.stringify(ofSchema)
  return {
    /** Null if a percentage has a problem. */
    given: own === null ? {} : reminders && { reminders },
    field: {
      texts: own ?? percentagesOf(ofSchema),
      onChange: setOwn,
      hint:
        ofSchema.length === 0
          ? undefined
          : isOther
            ? `Instead of the schema’s: ${inPercent(ofSchema)}.`
            : 'Preset by the schema.',
    },
  }
}

/** Announces the new record and opens its page. */
function useNewClaim(kind: ClaimKind) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const announce = () => {
    void queryClient.invalidateQueries({ queryKey: [kind, 'list'] })
    void queryClient.invalidateQueries({ queryKey: ['overview'] })
    toast(kind === 'claims' ? 'Claim created' : 'Candidate created')
  }
  const open = (claim: AnyClaim) =>
    kind === 'claims'
      ? void navigate({ to: '/claims/$id', params: { id: nameOf(claim) } })
      : void navigate({ to: '/candidates/$alias', params: { alias: nameOf(claim) } })
  return { announce, open }
}

/** For the pages of schemas, customers and test clocks, which preset a field of the new claim. */
export function CreateClaimButton({ defaults }: { defaults: ClaimDefaults }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Plus aria-hidden /> Create claim
      </Button>
      <CreateClaimDialog kind="claims" defaults={defaults} open={isOpen} onOpenChange={setOpen} />
    </>
  )
}
