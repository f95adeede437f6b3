import { useEffect, useState } from 'react'

interface Delayed {
  value: string
  /** Hears of what was written once nothing was changed for a moment. */
  onChange: (text: string) => void
  delayMs: number
}

type Writing = [text: string, write: (text: string) => void, take: () => void]

/** A text as it is being written, which is taken a moment after the last key; and `take`, for when its field is left. */
export function useDelayed({ value, onChange, delayMs }: Delayed): Writing {
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
  return [text, setText, take]
}
