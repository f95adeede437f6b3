import { type FocusEvent, type ReactNode, useRef, useState } from 'react'
import { metadataPairsIn } from '../api/metadata-filters.ts'
import { DebouncedInput, useDelayed } from '../components/debounced-input.tsx'
import { Field } from '../components/field.tsx'
import { Input } from '../components/input.tsx'
import { Select } from '../components/select.tsx'
import { useLocalTime } from '../components/use-local-time.ts'
import { asSentence } from '../format/as-sentence.ts'
import { LOCAL_NUMBERS } from '../format/local-number.ts'
import type { LocalTime } from '../format/local-time.ts'
import { MetadataFilter } from '../metadata/metadata-filter.tsx'
import { MORE_FILTERS } from './claim-filters.ts'
import { CLAIM_ORDERS, type ClaimFilters, type ClaimOrder } from './claims-api.ts'

/** After the last key. Longer than the pause between the parts of a date. */
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
  MORE_FILTERS.filter((name) => filters[name] !== undefined).length + metadataPairsIn(filters).length

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
        <DebouncedInput
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

/** Inclusive start or exclusive end. */
type Edge = 'from' | 'before'

interface TimeBoundProps {
  label: string
  edge: Edge
  bound: string | undefined
  onChange: (bound: string | undefined) => void
}

/** A bound of a time range: a day in the account's time zone, or a time of that day. */
function TimeBound({ label, edge, bound, onChange }: TimeBoundProps) {
  const local = useLocalTime()
  const [isWrong, setWrong] = useState(false)
  const take = (written: string) => {
    const [day, time] = split(written)
    const taken = boundOf(day, time, edge, local)
    setWrong(day !== '' && taken === null)
    if (day === '' || taken !== null) onChange(taken ?? undefined)
  }
  const value = bound === undefined ? 'T' : writtenOf(bound, edge, local)
  const [text, setText, takeNow] = useDelayed({ value, onChange: take, delayMs: DELAY_MS })
  const [day, time] = split(text)
  const fields = useRef<HTMLSpanElement>(null)
  const leave = ({ relatedTarget }: FocusEvent) => {
    if (!fields.current?.contains(relatedTarget)) takeNow()
  }
  return (
    <Field label={label} error={isWrong ? 'Must be a day from 1970 to 2999.' : undefined}>
      {(field) => (
        <span ref={fields} className="flex flex-wrap gap-1.5">
          <Input
            {...field}
            type="date"
            className="min-w-34 flex-1 px-2 max-sm:min-w-full"
            value={day}
            onChange={({ target }) => setText(`${target.value}T${time}`)}
            onBlur={leave}
          />
          <Input
            type="time"
            aria-label={`Time of the day for ${label}`}
            className="w-auto min-w-26 flex-1 px-2"
            value={time}
            onChange={({ target }) => setText(`${day}T${target.value}`)}
            onBlur={leave}
          />
        </span>
      )}
    </Field>
  )
}

const split = (written: string) => written.split('T') as [day: string, time: string]

/** Day and time joined by T. Without a time, the whole day is meant. */
function writtenOf(bound: string, edge: Edge, { toField, startOfDay }: LocalTime): string {
  const ms = Date.parse(bound)
  if (Number.isNaN(ms)) return 'T'
  const [day, time] = split(toField(bound))
  if (Date.parse(startOfDay(day) ?? '') !== ms) return `${day}T${time}`
  // The start of a day is the end of the previous day.
  return edge === 'from' ? `${day}T` : `${split(toField(new Date(ms - 1).toISOString()))[0]}T`
}

function boundOf(day: string, time: string, edge: Edge, { fromField, startOfDay }: LocalTime): string | null {
  return time === '' ? startOfDay(day, edge === 'from' ? 0 : 1) : fromField(`${day}T${time}`)
}
