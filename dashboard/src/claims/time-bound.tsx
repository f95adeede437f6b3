import { type FocusEvent, useRef, useState } from 'react'
import { Field } from '../components/field.tsx'
import { Input } from '../components/input.tsx'
import { useDelayed } from '../components/use-debounced-text.ts'
import { useLocalTime } from '../components/use-local-time.ts'
import type { LocalTime } from '../format/local-time.ts'

/** After the last key. Longer than the pause between the parts of a date. */
const DELAY_MS = 800

/** Inclusive start or exclusive end. */
type Edge = 'from' | 'before'

interface TimeBoundProps {
  label: string
  edge: Edge
  bound: string | undefined
  onChange: (bound: string | undefined) => void
}

/** A bound of a time range: a day in the account's time zone, or a time of that day. */
export function TimeBound({ label, edge, bound, onChange }: TimeBoundProps) {
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
