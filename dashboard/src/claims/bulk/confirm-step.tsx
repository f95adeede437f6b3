import { type FormEvent, type ReactNode, useState } from 'react'
import { STATUSES } from '../../../../src/core/claims/lifecycle.ts'
import type { JsonObject } from '../../../../src/kernel/json.ts'
import { isGiven, metadataFiltersIn, metadataPairsIn } from '../../api/metadata-filters.ts'
import type { ClaimKind } from '../../api/records.ts'
import { useSchemaNames } from '../../claim-schemas/schema-names.ts'
import { Button } from '../../components/button.tsx'
import { DialogActions } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Input } from '../../components/input.tsx'
import { Textarea } from '../../components/textarea.tsx'
import { DateTime } from '../../components/time.tsx'
import { useCustomerNames } from '../../customers/customer-names.ts'
import { escapeBidiControls } from '../../format/bidi.ts'
import { countText } from '../../format/count-text.ts'
import { LOCAL_NUMBERS } from '../../format/local-number.ts'
import { MetadataValue } from '../../metadata/metadata-value.tsx'
import type { ClaimFilters } from '../claims-api.ts'
import type { BulkRun, Target } from './bulk-run.ts'
import type { CountedClaim } from './count-list.ts'
import { Step } from './step.tsx'

interface ConfirmStepProps {
  counted: readonly CountedClaim[]
  /** The run over the claims of the list that take events. */
  run: BulkRun
  filters: ClaimFilters
  /** No filter is set: the user must type the number of recipients. */
  isWholeAccount: boolean
  onBack: () => void
  onConfirm: () => void
}

/** Shows the recipients and asks for confirmation. */
export function ConfirmStep(props: ConfirmStepProps) {
  const { counted, run, filters, isWholeAccount, onBack, onConfirm } = props
  const { kind, event, targets: open } = run
  const [written, setWritten] = useState('')
  const [isChecked, setChecked] = useState(false)
  const acceptingStates = counted.some((one) => one.acceptsEvents && one.status !== 'OPEN')
    ? 'OPEN or in a review that takes events'
    : 'OPEN'
  const isConfirmed = !isWholeAccount || readCount(written) === open.length
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault()
    setChecked(true)
    if (isConfirmed) onConfirm()
  }
  return (
    <Step label="Confirm">
      <Form onSubmit={submit} className="grid grid-cols-1 gap-4">
        <p>
          The list has <strong>{countText(counted.length, kind)}</strong>.{' '}
          {open.length > 0 ? (
            <>
              <strong>{countText(open.length, kind)}</strong> {open.length === 1 ? 'is' : 'are'}{' '}
              {acceptingStates} and {open.length === 1 ? 'gets' : 'get'} the event.{' '}
            </>
          ) : (
            `No ${kind.slice(0, -1)} is OPEN, so none can take the event. `
          )}
          {open.length > 0 ? others(counted) : ''}
        </p>
        <FilterSummary filters={filters} />
        {open.length > 0 ? (
          <>
            <EventPreview event={event} />
            <Recipients kind={kind} open={open} />
            <p className="rounded-lg bg-pending-soft px-3 py-2.5 text-pending">
              Events are permanent and may decide claims. This cannot be undone. Only the {kind} counted here
              get the event, not {kind} that match the filters later.
            </p>
          </>
        ) : null}
        {isWholeAccount && open.length > 0 ? (
          <Field
            label={`No filter is set, so every ${kind.slice(0, -1)} of the account that is ${acceptingStates} gets the event. Type ${open.length} to confirm.`}
            error={isChecked && !isConfirmed ? `Type ${open.length}` : undefined}
          >
            {(props) => (
              <Input
                {...props}
                inputMode="numeric"
                className="w-32"
                value={written}
                onChange={({ target }) => setWritten(target.value)}
              />
            )}
          </Field>
        ) : null}
        <DialogActions>
          <Button onClick={onBack}>Back</Button>
          {open.length > 0 ? (
            <Button type="submit" variant="danger">
              Submit to {countText(open.length, kind)}
            </Button>
          ) : null}
        </DialogActions>
      </Form>
    </Step>
  )
}

/** Accepts digit groups of any locale. */
const readCount = (text: string) => LOCAL_NUMBERS.readNumber(text.replaceAll(/\P{Nd}/gu, '')).number

/** The claims that take no events, by status. */
function others(counted: readonly CountedClaim[]): string {
  const parts = STATUSES.flatMap((status) => {
    const count = counted.filter((one) => one.status === status && !one.acceptsEvents).length
    return count === 0 ? [] : [`${count.toLocaleString('en')} ${status}`]
  })
  return parts.length === 0 ? '' : `The others cannot take events: ${parts.join(', ')}.`
}

function EventPreview({ event }: { event: JsonObject & { type: string } }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-40 overflow-auto rounded-lg bg-sunken px-3 py-2.5 font-mono text-xs break-words whitespace-pre-wrap"
    >
      {escapeBidiControls(JSON.stringify(event, null, 2))}
    </pre>
  )
}

/** A text area, because 10,000 elements would block the page. */
function Recipients({ kind, open }: { kind: ClaimKind; open: readonly Target[] }) {
  return (
    <details>
      <summary className="w-fit text-[0.8125rem] text-muted">Show the {kind}</summary>
      <Textarea
        readOnly
        aria-label={`The ${kind} that get the event`}
        rows={8}
        className="mt-2 font-mono text-xs"
        value={open
          .map(({ name, reference }) => (reference === null ? name : `${name}  ${reference}`))
          .join('\n')}
      />
    </details>
  )
}

/** The filters of a list without its order, by their names in the URL. */
function FilterSummary({ filters: { sort: _, ...filters } }: { filters: ClaimFilters }) {
  const wordsOf = useFilterWords()
  const metadata = metadataFiltersIn(filters)
  const others = Object.entries(filters).filter((filter) => isGiven(filter) && !(filter[0] in metadata))
  return (
    <ul aria-label="Filters" className="flex flex-wrap gap-1.5 text-xs empty:hidden">
      {others.map(([name, value]) => (
        <Filter key={name} name={name.replaceAll('_', ' ')}>
          <bdi>{wordsOf(name, value as string)}</bdi>
        </Filter>
      ))}
      {metadataPairsIn(metadata).map(([key, value]) => (
        <Filter key={`metadata ${key}`} name={<bdi>{key}</bdi>}>
          <MetadataValue text={value} />
        </Filter>
      ))}
    </ul>
  )
}

const Filter = ({ name, children }: { name: ReactNode; children: ReactNode }) => (
  <li className="max-w-full rounded-md bg-sunken px-2 py-1 wrap-anywhere">
    <span className="text-muted">{name}</span> {children}
  </li>
)

/** Formats the value of a filter. */
function useFilterWords(): (name: string, value: string) => ReactNode {
  const nameOfCustomer = useCustomerNames()
  const nameOfSchema = useSchemaNames()
  return (name, value) => {
    if (name === 'customer') return nameOfCustomer(value)
    if (name === 'schema') return nameOfSchema(value)
    if (name.startsWith('price_')) return LOCAL_NUMBERS.writeDecimal(value)
    const isTime = /_(?:from|before)$/.test(name) && !Number.isNaN(Date.parse(value))
    return isTime ? <DateTime at={value} /> : value
  }
}
