import type { ComponentProps } from 'react'
import { Input } from './ui/input.tsx'
import { useDelayed } from './use-delayed.ts'

interface DelayedInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  value: string
  /** Hears of what was written once nothing was changed for a moment. */
  onChange: (text: string) => void
  delayMs: number
}

/** A field whose text is taken a moment after the last key. */
export function DelayedInput({ value, onChange, delayMs, ...props }: DelayedInputProps) {
  const [text, setText] = useDelayed({ value, onChange, delayMs })
  return <Input {...props} value={text} onChange={(event) => setText(event.target.value)} />
}
