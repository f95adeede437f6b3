import { durationInWords } from '../../../src/core/contracts/contract-in-words.ts'
import { Field } from '../components/field.tsx'
import { Input } from '../components/input.tsx'
import { Select } from '../components/select.tsx'
import { type DurationDraft, secondsOf, TIME_UNITS, type TimeUnit } from '../contracts/contract-draft.ts'

interface DurationFieldProps {
  label: string
  /** The key of the field in the contract. */
  name: string
  hint: string
  value: DurationDraft
  error: string | undefined
  /** @param typedField the text field that was typed into; null for any other edit */
  onChange: (duration: DurationDraft, typedField: string | null) => void
}

/** A number and a unit of time. */
export function DurationField({ label, name, hint, value, error, onChange }: DurationFieldProps) {
  const seconds = secondsOf(value)
  const isLongInSeconds = typeof seconds === 'number' && value.unit === 'seconds' && seconds >= 60
  return (
    <Field label={label} hint={isLongInSeconds ? `${durationInWords(seconds)}. ${hint}` : hint} error={error}>
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
