import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { PublicHoliday } from '../../../src/core/calendars/public-holidays.ts'
import { serverNow } from '../api/server-time.ts'
import { Dialog, SubmitActions } from '../components/dialog.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Select } from '../components/select.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { showDay } from '../format/local-time.ts'
import type { Place } from './compute-holidays.ts'

type Computation = typeof import('./compute-holidays.ts')

interface FillHolidaysDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  onFill: (holidays: readonly PublicHoliday[]) => void
}

/** Adds the public holidays of a country and its regions for chosen years. */
export function FillHolidaysDialog({ open, onOpenChange, onFill }: FillHolidaysDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Fill in public holidays"
      description="The dates are added to the list. Check them: laws change, and some dates depend on the moon."
    >
      <LoadedForm onFill={onFill} />
    </Dialog>
  )
}

function LoadedForm({ onFill }: Pick<FillHolidaysDialogProps, 'onFill'>) {
  const { data, error, refetch } = useQuery({
    queryKey: ['compute-holidays'],
    queryFn: () => import('./compute-holidays.ts'),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })
  if (data) return <FillForm computation={data} onFill={onFill} />
  return error ? <ErrorState error={error} retry={refetch} /> : <SkeletonRows rows={3} />
}

const MORE_YEARS = 10

interface FillFormProps {
  computation: Computation
  onFill: FillHolidaysDialogProps['onFill']
}

function FillForm({ computation, onFill }: FillFormProps) {
  const thisYear = new Date(serverNow()).getUTCFullYear()
  const countries = computation.countries()
  const [place, setPlace] = useState<Place>(() => ({
    country: countryOfBrowser(countries),
    state: '',
    region: '',
  }))
  const [from, setFrom] = useState(thisYear)
  const [to, setTo] = useState(thisYear + 1)
  const [states, regions] = [computation.statesOf(place), computation.regionsOf(place)]
  const found = place.country ? computation.holidaysOf(place, from, to) : []
  const years = Array.from({ length: MORE_YEARS + 1 }, (_, i) => thisYear + i)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (found.length > 0) onFill(found)
  }
  return (
    <Form onSubmit={submit} className="grid gap-4">
      <Field label="Country">
        {(props) => (
          <Choice
            {...props}
            value={place.country}
            none="Choose"
            options={countries}
            onChange={(country) => setPlace({ country, state: '', region: '' })}
          />
        )}
      </Field>
      {states.length > 0 ? (
        <Field label="State">
          {(props) => (
            <Choice
              {...props}
              value={place.state}
              none="Holidays of the whole country"
              options={states}
              onChange={(state) => setPlace({ ...place, state, region: '' })}
            />
          )}
        </Field>
      ) : null}
      {regions.length > 0 ? (
        <Field label="Region">
          {(props) => (
            <Choice
              {...props}
              value={place.region}
              none="Holidays of the whole state"
              options={regions}
              onChange={(region) => setPlace({ ...place, region })}
            />
          )}
        </Field>
      ) : null}
      <div className="grid grid-cols-2 gap-4">
        <Field label="From year">
          {(props) => (
            <Choice
              {...props}
              value={`${from}`}
              options={years.map((year) => [`${year}`, `${year}`])}
              onChange={(year) => {
                setFrom(Number(year))
                setTo(Math.max(Number(year), to))
              }}
            />
          )}
        </Field>
        <Field label="To year">
          {(props) => (
            <Choice
              {...props}
              value={`${to}`}
              options={years.filter((year) => year >= from).map((year) => [`${year}`, `${year}`])}
              onChange={(year) => setTo(Number(year))}
            />
          )}
        </Field>
      </div>
      <Found holidays={found} isChosen={place.country !== ''} />
      <SubmitActions action={found.length > 0 ? `Add ${found.length} dates` : 'Add dates'} pending={false} />
    </Form>
  )
}

function Found({ holidays, isChosen }: { holidays: readonly PublicHoliday[]; isChosen: boolean }) {
  return (
    <div role="status" className="grid gap-1.5">
      {isChosen ? <p className="text-[0.8125rem] font-medium">{holidays.length} public holidays</p> : null}
      {holidays.length > 0 ? (
        <ul
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          aria-label="Public holidays"
          className="max-h-52 divide-y overflow-y-auto rounded-lg border"
        >
          {holidays.map(({ date, name }) => (
            <li key={date} className="flex gap-3 px-3 py-1.5 text-[0.8125rem]">
              <time dateTime={date} className="w-24 shrink-0">
                {showDay(date)}
              </time>
              <bdi className="min-w-0 text-muted">{name}</bdi>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}

interface ChoiceProps {
  id: string
  value: string
  /** The choice of nothing, if there is one. */
  none?: string
  options: readonly (readonly [value: string, text: string])[]
  onChange: (value: string) => void
}

const Choice = ({ none, options, onChange, ...props }: ChoiceProps) => (
  <Select {...props} onChange={({ target }) => onChange(target.value)}>
    {none === undefined ? null : <option value="">{none}</option>}
    {options.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </Select>
)

/** By the language of the browser, such as de-AT. Empty if it names no country of the list. */
function countryOfBrowser(countries: readonly (readonly [string, string])[]): string {
  const region = new Intl.Locale(navigator.language).region ?? ''
  return countries.some(([code]) => code === region) ? region : ''
}
