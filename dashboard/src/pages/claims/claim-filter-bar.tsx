import { useNavigate } from '@tanstack/react-router'
import { Search, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { STATUSES, type Status } from '../../../../src/domain/claims/lifecycle.ts'
import type { ClaimFilters, ClaimKind } from '../../api/claims.ts'
import { CustomerSelect } from '../../components/customer-select.tsx'
import { SchemaSelect } from '../../components/schema-select.tsx'
import { TestClockSelect } from '../../components/test-clock-select.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Input } from '../../components/ui/input.tsx'
import { Select } from '../../components/ui/select.tsx'

interface ClaimFilterBarProps {
  kind: ClaimKind
  filters: ClaimFilters
}

/** The filters of a list; they live in the URL, so that a filtered list can be shared. */
export function ClaimFilterBar({ kind, filters }: ClaimFilterBarProps) {
  const navigate = useNavigate()
  const show = (changed: ClaimFilters) =>
    void navigate({ to: `/${kind}`, search: withoutEmpty({ ...filters, ...changed }) })
  const isFiltered = Object.keys(filters).length > 0
  return (
    <search className="mb-4 grid grid-cols-2 gap-2 sm:grid-cols-3 lg:grid-cols-[minmax(11rem,1.6fr)_repeat(4,minmax(0,1fr))_auto]">
      <SearchField kind={kind} value={filters.search ?? ''} onSearch={(search) => show({ search })} />
      <Select
        aria-label="Status"
        value={filters.status ?? ''}
        onChange={(event) => show({ status: (event.target.value || undefined) as Status | undefined })}
      >
        <option value="">Any status</option>
        {STATUSES.map((status) => (
          <option key={status}>{status}</option>
        ))}
      </Select>
      <CustomerSelect
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
        value={filters.clock ?? ''}
        onChange={(clock) => show({ clock })}
      />
      <Button
        variant="ghost"
        className={isFiltered ? undefined : 'max-lg:hidden'}
        disabled={!isFiltered}
        onClick={() => void navigate({ to: `/${kind}`, search: {} })}
      >
        <X aria-hidden /> Clear
      </Button>
    </search>
  )
}

function withoutEmpty(filters: ClaimFilters): ClaimFilters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value))
}

/** After the last key. */
const SEARCH_DELAY_MS = 250

interface SearchFieldProps {
  kind: ClaimKind
  value: string
  onSearch: (text: string) => void
}

function SearchField({ kind, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  const wanted = text.trim()
  // At once, and not in an effect: on a busy machine what was written before would be searched for again.
  if (shown !== value) {
    setShown(value)
    setText(value)
  }
  useEffect(() => {
    if (wanted === value) return
    const timer = setTimeout(() => onSearch(wanted), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  })
  const hint = kind === 'claims' ? 'Reference or id' : 'Beginning of an alias'
  return (
    <div className="relative col-span-2 sm:col-span-3 lg:col-span-1">
      <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-muted" />
      <Input
        type="search"
        aria-label={`Search ${kind}`}
        aria-keyshortcuts="/"
        className="pl-9"
        maxLength={255}
        placeholder={hint}
        title={`${hint} ( / )`}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </div>
  )
}
