import {
  isNotifiedByDefault,
  NOTIFICATION_TYPES,
  type NotificationType,
} from '../../../src/core/notification-types.ts'
import { Checkbox } from '../components/checkbox.tsx'
import { DEFAULT_TYPES_TEXT, NOTIFICATION_WORDS } from '../notifications/notification-words.ts'

interface TypesFieldProps {
  /** Null for all. */
  types: readonly NotificationType[] | null
  error: string | undefined
  onChange: (types: NotificationType[] | null) => void
}

/** The types that an endpoint receives: all, including types of later versions, or a selection. */
export function TypesField({ types, error, onChange }: TypesFieldProps) {
  const set = (type: NotificationType, isChecked: boolean) =>
    onChange(
      NOTIFICATION_TYPES.filter((each) => (each === type ? isChecked : (types?.includes(each) ?? false))),
    )
  return (
    <fieldset className="grid gap-2" aria-invalid={error ? true : undefined}>
      <legend className="mb-1.5 text-[0.8125rem] font-medium">What is sent</legend>
      <Checkbox
        isChecked={types === null}
        onChange={(isAll) => onChange(isAll ? null : NOTIFICATION_TYPES.filter(isNotifiedByDefault))}
      >
        {DEFAULT_TYPES_TEXT}
      </Checkbox>
      {types === null ? null : (
        <div className="grid gap-x-4 gap-y-1.5 pl-6 sm:grid-cols-2">
          {NOTIFICATION_TYPES.map((type) => (
            <Checkbox
              key={type}
              isChecked={types.includes(type)}
              onChange={(isChecked) => set(type, isChecked)}
            >
              {NOTIFICATION_WORDS[type]}
            </Checkbox>
          ))}
        </div>
      )}
      {error ? <p className="text-xs font-medium text-failed">{error}</p> : null}
    </fieldset>
  )
}
