import { useState } from 'react'
import { CLAIM_ORDERS, type ClaimFilters, type ClaimOrder } from '../../api/claims.ts'
import { askedPairs } from '../../api/metadata-filters.ts'
import { asSentence } from '../../as-sentence.ts'
import { DelayedInput } from '../../components/delayed-input.tsx'
import { MetadataFilter } from '../../components/metadata/metadata-filter.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Select } from '../../components/ui/select.tsx'
import { LOCAL_NUMBERS } from '../../local-number.ts'
import { fromLocalTime, toLocalTime } from '../../local-time.ts'
import { MORE_FILTERS } from '../claim-filters.ts'

/** After the last key in a time or a price: longer than one takes from one part of a date to the next. */
const DELAY_MS = 800

const SPANS = [
  ['created', 'Created'],
  ['due', 'Due'],
  ['resolved', 'Resolved'],
] as const

interface MoreFiltersProps {
  filters: ClaimFilters
  onChange: (changed: ClaimFilters) => void
}

/** The order of a list, and the filters that are seldom needed. */
export function MoreFilters({ filters, onChange }: MoreFiltersProps) {
  return (
    <div className="col-span-full grid gap-x-4 gap-y-3 rounded-xl border bg-surface p-4 sm:grid-cols-2 xl:grid-cols-[minmax(0,0.8fr)_repeat(3,minmax(0,1.2fr))_minmax(0,0.9fr)]">
      <Field label="Order">
        {(props) => (
          <Select
            {...props}
            value={filters.sort ?? ''}
            onChange={(event) =>
              onChange({ sort: (event.target.value || undefined) as ClaimOrder | undefined })
            }
          >
            {Object.entries(CLAIM_ORDERS).map(([order, { label }]) => (
              <option key={order} value={order === 'newest' ? '' : order}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {SPANS.map(([span, label]) => (
        <Range
          key={span}
          label={label}
          of={TIME}
          type="datetime-local"
          from={filters[`${span}_from`]}
          to={filters[`${span}_before`]}
          onFrom={(time) => onChange({ [`${span}_from`]: time })}
          onTo={(time) => onChange({ [`${span}_before`]: time })}
          toWord="before"
        />
      ))}
      <Range
        label="Price"
        of={PRICE}
        inputMode="decimal"
        from={filters.price_from}
        to={filters.price_to}
        onFrom={(price) => onChange({ price_from: price })}
        onTo={(price) => onChange({ price_to: price })}
        toWord="to"
      />
      <MetadataFilter filters={filters} onChange={onChange} />
    </div>
  )
}

/** Of these filters those that are set. */
export const countMore = (filters: ClaimFilters): number =>
  MORE_FILTERS.filter((name) => filters[name] !== undefined).length + askedPairs(filters).length

interface RangeProps {
  label: string
  /** How a bound is written, and read again: undefined if it is none. */
  of: {
    write: (bound: string) => string
    read: (text: string) => string | undefined
    problem: (text: string) => string
  }
  type?: string
  inputMode?: 'decimal'
  from: string | undefined
  to: string | undefined
  onFrom: (bound: string | undefined) => void
  onTo: (bound: string | undefined) => void
  toWord: 'before' | 'to'
}

function Range({ label, from, to, onFrom, onTo, toWord, ...props }: RangeProps) {
  return (
    <fieldset className="grid min-w-0 content-start gap-1.5">
      <legend className="sr-only">{label}</legend>
      <Bound label={`${label} from`} bound={from} onChange={onFrom} {...props} />
      <Bound label={`${label} ${toWord}`} bound={to} onChange={onTo} {...props} />
    </fieldset>
  )
}

interface BoundProps extends Pick<RangeProps, 'label' | 'of' | 'type' | 'inputMode'> {
  bound: string | undefined
  onChange: (bound: string | undefined) => void
}

function Bound({ label, of, bound, onChange, ...props }: BoundProps) {
  const [problem, setProblem] = useState<string>()
  const take = (text: string) => {
    const read = of.read(text)
    setProblem(text !== '' && read === undefined ? of.problem(text) : undefined)
    if (text === '' || read !== undefined) onChange(read)
  }
  return (
    <Field label={label} error={problem}>
      {(field) => (
        <DelayedInput
          {...field}
          {...props}
          value={bound === undefined ? '' : of.write(bound)}
          onChange={take}
          delayMs={DELAY_MS}
        />
      )}
    </Field>
  )
}

const TIME = {
  write: (time: string) => (Number.isNaN(Date.parse(time)) ? '' : toLocalTime(time)),
  // While a year is being written, it is one of long ago.
  read: (text: string) => (text < '1970-01-02' ? undefined : (fromLocalTime(text) ?? undefined)),
  problem: () => 'Not a time.',
}

const PRICE = {
  write: LOCAL_NUMBERS.writeDecimal,
  read: (text: string) =>
    /^\d{1,30}(?:\.\d{1,30})?$/.exec(LOCAL_NUMBERS.readDecimal(text).decimal ?? '')?.[0],
  problem: (text: string) =>
    asSentence(LOCAL_NUMBERS.readDecimal(text).problem) ?? 'At most 30 digits before and after the point.',
}
