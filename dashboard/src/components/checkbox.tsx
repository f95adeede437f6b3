import type { ReactNode } from 'react'

interface ChoiceProps {
  isChosen: boolean
  /** Missing for a read-only checkbox. */
  onChange?: (isChosen: boolean) => void
  children: ReactNode
}

/** A checkbox with its label. */
export const Choice = ({ isChosen, onChange, children }: ChoiceProps) => (
  <label className="flex w-fit items-start gap-2">
    <input
      type="checkbox"
      className="mt-0.5 size-4 shrink-0 accent-accent"
      checked={isChosen}
      disabled={!onChange}
      onChange={({ target }) => onChange?.(target.checked)}
    />
    <span className="min-w-0">{children}</span>
  </label>
)
