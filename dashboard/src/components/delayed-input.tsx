import type { ComponentProps } from 'react'
import { Input } from './ui/input.tsx'
import { useDelayed } from './use-delayed.ts'

interface DelayedInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  value: string
  /** Hears of what was written once nothing was changed for a moment. */
  onChange: (text: string) => void
  delayMs: number
}

/** A field whose text is taken a moment after the last key, or when it is left. */
export function DelayedInput({ value, onChange, delayMs, ...props }: DelayedInputProps) {
  const [text, setText, take] = useDelayed({ value, onChange, delayMs })
  return <Input {...props} value={text} onChange={(event) => setText(event.target.value)} onBlur={take} />
}
