import { durationInWords } from '../../../src/core/contracts/contract-in-words.ts'
import { Field } from '../components/field.tsx'
import { Input } from '../components/input.tsx'
import { Select } from '../components/select.tsx'
import { type DurationDraft, secondsOf, TIME_UNITS, type TimeUnit } from '../contracts/contract-draft.ts'

interface DurationFieldProps {
  label: string
  /** The name of the field in the contract. */
  name: string
  hint: string
  value: DurationDraft
  error: string | undefined
  onChange: (duration: DurationDraft, typedField: string | null) => void
}

/** A number and a unit of time. */
export function DurationField({ label, name, hint, value, error, onChange }: DurationFieldProps) {
  const seconds = secondsOf(value)
  const showsDuration =
    typeof seconds === 'number' && seconds > 0 && value.unit === 'seconds' && seconds >= 60
  return (
    <Field label={label} hint={showsDuration ? `${durationInWords(seconds)}. ${hint}` : hint} error={error}>
      {(props) => (
        <span className="flex gap-2">
          <Input
            {...props}
            inputMode="decimal"
            data-focus={name}
            value={value.text}
            onChange={({ target }) => onChange({ ...value, text: target.value }, name)}
          />
          <Select
            aria-label={`${label}, unit`}
            className="w-32 shrink-0"
            value={value.unit}
            onChange={({ target }) => onChange({ ...value, unit: target.value as TimeUnit }, null)}
          >
            {Object.keys(TIME_UNITS).map((unit) => (
              <option key={unit}>{unit}</option>
            ))}
          </Select>
        </span>
      )}
    </Field>
  )
}
