import type { ComponentProps } from 'react'
import { Input } from './input.tsx'
import { useDelayed } from './use-debounced-text.ts'

interface DelayedInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  value: string
  /** Called with the text when the user has stopped typing. */
  onChange: (text: string) => void
  delayMs: number
}

/** An input that reports its text after a pause in typing, or on blur. */
export function DelayedInput({ value, onChange, delayMs, ...props }: DelayedInputProps) {
  const [text, setText, take] = useDelayed({ value, onChange, delayMs })
  return <Input {...props} value={text} onChange={(event) => setText(event.target.value)} onBlur={take} />
}
