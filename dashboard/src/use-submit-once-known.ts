import { type FormEvent, useEffect, useState } from 'react'

/**
 * Submits a form: at once if what it is made of is known, else as soon as it is. Until then the press is on its way, and whoever goes on
 * writing takes it back.
 */
export function useSubmitOnceKnown(isKnown: boolean, onSubmit: () => void) {
  const [isWaiting, setWaiting] = useState(false)
  useEffect(() => {
    if (!isWaiting || !isKnown) return
    setWaiting(false)
    onSubmit()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isKnown) onSubmit()
    else setWaiting(true)
  }
  return { isWaiting, onSubmit: submit, onInput: () => setWaiting(false) }
}
