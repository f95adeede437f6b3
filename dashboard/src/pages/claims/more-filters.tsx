import { useState } from 'react'
import { CLAIM_ORDERS, type ClaimFilters, type ClaimOrder } from '../../api/claims.ts'
import { DelayedInput } from '../../components/delayed-input.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Select } from '../../components/ui/select.tsx'
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
    </div>
  )
}

/** Of these filters those that are set. */
export const countMore = (filters: ClaimFilters): number =>
  MORE_FILTERS.filter((name) => filters[name] !== undefined).length

interface RangeProps {
  label: string
  /** How a bound is written, and read again: undefined if it is none. */
  of: { write: (bound: string) => string; read: (text: string) => string | undefined; wrong: string }
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
  const [isWrong, setWrong] = useState(false)
  const take = (text: string) => {
    const read = of.read(text)
    setWrong(text !== '' && read === undefined)
    if (text === '' || read !== undefined) onChange(read)
  }
  return (
    <Field label={label} error={isWrong ? of.wrong : undefined}>
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
  wrong: 'Not a time.',
}

/** With a comma too, as many write it. */
const PRICE = {
  write: (price: string) => price,
  read: (text: string) => /^\d{1,30}(?:[.,]\d{1,30})?$/.exec(text)?.[0].replace(',', '.'),
  wrong: 'A number such as 49.50.',
}
