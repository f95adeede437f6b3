import { type FormEvent, useEffect, useState } from 'react'
import { useIsAsked } from '../components/dialog.tsx'
import type { WrittenCustomer } from './use-customer-lookup.ts'

/**
 * Submits a form about the customer that is written in it, or about none in particular (null): at once if it is known, else as soon as
 * it was looked up. Until then the press is on its way, and whoever goes on writing, or makes it about none, takes it back.
 * Nor is it sent while the dialog asks whether to discard it.
 */
export function useSubmitOnceFound(written: WrittenCustomer | null, onSubmit: () => void) {
  const [isWaiting, setWaiting] = useState(false)
  const isAsked = useIsAsked()
  useEffect(() => {
    if (!isWaiting || isAsked || written?.isOpen) return
    setWaiting(false)
    if (written) onSubmit()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!written || written.customer || written.text === '') return onSubmit()
    written.lookUp()
    setWaiting(true)
  }
  return { isWaiting, onSubmit: submit, onInput: () => setWaiting(false) }
}
