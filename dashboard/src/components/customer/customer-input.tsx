import { type ComponentProps, useId } from 'react'
import { Input } from '../ui/input.tsx'
import type { WrittenCustomer } from './use-written-customer.ts'

interface CustomerInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  written: WrittenCustomer
  onWrite: (text: string) => void
}

/** A customer by its external_id, with those to choose from; looked up when the field is left, or by Enter. */
export function CustomerInput({ written, onWrite, ...props }: CustomerInputProps) {
  const { text, choices, lookUp } = written
  const listId = useId()
  return (
    <>
      <Input
        {...props}
        list={listId}
        maxLength={255}
        value={text}
        onChange={({ target }) => onWrite(target.value)}
        onBlur={lookUp}
        onKeyDown={(event) => event.key === 'Enter' && lookUp()}
      />
      <datalist id={listId}>
        {choices.map(({ id, external_id, name }) => (
          <option key={id} value={external_id}>
            {name ?? ''}
          </option>
        ))}
      </datalist>
    </>
  )
}
