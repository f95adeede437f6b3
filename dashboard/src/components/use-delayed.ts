import { useEffect, useState } from 'react'

interface Delayed {
  value: string
  /** Hears of what was written once nothing was changed for a moment. */
  onChange: (text: string) => void
  delayMs: number
}

/** A text that is taken a moment after the last key, as it is being written. */
export function useDelayed({ value, onChange, delayMs }: Delayed): [string, (text: string) => void] {
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  const wanted = text.trim()
  // At once, and not in an effect: on a busy machine what was written before would be taken again.
  if (shown !== value) {
    setShown(value)
    setText(value)
  }
  useEffect(() => {
    if (wanted === value) return
    const timer = setTimeout(() => onChange(wanted), delayMs)
    return () => clearTimeout(timer)
  })
  return [text, setText]
}
