import { Field } from '../components/field.tsx'
import { Input } from '../components/input.tsx'

const MIN_PASSWORD_LENGTH = 8

interface PasswordFieldProps {
  label: string
  /** A new password has a hint about its length, and password managers offer to generate it. */
  kind: 'current' | 'new'
  error?: string | undefined
  value: string
  onChange: (value: string) => void
}

export function PasswordField({ label, kind, error, value, onChange }: PasswordFieldProps) {
  const isNew = kind === 'new'
  return (
    <Field label={label} hint={isNew && `At least ${MIN_PASSWORD_LENGTH} characters.`} error={error}>
      {(props) => (
        <Input
          {...props}
          type="password"
          required
          minLength={isNew ? MIN_PASSWORD_LENGTH : undefined}
          autoComplete={`${kind}-password`}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
