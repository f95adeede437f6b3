import { Plus, X } from 'lucide-react'
import { useRef } from 'react'
import { flushSync } from 'react-dom'
import { isReservedType } from '../../../src/core/claims/event.ts'
import { type Contract, conditionsOf } from '../../../src/core/contracts/contract.ts'
import { type Suggestion, suggestedEvents } from '../../../src/core/contracts/hints/known-leaves.ts'
import { Button } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { Input } from '../components/input.tsx'
import { Select } from '../components/select.tsx'
import { type DurationDraft, TIME_UNITS, type TimeUnit } from '../contracts/contract-draft.ts'
import { problemOfFields } from '../events/event-draft.ts'
import { asSentence } from '../format/as-sentence.ts'
import { LOCAL_NUMBERS } from '../format/local-number.ts'
import { problemOfValue } from '../format/value-text.ts'
import { newTrialEvent, readAfter, type TrialEvent } from './trial-events.ts'

interface TrialFormProps {
  events: readonly TrialEvent[]
  onChange: (events: TrialEvent[]) => void
  contract: Contract | null
  /** The errors of the service, by event id and field. */
  errors: Record<string, string>
}

const MAX_SUGGESTED = 8

/** The events of the trial. Buttons add events that satisfy the leaves of the contract's conditions. */
export function TrialForm({ events, onChange, contract, errors }: TrialFormProps) {
  const add = (type: string, payload = {}) => {
    const last = events.at(-1)?.after ?? { text: '0', unit: 'hours' as const }
    const { number = 0 } = LOCAL_NUMBERS.readNumber(last.text)
    const text = LOCAL_NUMBERS.writeNumber(number + 1)
    onChange([...events, newTrialEvent(type, payload, { text, unit: last.unit })])
  }
  const list = useRef<HTMLUListElement>(null)
  const anyEvent = useRef<HTMLButtonElement>(null)
  const focusType = (index: number) => {
    const field = list.current?.children[index]?.querySelector('input') ?? anyEvent.current
    field?.focus()
  }
  const addAny = () => {
    flushSync(() => add(''))
    focusType(events.length)
  }
  const remove = (index: number) => {
    flushSync(() => onChange(events.toSpliced(index, 1)))
    focusType(Math.min(index, events.length - 2))
  }
  const suggested = contract ? suggestionsFor(contract) : []
  return (
    <div className="grid grid-cols-1 gap-3">
      <ul ref={list} className="grid grid-cols-1 gap-3 empty:hidden" aria-label="Events of the trial">
        {events.map((event, i) => (
          <EventRow
            key={event.id}
            event={event}
            errors={errors}
            onChange={(changed) => onChange(events.with(i, changed))}
            onRemove={() => remove(i)}
          />
        ))}
      </ul>
      {events.length === 0 ? (
        <p className="text-muted">Without events, the claim times out. Add events that the contract names:</p>
      ) : null}
      <div className="flex flex-wrap gap-1.5">
        {suggested.slice(0, MAX_SUGGESTED).map(({ type, payload }) => (
          <Button
            key={type}
            size="sm"
            className="max-w-full border-transparent bg-accent-soft text-accent shadow-none"
            onClick={() => add(type, payload)}
          >
            <Plus aria-hidden /> <bdi className="truncate">{type}</bdi>
          </Button>
        ))}
        <Button ref={anyEvent} size="sm" onClick={addAny}>
          <Plus aria-hidden /> Any event
        </Button>
      </div>
    </div>
  )
}

/** One event of each type, as its first leaf asks for it. */
const suggestionsFor = (contract: Contract): Suggestion[] =>
  suggestedEvents({ op: 'AND', conditions: conditionsOf(contract) }).filter(
    ({ type }) => !isReservedType(type),
  )

interface EventRowProps {
  event: TrialEvent
  errors: Record<string, string>
  onChange: (event: TrialEvent) => void
  onRemove: () => void
}

function problemOfAfter(after: DurationDraft): string | undefined {
  if (readAfter(after) !== null) return undefined
  const { problem } = LOCAL_NUMBERS.readNumber(after.text, TIME_UNITS[after.unit])
  return asSentence(problem ?? 'must be from 0 to 100 years')
}

function EventRow({ event, errors, onChange, onRemove }: EventRowProps) {
  const { id, type, after, value, fields } = event
  return (
    <li className="relative grid grid-cols-2 gap-x-2 gap-y-2.5 rounded-xl border bg-canvas p-3 pr-11">
      <Field label="Type" error={errors[`${id}.type`]}>
        {(props) => (
          <Input
            {...props}
            value={type}
            onChange={({ target }) => onChange({ ...event, type: target.value })}
          />
        )}
      </Field>
      <Field label="Value" error={asSentence(problemOfValue(value)) ?? errors[`${id}.value`]}>
        {(props) => (
          <Input
            {...props}
            placeholder="none"
            value={value}
            onChange={({ target }) => onChange({ ...event, value: target.value })}
          />
        )}
      </Field>
      <Field label="After" className="max-sm:col-span-2" error={problemOfAfter(after) ?? errors[`${id}.at`]}>
        {(props) => (
          <span className="flex gap-1.5">
            <Input
              {...props}
              inputMode="decimal"
              value={after.text}
              onChange={({ target }) => onChange({ ...event, after: { ...after, text: target.value } })}
            />
            <Select
              aria-label="After, unit"
              className="w-28 shrink-0"
              value={after.unit}
              onChange={({ target }) =>
                onChange({ ...event, after: { ...after, unit: target.value as TimeUnit } })
              }
            >
              {Object.keys(TIME_UNITS).map((unit) => (
                <option key={unit}>{unit}</option>
              ))}
            </Select>
          </span>
        )}
      </Field>
      <Field
        label="Further fields"
        className="max-sm:col-span-2"
        error={problemOfFields(fields) ?? errors[`${id}.`]}
      >
        {(props) => (
          <Input
            {...props}
            spellCheck={false}
            className="font-mono text-xs"
            placeholder='{"country": "DE"}'
            value={fields}
            onChange={({ target }) => onChange({ ...event, fields: target.value })}
          />
        )}
      </Field>
      <Button
        variant="ghost"
        size="icon"
        className="absolute top-1 right-1"
        aria-label={`Remove event ${type}`}
        onClick={onRemove}
      >
        <X aria-hidden />
      </Button>
    </li>
  )
}
