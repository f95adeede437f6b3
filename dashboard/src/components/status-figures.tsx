import { Link } from '@tanstack/react-router'
import { STATUSES, type Status } from '../../../src/domain/claims/lifecycle.ts'
import type { ClaimFilters, ClaimKind } from '../api/claims.ts'
import type { Overview } from '../api/records.ts'
import { cn } from './ui/cn.ts'
import { Money } from './ui/money.tsx'
import { STATUS_ICON } from './ui/status-badge.tsx'

const TONE: Record<Status, string> = {
  OPEN: 'text-open',
  PENDING: 'text-pending',
  CONFIRMED: 'text-confirmed',
  FAILED: 'text-failed',
}

interface StatusFiguresProps {
  statuses: Overview['statuses']
  pendingOutcomes: Overview['pending_outcomes']
  /** Of the lists that they lead to. */
  filters: Record<ClaimKind, ClaimFilters>
}

/** How many claims and candidates stand where, and how much money that is; each leads to them. */
export function StatusFigures({ statuses, pendingOutcomes, filters }: StatusFiguresProps) {
  return (
    <ul className="grid grid-cols-2 gap-3 lg:grid-cols-4 lg:gap-5">
      {STATUSES.map((status) => {
        const Icon = STATUS_ICON[status]
        const { count, amount } = statuses[status]
        return (
          <li
            key={status}
            className="relative flex min-w-0 flex-col rounded-xl border bg-surface shadow-[0_1px_2px_rgb(0_0_0/0.03)] focus-within:border-line-strong hover:border-line-strong"
          >
            <Link
              to="/claims"
              search={{ ...filters.claims, status }}
              className="grow rounded-t-xl p-4 pb-2 after:absolute after:inset-0"
            >
              <span className={cn('flex items-center gap-1.5 text-xs font-semibold', TONE[status])}>
                <Icon aria-hidden className="size-4" /> {status}
              </span>
              <span className="figures mt-1.5 block text-2xl font-semibold tracking-tight sm:text-3xl">
                {count.toLocaleString('en')}
              </span>
              <span className="block truncate text-muted">
                <Money amount={amount} />
              </span>
              {status === 'PENDING' ? <PendingOutcomes outcomes={pendingOutcomes} /> : null}
            </Link>
            <span className="flex gap-3 px-4 pb-3 text-xs text-muted">
              <Link to="/claims" search={{ ...filters.claims, status }} className={LIST_LINK}>
                Claims<span className="sr-only"> {status}</span>
              </Link>
              <Link to="/candidates" search={{ ...filters.candidates, status }} className={LIST_LINK}>
                Candidates<span className="sr-only"> {status}</span>
              </Link>
            </span>
          </li>
        )
      })}
    </ul>
  )
}

const LIST_LINK = 'relative z-10 underline underline-offset-4 hover:text-ink'

/** What the pending ones are going to be. */
function PendingOutcomes({ outcomes }: { outcomes: Overview['pending_outcomes'] }) {
  return (
    <span className="mt-1.5 flex flex-wrap gap-x-3 text-xs">
      {(['CONFIRMED', 'FAILED'] as const).map((outcome) => {
        const Icon = STATUS_ICON[outcome]
        return (
          <span key={outcome} className={cn('inline-flex items-center gap-1', TONE[outcome])}>
            <Icon aria-label={`to be ${outcome}`} className="size-3.5" />
            <span className="figures">{outcomes[outcome].count.toLocaleString('en')}</span>
          </span>
        )
      })}
    </span>
  )
}
