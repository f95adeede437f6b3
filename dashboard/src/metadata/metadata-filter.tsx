import { Plus, X } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { MAX_METADATA_FILTERS } from '../../../src/kernel/limits.ts'
import { MAX_QUERY_LENGTH, withQuery } from '../api/client.ts'
import { filterBy, type MetadataFilters, metadataPairsIn } from '../api/metadata-filters.ts'
import { Button } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Input } from '../components/input.tsx'
import { isolate } from '../format/bidi.ts'
import { MISSING_KEY, newRow, problemsIn, type RowProblems } from './metadata-rows.ts'
import { MetadataValue } from './metadata-value.tsx'

interface MetadataFilterProps {
  /** All filters of the list. */
  filters: object
  onChange: (changed: MetadataFilters) => void
}

const problemOfLength = (filters: object): RowProblems =>
  withQuery('', { ...filters }).length > MAX_QUERY_LENGTH
    ? {
        value: 'The filters are too long together. Use a shorter value or remove another filter.',
      }
    : {}

/** The metadata filters of a list, and a form that adds one. Adding an existing key replaces its value. */
export function MetadataFilter({ filters, onChange }: MetadataFilterProps) {
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const [problems, setProblems] = useState<RowProblems>({})
  const keyField = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const row = newRow(key, value)
    const others = metadataPairsIn(filters).filter(([asked]) => asked !== key)
    const found =
      key === ''
        ? { key: MISSING_KEY }
        : others.length >= MAX_METADATA_FILTERS
          ? { key: `A list can be filtered by at most ${MAX_METADATA_FILTERS} keys.` }
          : (problemsIn([row]).get(row.id) ?? problemOfLength({ ...filters, ...filterBy(key, value) }))
    setProblems(found)
    if (found.key || found.value) return
    onChange(filterBy(key, value))
    setKey('')
    setValue('')
    keyField.current?.focus()
  }
  return (
    <fieldset className="col-span-full grid min-w-0 gap-2.5">
      <legend className="sr-only">Metadata</legend>
      <Form
        onSubmit={submit}
        onInput={() => setProblems({})}
        className="grid items-start gap-2 sm:grid-cols-[minmax(0,14rem)_minmax(0,20rem)_auto] sm:justify-start"
      >
        <Field label="Metadata key" error={problems.key}>
          {(props) => (
            <Input
              {...props}
              ref={keyField}
              dir="auto"
              placeholder="order"
              value={key}
              onChange={({ target }) => setKey(target.value)}
            />
          )}
        </Field>
        <Field label="Metadata value" error={problems.value}>
          {(props) => (
            <Input
              {...props}
              dir="auto"
              placeholder="A-4711"
              value={value}
              onChange={({ target }) => setValue(target.value)}
            />
          )}
        </Field>
        <Button type="submit" className="justify-self-start sm:mt-[1.6rem]">
          <Plus aria-hidden /> Add filter
        </Button>
      </Form>
      <ul aria-label="Metadata filters" className="flex flex-wrap items-start gap-2 empty:hidden">
        {metadataPairsIn(filters).map(([key, value]) => (
          <li
            key={key}
            className="flex max-w-full items-center gap-1 rounded-lg bg-accent-soft ps-2.5 text-accent"
          >
            <span className="min-w-0 py-1">
              <bdi className="font-medium">{key}</bdi>: <MetadataValue text={value} />
            </span>
            <Button
              variant="ghost"
              size="icon"
              className="size-8 text-inherit"
              aria-label={`Remove the filter by ${isolate(key)}`}
              onClick={() => {
                keyField.current?.focus()
                onChange(filterBy(key, undefined))
              }}
            >
              <X aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
