import { CalendarPlus, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { Field } from '../components/field.tsx'
import { Input } from '../components/input.tsx'
import { showDay, showDayOfYear } from '../format/local-time.ts'
import { isDate } from './calendar-draft.ts'

interface HolidaysCardProps {
  holidays: readonly string[]
  onChange: (holidays: string[]) => void
  /** Of the holidays that were filled in since the page was opened. A calendar stores dates only. */
  names: ReadonlyMap<string, string>
  /** Opens the dialog that fills in public holidays. */
  onAskToFill: () => void
}

/** The holidays by year. */
export function HolidaysCard({ holidays, onChange, names, onAskToFill }: HolidaysCardProps) {
  const years = Map.groupBy(holidays, (date) => date.slice(0, 4))
  const last = holidays.at(-1)
  return (
    <Card aria-label="Holidays">
      <CardHeader
        title="Holidays"
        description={
          last
            ? `Dates without working time. They end on ${showDay(last)}: later holidays count as working time.`
            : 'Dates without working time. None is listed yet.'
        }
        actions={
          <Button size="sm" onClick={onAskToFill}>
            <CalendarPlus aria-hidden /> Fill in public holidays
          </Button>
        }
      />
      <CardBody className="grid grid-cols-1 gap-4">
        {[...years].map(([year, dates]) => (
          <section key={year} aria-label={`Holidays of ${year}`} className="grid grid-cols-1 gap-2">
            <h3 className="flex items-center gap-2 text-[0.8125rem] font-medium">
              {year}
              <span className="font-normal text-muted">{dates.length}</span>
              <Button
                variant="ghost"
                size="sm"
                aria-label={`Remove all of ${year}`}
                onClick={() => onChange(holidays.filter((date) => !dates.includes(date)))}
              >
                Remove all
              </Button>
            </h3>
            <ul className="flex flex-wrap gap-1.5">
              {dates.map((date) => (
                <Holiday
                  key={date}
                  date={date}
                  name={names.get(date)}
                  onRemove={() => onChange(holidays.filter((other) => other !== date))}
                />
              ))}
            </ul>
          </section>
        ))}
        <AddDate onAdd={(date) => onChange([...new Set([...holidays, date])].sort())} />
      </CardBody>
    </Card>
  )
}

interface HolidayProps {
  date: string
  name: string | undefined
  onRemove: () => void
}

const Holiday = ({ date, name, onRemove }: HolidayProps) => (
  <li className="inline-flex max-w-full items-center gap-1.5 rounded-md bg-sunken py-0.5 pr-0.5 pl-2 text-[0.8125rem]">
    <time dateTime={date} className="whitespace-nowrap">
      {showDayOfYear(date)}
    </time>
    {name ? <bdi className="min-w-0 truncate text-muted">{name}</bdi> : null}
    <Button
      variant="ghost"
      size="icon"
      className="size-6 hover:bg-surface"
      aria-label={`Remove ${showDay(date)}`}
      title="Remove"
      onClick={onRemove}
    >
      <X aria-hidden />
    </Button>
  </li>
)

function AddDate({ onAdd }: { onAdd: (date: string) => void }) {
  const [date, setDate] = useState('')
  const add = () => {
    if (!isDate(date)) return
    onAdd(date)
    setDate('')
  }
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Field label="Another holiday" className="w-44">
        {(props) => (
          <Input
            {...props}
            type="date"
            min="1970-01-01"
            max="2999-12-31"
            value={date}
            onChange={({ target }) => setDate(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              // Not the form.
              event.preventDefault()
              add()
            }}
          />
        )}
      </Field>
      <Button onClick={add}>Add</Button>
    </div>
  )
}
