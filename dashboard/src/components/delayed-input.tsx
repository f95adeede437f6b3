import { type ComponentProps, useEffect, useState } from 'react'
import { Input } from './ui/input.tsx'

interface DelayedInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  value: string
  /** Hears of what was written once nothing was changed for a moment. */
  onChange: (text: string) => void
  delayMs: number
}

/** A field whose text is taken a moment after the last key, or when it is left. */
export function DelayedInput({ value, onChange, delayMs, ...props }: DelayedInputProps) {
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  const wanted = text.trim()
  // At once, and not in an effect: on a busy machine what was written before would be taken again.
  if (shown !== value) {
    setShown(value)
    setText(value)
  }
  const take = () => {
    if (wanted !== value) onChange(wanted)
  }
  useEffect(() => {
    if (wanted === value) return
    const timer = setTimeout(() => onChange(wanted), delayMs)
    return () => clearTimeout(timer)
  })
  return <Input {...props} value={text} onChange={(event) => setText(event.target.value)} onBlur={take} />
}
