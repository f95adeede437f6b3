import { Link } from '@tanstack/react-router'
import { STATUSES, type Status } from '../../../src/core/claims/lifecycle.ts'
import type { Overview } from '../api/records.ts'
import { ListLinks, type ListScope } from '../claims/list-links.tsx'
import { cn } from '../components/cn.ts'
import { Money } from '../components/money.tsx'
import { STATUS_ICON } from '../components/status-badge.tsx'

const TONE: Record<Status, string> = {
  OPEN: 'text-open',
  PENDING: 'text-pending',
  CONFIRMED: 'text-confirmed',
  FAILED: 'text-failed',
}

interface StatusCountsProps {
  statuses: Overview['statuses']
  pendingOutcomes: Overview['pending_outcomes']
  /** Filters of the linked lists. */
  scope: ListScope
}

/** Count and amount of claims and candidates by status, with links to the lists. */
export function StatusCounts({ statuses, pendingOutcomes, scope }: StatusCountsProps) {
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
              search={{ ...scope.claims, status }}
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
            <span className="px-4 pb-3">
              <ListLinks scope={scope} filters={{ status }} what={status} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** The scheduled outcomes of PENDING claims. */
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
