import { type ReactNode, useState } from 'react'
import { askedPairs } from '../api/metadata-filters.ts'
import { DelayedInput } from '../components/debounced-input.tsx'
import { Field } from '../components/field.tsx'
import { Select } from '../components/select.tsx'
import { useLocalTime } from '../components/use-local-time.ts'
import { asSentence } from '../format/as-sentence.ts'
import { LOCAL_NUMBERS } from '../format/local-number.ts'
import { MetadataFilter } from '../metadata/metadata-filter.tsx'
import { MORE_FILTERS } from './claim-filters.ts'
import { CLAIM_ORDERS, type ClaimFilters, type ClaimOrder } from './claims-api.ts'
import { TimeBound } from './time-bound.tsx'

/** After the last key. */
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

/** The less common filters, and the sort order. */
export function MoreFilters({ filters, onChange }: MoreFiltersProps) {
  return (
    <div className="col-span-full grid gap-x-4 gap-y-3 rounded-xl border bg-surface p-4 sm:grid-cols-2 xl:grid-cols-3">
      {SPANS.map(([span, label]) => (
        <Range key={span} label={label}>
          <TimeBound
            label={`${label} from`}
            edge="from"
            bound={filters[`${span}_from`]}
            onChange={(time) => onChange({ [`${span}_from`]: time })}
          />
          <TimeBound
            label={`${label} to`}
            edge="before"
            bound={filters[`${span}_before`]}
            onChange={(time) => onChange({ [`${span}_before`]: time })}
          />
        </Range>
      ))}
      <Range label="Price">
        <PriceBound
          label="Price from"
          bound={filters.price_from}
          onChange={(price) => onChange({ price_from: price })}
        />
        <PriceBound
          label="Price to"
          bound={filters.price_to}
          onChange={(price) => onChange({ price_to: price })}
        />
      </Range>
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
      <MetadataFilter filters={filters} onChange={onChange} />
      <p className="col-span-full text-xs text-muted">
        Days and times are in {useLocalTime().timeZone}. A day without a time means the whole day.
      </p>
    </div>
  )
}

/** The number of these filters that are set. */
export const countMore = (filters: ClaimFilters): number =>
  MORE_FILTERS.filter((name) => filters[name] !== undefined).length + askedPairs(filters).length

const Range = ({ label, children }: { label: string; children: ReactNode }) => (
  <fieldset className="grid min-w-0 content-start gap-1.5">
    <legend className="sr-only">{label}</legend>
    {children}
  </fieldset>
)

interface PriceBoundProps {
  label: string
  bound: string | undefined
  onChange: (bound: string | undefined) => void
}

function PriceBound({ label, bound, onChange }: PriceBoundProps) {
  const [problem, setProblem] = useState<string>()
  const take = (text: string) => {
    const price = readPrice(text)
    setProblem(text !== '' && price === undefined ? problemOfPrice(text) : undefined)
    if (text === '' || price !== undefined) onChange(price)
  }
  return (
    <Field label={label} error={problem}>
      {(field) => (
        <DelayedInput
          {...field}
          inputMode="decimal"
          value={bound === undefined ? '' : LOCAL_NUMBERS.writeDecimal(bound)}
          onChange={take}
          delayMs={DELAY_MS}
        />
      )}
    </Field>
  )
}

const readPrice = (text: string) =>
  /^\d{1,30}(?:\.\d{1,30})?$/.exec(LOCAL_NUMBERS.readDecimal(text).decimal ?? '')?.[0]

const problemOfPrice = (text: string) =>
  asSentence(LOCAL_NUMBERS.readDecimal(text).problem) ?? 'At most 30 digits before and after the point.'
