import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import type { Customer } from '../api/records.ts'
import { useIsAskingToClose } from '../components/dialog.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { useStableWhilePressed } from '../components/use-stable-while-pressed.ts'
import { isolate } from '../format/bidi.ts'
import { customerChoicesQuery, customersQuery } from './customers-api.ts'

/** After the last key. */
const CHOICES_DELAY_MS = 150
const NO_CUSTOMERS: readonly Customer[] = []

export interface CustomerLookup {
  text: string
  /** The customer with this external_id. Null if unknown or not found. */
  customer: Customer | null
  /** Customers whose external_id or name starts with the text. For an empty text, the newest. */
  choices: readonly Customer[]
  /** The lookup has not finished. */
  isPending: boolean
  /** No customer has this external_id. */
  isNotFound: boolean
  /** The error to show at the field. */
  error: string | undefined
  /** Starts a lookup unless the customer is known. */
  lookUp: () => void
}

/** The customer whose external_id equals the text. It depends only on the current text, so a late response for an earlier
 * text has no effect.
 */
export function useCustomerLookup(text: string, known: Customer | undefined): CustomerLookup {
  const [lookedUpText, setLookedUpText] = useState('')
  const offered = useQuery(customerChoicesQuery(useDebounced(text.trim(), CHOICES_DELAY_MS)))
  const choices = offered.data?.data ?? NO_CUSTOMERS
  const isLookedUp = text !== '' && text === lookedUpText
  const choice = [...(known ? [known] : []), ...choices].find(({ external_id }) => external_id === text)
  const found = useQuery({
    ...customersQuery({ external_id: text, limit: 1 }),
    enabled: isLookedUp && !choice,
  })
  const customer = choice ?? found.data?.data[0] ?? null
  const hasNoMatch = text !== '' && customer === null
  const isPending = hasNoMatch && (!isLookedUp || found.isFetching)
  // Keep the message during another lookup, so that buttons do not move while they are pressed.
  const isNotFound = hasNoMatch && isLookedUp && found.isSuccess
  const isFailed = hasNoMatch && isLookedUp && !found.isSuccess && found.errorUpdateCount > 0
  const error = isNotFound
    ? `There is no customer ${isolate(text)}`
    : isFailed
      ? `${isolate(text)} could not be looked up. Try again.`
      : undefined
  const message = useStableWhilePressed({ isNotFound, error })
  return {
    text,
    customer,
    choices,
    isPending,
    ...message,
    lookUp: () => {
      if (!hasNoMatch) return
      setLookedUpText(text)
      // A customer that was not found may exist by now.
      if (isLookedUp) void found.refetch({ cancelRefetch: false })
    },
  }
}

/** `useCustomerLookup` for a form with an initial customer. */
export function useCustomerChoice(initial: Customer | undefined) {
  const [written, setWritten] = useState<string | null>(null)
  const choice = useCustomerLookup(written ?? initial?.external_id ?? '', initial)
  return { ...choice, isTouched: written !== null, setWritten }
}

/**
 * Submits a form about the customer that is written in it, or about none in particular (null): at once if it is known, else as soon as
 * it was looked up. Until then the submission is pending. Further typing, or the choice of no customer, cancels it.
 * Nothing is sent while the dialog asks whether to discard the form.
 */
export function useSubmitAfterLookup(written: CustomerLookup | null, onSubmit: () => void) {
  const [isWaiting, setWaiting] = useState(false)
  const isLookedUp = useIsAskingToClose()
  useEffect(() => {
    if (!isWaiting || isLookedUp || written?.isPending) return
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
