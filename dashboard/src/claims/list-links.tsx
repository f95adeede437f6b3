import { Link } from '@tanstack/react-router'
import type { ClaimKind } from '../api/records.ts'
import type { ClaimFilters } from './claims-api.ts'

/** Filters of the two lists, for example of one customer. Claims and candidates name a customer differently. */
export type ListScope = Record<ClaimKind, ClaimFilters>

interface ListLinksProps {
  scope: ListScope
  /** Filters that both lists share. */
  filters?: ClaimFilters
  /** What the lists contain, for screen readers. */
  what: string
}

/** Links to the claims and candidates behind a figure or a short list. */
export const ListLinks = ({ scope, filters, what }: ListLinksProps) => (
  <span className="flex flex-wrap gap-x-3 text-xs font-normal text-muted">
    <Link to="/claims" search={{ ...scope.claims, ...filters }} className={LINK}>
      Claims<span className="sr-only"> {what}</span>
    </Link>
    <Link to="/candidates" search={{ ...scope.candidates, ...filters }} className={LINK}>
      Candidates<span className="sr-only"> {what}</span>
    </Link>
  </span>
)

const LINK = 'relative z-10 underline underline-offset-4 hover:text-ink'
