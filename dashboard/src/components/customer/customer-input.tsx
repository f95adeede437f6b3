import { type ComponentProps, useId, useLayoutEffect, useRef } from 'react'
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
  const input = useRef<HTMLInputElement>(null)
  // A name that comes late, when somebody is about to write, is to be replaced by what is written, not lengthened.
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
        maxLength={255}
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
