import { Search } from 'lucide-react'
import { DelayedInput } from '../../components/delayed-input.tsx'

interface CustomerSearchProps {
  value: string
  onSearch: (text: string) => void
}

/** After the last key. */
const SEARCH_DELAY_MS = 250

/** By the beginning of an external_id or of a name. */
export const CustomerSearch = ({ value, onSearch }: CustomerSearchProps) => (
  <search className="relative mb-4 block max-w-md">
    <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-muted" />
    <DelayedInput
      type="search"
      aria-label="Search customers"
      aria-keyshortcuts="/"
      className="pl-9"
      placeholder="Beginning of an external id or a name"
      title="Beginning of an external id or a name ( / )"
      maxLength={255}
      value={value}
      onChange={onSearch}
      delayMs={SEARCH_DELAY_MS}
    />
  </search>
)
