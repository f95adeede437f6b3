import type { ComponentProps, ReactNode } from 'react'

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'checked' | 'disabled' | 'onChange'> {
  isChecked: boolean
  /** Missing for a read-only checkbox. */
  onChange?: (isChecked: boolean) => void
  children: ReactNode
}

/** A checkbox with its label. */
export const Checkbox = ({ isChecked, onChange, children, ...props }: CheckboxProps) => (
  <label className="flex w-fit items-start gap-2">
    <input
      {...props}
      type="checkbox"
      className="mt-0.5 size-4 shrink-0 accent-accent"
      checked={isChecked}
      disabled={!onChange}
      onChange={({ target }) => onChange?.(target.checked)}
    />
    <span className="min-w-0">{children}</span>
  </label>
)
