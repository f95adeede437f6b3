import { useNavigate } from '@tanstack/react-router'
import { Search, SlidersHorizontal } from 'lucide-react'
import { useId, useState } from 'react'
import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import { metadataPairsIn } from '../api/metadata-filters.ts'
import { Button } from '../components/button.tsx'
import { DebouncedInput } from '../components/debounced-input.tsx'
import { MetadataFilter } from '../metadata/metadata-filter.tsx'
import { type CustomerSearch, readCustomerSearch } from './customer-filters.ts'

/** After the last key. */
const SEARCH_DELAY_MS = 250

/** Filters by the start of an external_id or name, and by metadata. */
export function CustomerFilterBar({ filters }: { filters: CustomerSearch }) {
  const navigate = useNavigate()
  const show = (changed: CustomerSearch) =>
    void navigate({
      to: '/customers',
      search: ({ after: _, ...before }: CustomerSearch) => readCustomerSearch({ ...before, ...changed }),
    })
  const more = metadataPairsIn(filters).length
  const [isOpen, setOpen] = useState(more > 0)
  const moreId = useId()
  return (
    <search className="mb-4 grid gap-2">
      <div className="flex max-w-xl gap-2">
        <div className="relative min-w-0 flex-1">
          <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-muted" />
          <DebouncedInput
            type="search"
            aria-label="Search customers"
            aria-keyshortcuts="/"
            className="pl-9"
            placeholder="Start of an external id or name"
            title="Start of an external id or name ( / )"
            maxLength={MAX_NAME_LENGTH}
            value={filters.search ?? ''}
            onChange={(search) => show({ search })}
            delayMs={SEARCH_DELAY_MS}
          />
        </div>
        <Button aria-expanded={isOpen} aria-controls={moreId} onClick={() => setOpen(!isOpen)}>
          <SlidersHorizontal aria-hidden /> More{more > 0 ? ` (${more})` : ''}
          <span className="sr-only"> filters</span>
        </Button>
      </div>
      <div id={moreId} className="rounded-xl border bg-surface p-4 empty:hidden">
        {isOpen ? <MetadataFilter filters={filters} onChange={show} /> : null}
      </div>
    </search>
  )
}
