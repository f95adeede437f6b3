import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useId, useLayoutEffect, useState } from 'react'
import { customerChoicesQuery, customerLookUpQuery, customerQuery } from '../api/customers.ts'
import type { Customer } from '../api/records.ts'
import { isolated } from '../isolated.ts'
import { useSettled } from '../use-settled.ts'
import { Input } from './ui/input.tsx'

/** After the last key. */
const CHOICES_DELAY_MS = 150

interface CustomerSelectProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  /** What is chosen, by UUID or external_id; empty for none. */
  value: string
  by: 'id' | 'external_id'
  onChange: (customer: Customer | null) => void
  /** Told, by a function that stays the same, how it stands with what was written last; null once it is chosen. */
  onLookUp?: (lookUp: CustomerLookUp | null) => void
}

/** Of an external_id that is written and not chosen: whoever was chosen before is not meant any more. */
export interface CustomerLookUp {
  externalId: string
  state: 'pending' | 'unknown' | 'failed'
}

/** What a field says of it. */
export function lookUpError(lookUp: CustomerLookUp | null): string | undefined {
  if (lookUp?.state === 'unknown') return `There is no customer ${isolated(lookUp.externalId)}`
  if (lookUp?.state === 'failed') return `${isolated(lookUp.externalId)} could not be looked up: try again`
  return undefined
}

/** A customer by its external_id: those are offered whose external_id or name begins as what is written, at first the newest. */
export function CustomerSelect({ value, by, onChange, onLookUp, ...props }: CustomerSelectProps) {
  const listId = useId()
  const [text, setText] = useState('')
  const [wanted, setWanted] = useState('')
  const [attempt, setAttempt] = useState(0)
  const asked = useSettled(text.trim() === value ? '' : text.trim(), CHOICES_DELAY_MS)
  const { data: choices } = useQuery(customerChoicesQuery(asked))
  const chosen = useQuery({ ...customerQuery(value), enabled: value !== '' && by === 'id' })
  const found = useQuery({ ...customerLookUpQuery(wanted, attempt), enabled: wanted !== '' })
  const nameOfValue = by === 'external_id' ? value : value && (chosen.data?.external_id ?? '')

  // Another choice shows its name, but not in the place of what was written since.
  const [shown, setShown] = useState('')
  if (shown !== nameOfValue) {
    setShown(nameOfValue)
    if (text === shown || text === '') setText(nameOfValue)
  }
  const match = wanted ? found.data?.data[0] : undefined
  // In one step with what is told of the look-up: in between, whoever was chosen before would seem to be meant.
  useLayoutEffect(() => {
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
    if (text === '' || text === nameOfValue || (text === wanted && found.isFetching)) return
    setWanted(text)
    // What was not found, or failed, may be there by now.
    setAttempt((attempt) => attempt + 1)
  }
  const isOpen = text !== '' && text !== nameOfValue && !match
  const state = !isOpen
    ? null
    : wanted === '' || found.isFetching
      ? 'pending'
      : found.isSuccess
        ? 'unknown'
        : 'failed'
  // At once: Enter in the field submits the form right after it.
  useLayoutEffect(() => onLookUp?.(state && { externalId: text, state }), [state, text, onLookUp])
  const isUnknown = state === 'unknown'
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
