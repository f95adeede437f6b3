import type { ReactNode } from 'react'
import { askedPairs, isGiven, metadataFiltersIn } from '../../api/metadata-filters.ts'
import { useSchemaNames } from '../../claim-schemas/schema-names.ts'
import { DateTime } from '../../components/time.tsx'
import { useCustomerNames } from '../../customers/customer-names.ts'
import { LOCAL_NUMBERS } from '../../format/local-number.ts'
import { MetadataValue } from '../../metadata/metadata-value.tsx'
import type { ClaimFilters } from '../claims-api.ts'

/** The filters of a list without its order, by their names in the URL. */
export function FiltersInShort({ filters: { sort: _, ...filters } }: { filters: ClaimFilters }) {
  const wordsOf = useFilterWords()
  const metadata = metadataFiltersIn(filters)
  const others = Object.entries(filters).filter((filter) => isGiven(filter) && !(filter[0] in metadata))
  return (
    <ul aria-label="Filters" className="flex flex-wrap gap-1.5 text-xs empty:hidden">
      {others.map(([name, value]) => (
        <Filter key={name} name={name.replaceAll('_', ' ')}>
          <bdi>{wordsOf(name, value as string)}</bdi>
        </Filter>
      ))}
      {askedPairs(metadata).map(([key, value]) => (
        <Filter key={`metadata ${key}`} name={<bdi>{key}</bdi>}>
          <MetadataValue text={value} />
        </Filter>
      ))}
    </ul>
  )
}

const Filter = ({ name, children }: { name: ReactNode; children: ReactNode }) => (
  <li className="max-w-full rounded-md bg-sunken px-2 py-1 wrap-anywhere">
    <span className="text-muted">{name}</span> {children}
  </li>
)

/** Formats the value of a filter. */
function useFilterWords(): (name: string, value: string) => ReactNode {
  const nameOfCustomer = useCustomerNames()
  const nameOfSchema = useSchemaNames()
  return (name, value) => {
    if (name === 'customer') return nameOfCustomer(value)
    if (name === 'schema') return nameOfSchema(value)
    if (name.startsWith('price_')) return LOCAL_NUMBERS.writeDecimal(value)
    const isTime = /_(?:from|before)$/.test(name) && !Number.isNaN(Date.parse(value))
    return isTime ? <DateTime at={value} /> : value
  }
}
