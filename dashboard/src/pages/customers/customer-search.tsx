import { Search } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '../../components/ui/button.tsx'
import { Input } from '../../components/ui/input.tsx'

interface CustomerSearchProps {
  value: string
  onSearch: (externalId: string) => void
}

/** By the whole external_id: the service knows no other search. */
export function CustomerSearch({ value, onSearch }: CustomerSearchProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSearch(text.trim())
  }
  const write = (written: string) => {
    setText(written)
    if (written === '' && value !== '') onSearch('')
  }
  return (
    <search className="mb-4 block">
      <form onSubmit={submit} className="flex max-w-md gap-2">
        <span className="relative flex-1">
          <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-muted" />
          <Input
            type="search"
            aria-label="Search customers"
            aria-keyshortcuts="/"
            className="pl-9"
            placeholder="External id, in full"
            maxLength={255}
            value={text}
            onChange={({ target }) => write(target.value)}
          />
        </span>
        <Button type="submit">Search</Button>
      </form>
    </search>
  )
}
