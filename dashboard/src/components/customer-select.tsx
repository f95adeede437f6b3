import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useEffect, useId, useState } from 'react'
import { customerChoicesQuery, customerQuery, customersQuery } from '../api/customers.ts'
import type { Customer } from '../api/records.ts'
import { useSettled } from '../use-settled.ts'
import { Input } from './ui/input.tsx'

/** After the last key. */
const CHOICES_DELAY_MS = 150

interface CustomerSelectProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  /** What is chosen, by UUID or external_id; empty for none. */
  value: string
  by: 'id' | 'external_id'
  onChange: (customer: Customer | null) => void
  /** Gets the external_id that was written out if no customer has it, and then null again. */
  onUnknown?: (externalId: string | null) => void
}

/** A customer by its external_id: those are offered whose external_id or name begins as what is written, at first the newest. */
export function CustomerSelect({ value, by, onChange, onUnknown, ...props }: CustomerSelectProps) {
  const listId = useId()
  const [text, setText] = useState('')
  const [wanted, setWanted] = useState('')
  const asked = useSettled(text.trim() === value ? '' : text.trim(), CHOICES_DELAY_MS)
  const { data: choices } = useQuery(customerChoicesQuery(asked))
  const chosen = useQuery({ ...customerQuery(value), enabled: value !== '' && by === 'id' })
  const found = useQuery({ ...customersQuery({ external_id: wanted, limit: 1 }), enabled: wanted !== '' })
  const nameOfValue = by === 'external_id' ? value : value && (chosen.data?.external_id ?? '')

  // Another choice shows its name; one that is taken back leaves what is being written.
  const [shown, setShown] = useState('')
  if (shown !== nameOfValue) {
    setShown(nameOfValue)
    if (nameOfValue || !wanted) setText(nameOfValue)
  }
  const match = wanted ? found.data?.data[0] : undefined
  useEffect(() => {
    if (!match) return
    setWanted('')
    onChange(match)
  }, [match, onChange])

  const write = (written: string) => {
    setText(written)
    setWanted('')
    const choice = choices?.data.find(({ external_id }) => external_id === written)
    if (choice) onChange(choice)
    else if (written === '') onChange(null)
  }
  const lookUp = () => {
    if (text !== '' && text !== nameOfValue) setWanted(text)
  }
  const isUnknown = wanted !== '' && found.isSuccess && !match
  useEffect(() => onUnknown?.(isUnknown ? wanted : null), [isUnknown, wanted, onUnknown])
  return (
    <>
      <Input
        placeholder="Any customer"
        {...props}
        list={listId}
        value={text}
        onChange={(event) => write(event.target.value)}
        onBlur={lookUp}
        onKeyDown={(event) => event.key === 'Enter' && lookUp()}
        aria-invalid={isUnknown || props['aria-invalid']}
        title={isUnknown ? `There is no customer ${text}` : undefined}
      />
      <datalist id={listId}>
        {choices?.data.map(({ id, external_id, name }) => (
          <option key={id} value={external_id}>
            {name ?? ''}
          </option>
        ))}
      </datalist>
    </>
  )
}
