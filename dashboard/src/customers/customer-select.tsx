import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type ComponentProps, useEffect, useRef, useState } from 'react'
import type { Customer } from '../api/records.ts'
import { CustomerInput } from './customer-input.tsx'
import { useCustomerNames } from './customer-names.ts'
import { customerQuery } from './customers-api.ts'
import { useCustomerLookup } from './use-customer-lookup.ts'

interface CustomerSelectProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  /** UUID or external_id of the chosen customer. Empty for none. */
  value: string
  by: 'id' | 'external_id'
  onChange: (customer: Customer | null) => void
}

/** The customer filter of a list. A text that is no customer does not change the filter. */
export function CustomerSelect({ value, by, onChange, ...props }: CustomerSelectProps) {
  const [text, setText] = useState<string | null>(null)
  const chosen = useQuery({ ...customerQuery(value), enabled: value !== '' && by === 'id' })
  const nameOf = useCustomerNames()
  const nameOfValue =
    by === 'external_id' || value === '' ? value : (chosen.data?.external_id ?? nameOf(value))
  // The text of the chosen customer is not looked up: it may be a shortened id.
  const written = useCustomerLookup(text ?? '', undefined)
  const reported = useRef(value)
  const report = (customer: Customer | null) => {
    reported.current = customer?.[by] ?? ''
    onChange(customer)
  }
  const latestReport = useRef(report)
  latestReport.current = report
  const { customer } = written
  useEffect(() => {
    if (text !== null && customer && customer[by] !== reported.current) latestReport.current(customer)
  }, [text, customer, by])
  // The filter was changed elsewhere: drop the typed text.
  useEffect(() => {
    if (value === reported.current) return
    reported.current = value
    setText(null)
  }, [value])
  // Drop it also on back and forward, which may lead to the same customer.
  const { history } = useRouter()
  useEffect(
    () =>
      history.subscribe(({ action }) => {
        if (action.type !== 'PUSH' && action.type !== 'REPLACE') setText(null)
      }),
    [history],
  )
  return (
    <CustomerInput
      placeholder="Any customer"
      {...props}
      written={{ ...written, text: text ?? nameOfValue }}
      onWrite={(text) => {
        setText(text)
        if (text === '') report(null)
      }}
      aria-invalid={written.error !== undefined || props['aria-invalid']}
      title={written.error}
    />
  )
}
