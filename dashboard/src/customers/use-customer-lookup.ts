import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import type { Customer } from '../api/records.ts'
import { useIsAsked } from '../components/dialog.tsx'
import { useSettled } from '../components/use-debounced.ts'
import { useStillWhilePressed } from '../components/use-stable-while-pressed.ts'
import { isolated } from '../format/bidi.ts'
import { customerChoicesQuery, customersQuery } from './customers-api.ts'

/** After the last key. */
const CHOICES_DELAY_MS = 150
const NOBODY: readonly Customer[] = []

export interface WrittenCustomer {
  text: string
  /** The customer with this external_id. Null if unknown or not found. */
  customer: Customer | null
  /** Customers whose external_id or name starts with the text. For an empty text, the newest. */
  choices: readonly Customer[]
  /** The lookup has not finished. */
  isOpen: boolean
  /** No customer has this external_id. */
  isUnknown: boolean
  /** The error to show at the field. */
  error: string | undefined
  /** Starts a lookup unless the customer is known. */
  lookUp: () => void
}

/** The customer whose external_id equals the text. It depends only on the current text, so a late response for an earlier
 * text has no effect.
 */
export function useWrittenCustomer(text: string, known: Customer | undefined): WrittenCustomer {
  const [asked, setAsked] = useState('')
  const offered = useQuery(customerChoicesQuery(useSettled(text.trim(), CHOICES_DELAY_MS)))
  const choices = offered.data?.data ?? NOBODY
  const isAsked = text !== '' && text === asked
  const choice = [...(known ? [known] : []), ...choices].find(({ external_id }) => external_id === text)
  const found = useQuery({ ...customersQuery({ external_id: text, limit: 1 }), enabled: isAsked && !choice })
  const customer = choice ?? found.data?.data[0] ?? null
  const isNobody = text !== '' && customer === null
  const isOpen = isNobody && (!isAsked || found.isFetching)
  // Keep the message during another lookup, so that buttons do not move while they are pressed.
  const isUnknown = isNobody && isAsked && found.isSuccess
  const isFailed = isNobody && isAsked && !found.isSuccess && found.errorUpdateCount > 0
  const error = isUnknown
    ? `There is no customer ${isolated(text)}`
    : isFailed
      ? `${isolated(text)} could not be looked up. Try again.`
      : undefined
  const told = useStillWhilePressed({ isUnknown, error })
  return {
    text,
    customer,
    choices,
    isOpen,
    ...told,
    lookUp: () => {
      if (!isNobody) return
      setAsked(text)
      // A customer that was not found may exist by now.
      if (isAsked) void found.refetch({ cancelRefetch: false })
    },
  }
}

/** `useWrittenCustomer` for a form with an initial customer. */
export function useCustomerChoice(begun: Customer | undefined) {
  const [written, write] = useState<string | null>(null)
  const choice = useWrittenCustomer(written ?? begun?.external_id ?? '', begun)
  return { ...choice, isTouched: written !== null, write }
}

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
