import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { customerChoicesQuery, customersQuery } from '../../api/customers.ts'
import type { Customer } from '../../api/records.ts'
import { isolated } from '../../isolated.ts'
import { useSettled } from '../../use-settled.ts'
import { useStillWhilePressed } from '../ui/use-still-while-pressed.ts'

/** After the last key. */
const CHOICES_DELAY_MS = 150
const NOBODY: readonly Customer[] = []

export interface WrittenCustomer {
  text: string
  /** Whose external_id it is; null if that is not known, or nobody's. */
  customer: Customer | null
  /** Those whose external_id or name begins as the text; at first the newest. */
  choices: readonly Customer[]
  /** Whose it is, is still to be found out. */
  isOpen: boolean
  /** Nobody has it, as far as is told. */
  isUnknown: boolean
  /** What is to be told of it at its field. */
  error: string | undefined
  /** Has it looked up, if it is not known whose it is. */
  lookUp: () => void
}

/**
 * The customer whose external_id a text is. It follows from the text alone: whoever was written before, or is found or made too late, is
 * never meant.
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
  // Also while it is looked up again: what is told stays where it is, and with it the button that is being pressed.
  const isUnknown = isNobody && isAsked && found.isSuccess
  const isFailed = isNobody && isAsked && !found.isSuccess && found.errorUpdateCount > 0
  const error = isUnknown
    ? `There is no customer ${isolated(text)}`
    : isFailed
      ? `${isolated(text)} could not be looked up: try again`
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
      // What was not found, or failed, may be there by now.
      if (isAsked) void found.refetch({ cancelRefetch: false })
    },
  }
}

/** The same for a form, which begins with this one as soon as it is known. */
export function useCustomerChoice(begun: Customer | undefined) {
  const [written, write] = useState<string | null>(null)
  const choice = useWrittenCustomer(written ?? begun?.external_id ?? '', begun)
  return { ...choice, isTouched: written !== null, write }
}
