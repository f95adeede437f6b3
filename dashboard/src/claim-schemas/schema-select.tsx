import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { decisiveEventTypes } from '../../../src/core/contracts/contract.ts'
import type { ClaimSchema } from '../api/records.ts'
import { Select } from '../components/select.tsx'
import { useMoney } from '../components/use-money.ts'
import { isolate } from '../format/bidi.ts'
import { shortId } from '../format/short-id.ts'
import { schemasQuery } from './schemas-api.ts'

/** The name of a schema, or the events that its condition asks for. */
function schemaLabel({ id, name, contract }: ClaimSchema, money: (amount: number) => string): string {
  const title = name === null ? decisiveEventTypes(contract).map(isolate).join(', ') : isolate(name)
  return `${title || 'no event'} · ${money(contract.price)} · ${shortId(id)}`
}

interface SchemaSelectProps extends Omit<ComponentProps<'select'>, 'onChange'> {
  /** Empty for none. */
  value: string
  onChange: (id: string) => void
  /** The text for no schema, such as "Any schema". */
  none: string
}

export function SchemaSelect({ value, onChange, none, ...props }: SchemaSelectProps) {
  const { data: schemas = [] } = useQuery(schemasQuery)
  const money = useMoney()
  const isUnlisted = value !== '' && !schemas.some(({ id }) => id === value)
  return (
    <Select {...props} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{none}</option>
      {isUnlisted ? <option value={value}>Schema {shortId(value)}</option> : null}
      {schemas.toReversed().map((schema) => (
        <option key={schema.id} value={schema.id}>
          {schemaLabel(schema, money)}
        </option>
      ))}
    </Select>
  )
}
