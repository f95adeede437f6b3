import { type ComponentProps, useEffect, useState } from 'react'
import { Input } from './input.tsx'

interface DebouncedInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  value: string
  /** Called with the text when the user has stopped typing. */
  onChange: (text: string) => void
  delayMs: number
}

/** An input that reports its text after a pause in typing, or on blur. */
export function DebouncedInput({ value, onChange, delayMs, ...props }: DebouncedInputProps) {
  const [text, setText, take] = useDelayed({ value, onChange, delayMs })
  return <Input {...props} value={text} onChange={(event) => setText(event.target.value)} onBlur={take} />
}

interface Delayed {
  value: string
  /** Called with the text when the user has stopped typing. */
  onChange: (text: string) => void
  delayMs: number
}

type Writing = [text: string, write: (text: string) => void, take: () => void]

/** A text that is reported after a pause in typing. `take` reports it immediately, on blur. */
export function useDelayed({ value, onChange, delayMs }: Delayed): Writing {
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  const wanted = text.trim()
  // During render, because an effect could run late and report the previous text again.
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
  return [text, setText, take]
}
