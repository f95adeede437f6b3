import { Link } from '@tanstack/react-router'
import type { ClaimFilters, ClaimKind } from '../api/claims.ts'

/** Of what the lists are, such as of a customer: each kind names it in its own way. */
export type ListScope = Record<ClaimKind, ClaimFilters>

interface ListLinksProps {
  scope: ListScope
  /** What both are filtered by besides. */
  filters?: ClaimFilters
  /** What is in the lists, for who does not see where the links stand. */
  what: string
}

/** To the claims and to the candidates that a figure or a short list is made of. */
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
