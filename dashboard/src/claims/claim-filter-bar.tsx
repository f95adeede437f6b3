import { useNavigate } from '@tanstack/react-router'
import { Search, SlidersHorizontal, X } from 'lucide-react'
import { useId, useState } from 'react'
import { STATUSES } from '../../../src/core/claims/lifecycle.ts'
import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import { isGiven } from '../api/metadata-filters.ts'
import type { ClaimKind } from '../api/records.ts'
import { SchemaSelect } from '../claim-schemas/schema-select.tsx'
import { Button } from '../components/button.tsx'
import { DebouncedInput } from '../components/debounced-input.tsx'
import { Select } from '../components/select.tsx'
import { CustomerSelect } from '../customers/customer-select.tsx'
import { TestClockSelect } from '../test-clocks/test-clock-select.tsx'
import type { ClaimSearch } from './claim-filters.ts'
import type { ClaimFilters } from './claims-api.ts'
import { ColumnMenu, type useColumns } from './column-menu.tsx'
import { countMore, MoreFilters } from './more-filters.tsx'
import { SavedFiltersMenu } from './saved-filters-menu.tsx'

/** The statuses and two common combinations. */
const STATUS_CHOICES: readonly string[] = [...STATUSES, 'OPEN,PENDING', 'CONFIRMED,FAILED']

const wordsOf = (statuses: string) => statuses.split(',').join(' or ')

interface ClaimFilterBarProps {
  kind: ClaimKind
  filters: ClaimFilters
  columns: ReturnType<typeof useColumns>
}

/** The filters of a list. They are in the URL, so that a filtered list can be shared. */
export function ClaimFilterBar({ kind, filters, columns }: ClaimFilterBarProps) {
  const navigate = useNavigate()
  // Based on the URL, not on `filters`: a change just before may not be rendered yet.
  const show = (changed: ClaimFilters) =>
    void navigate({
      to: `/${kind}`,
      search: ({ after: _, ...before }: ClaimSearch) => withoutEmpty({ ...before, ...changed }),
    })
  /** Changes the keys of the fields, which drops their typed text. */
  const [clearings, setClearings] = useState(0)
  const forgetWritten = () => setClearings((before) => before + 1)
  const isFiltered = Object.keys(filters).length > 0
  const more = countMore(filters)
  const [isOpen, setOpen] = useState(more > 0)
  const moreId = useId()
  const { status = '' } = filters
  return (
    <search className="mb-4 grid grid-cols-2 gap-2 sm:grid-cols-3 lg:grid-cols-[minmax(11rem,1.6fr)_repeat(4,minmax(0,1fr))_auto]">
      <SearchField
        key={`search ${clearings}`}
        kind={kind}
        value={filters.search ?? ''}
        onSearch={(search) => show({ search })}
      />
      <Select
        aria-label="Status"
        value={status}
        onChange={(event) => show({ status: event.target.value || undefined })}
      >
        <option value="">Any status</option>
        {STATUS_CHOICES.map((choice) => (
          <option key={choice} value={choice}>
            {wordsOf(choice)}
          </option>
        ))}
        {status && !STATUS_CHOICES.includes(status) ? (
          <option value={status}>{wordsOf(status)}</option>
        ) : null}
      </Select>
      <CustomerSelect
        key={`customer ${clearings}`}
        aria-label="Customer"
        value={filters.customer ?? ''}
        by={kind === 'claims' ? 'id' : 'external_id'}
        onChange={(customer) => show({ customer: kind === 'claims' ? customer?.id : customer?.external_id })}
      />
      <SchemaSelect
        aria-label="Schema"
        none="Any schema"
        value={filters.schema ?? ''}
        onChange={(schema) => show({ schema })}
      />
      <TestClockSelect
        aria-label="Test clock"
        none="Live and test"
        isLiveOffered
        value={filters.clock ?? ''}
        onChange={(clock) => show({ clock })}
      />
      <div className="col-span-full flex gap-2 lg:col-span-1">
        <Button aria-expanded={isOpen} aria-controls={moreId} onClick={() => setOpen(!isOpen)}>
          <SlidersHorizontal aria-hidden /> More{more > 0 ? ` (${more})` : ''}
          <span className="sr-only"> filters</span>
        </Button>
        <SavedFiltersMenu kind={kind} filters={filters} onApply={forgetWritten} />
        <ColumnMenu kind={kind} columns={columns} />
        <Button
          variant="ghost"
          aria-label="Clear"
          className={isFiltered ? 'lg:max-2xl:px-2.5' : 'max-lg:hidden lg:max-2xl:px-2.5'}
          disabled={!isFiltered}
          onClick={() => {
            forgetWritten()
            void navigate({ to: `/${kind}`, search: {} })
          }}
        >
          <X aria-hidden /> <span className="lg:max-2xl:hidden">Clear</span>
        </Button>
      </div>
      <div id={moreId} className="contents">
        {isOpen ? <MoreFilters key={clearings} filters={filters} onChange={show} /> : null}
      </div>
    </search>
  )
}

function withoutEmpty(filters: ClaimFilters): ClaimFilters {
  return Object.fromEntries(Object.entries(filters).filter(isGiven))
}

/** After the last key. */
const SEARCH_DELAY_MS = 250

interface SearchFieldProps {
  kind: ClaimKind
  value: string
  onSearch: (text: string) => void
}

function SearchField({ kind, value, onSearch }: SearchFieldProps) {
  const hint = kind === 'claims' ? 'Reference or id' : 'Start of an alias'
  return (
    <div className="relative col-span-2 sm:col-span-3 lg:col-span-1">
      <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-muted" />
      <DebouncedInput
        type="search"
        aria-label={`Search ${kind}`}
        aria-keyshortcuts="/"
        className="pl-9"
        maxLength={MAX_NAME_LENGTH}
        placeholder={hint}
        title={`${hint} ( / )`}
        value={value}
        onChange={onSearch}
        delayMs={SEARCH_DELAY_MS}
      />
    </div>
  )
}
