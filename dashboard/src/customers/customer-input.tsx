import { type ComponentProps, useId, useLayoutEffect, useRef } from 'react'
import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import { Input } from '../components/input.tsx'
import type { CustomerLookup } from './use-customer-lookup.ts'

interface CustomerInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  written: CustomerLookup
  onWrite: (text: string) => void
}

/** A customer's external_id with suggestions. The customer is looked up on blur and on Enter. */
export function CustomerInput({ written, onWrite, ...props }: CustomerInputProps) {
  const { text, choices, lookUp } = written
  const listId = useId()
  const input = useRef<HTMLInputElement>(null)
  // A name that loads while the field has the focus is selected, so that typing replaces it.
  const writtenHere = useRef(text)
  useLayoutEffect(() => {
    if (text !== writtenHere.current && document.activeElement === input.current) input.current?.select()
    writtenHere.current = text
  }, [text])
  return (
    <>
      <Input
        {...props}
        ref={input}
        list={listId}
        maxLength={MAX_NAME_LENGTH}
        value={text}
        onChange={({ target }) => {
          writtenHere.current = target.value
          onWrite(target.value)
        }}
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
