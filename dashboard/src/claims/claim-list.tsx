import { Card, CardHeader } from '../components/card.tsx'
import { Money } from '../components/money.tsx'
import { StatusBadge } from '../components/status-badge.tsx'
import { Countdown, RelativeTime } from '../components/time.tsx'
import { useCustomerNames } from '../customers/customer-names.ts'
import { ClaimLink } from './claim-link.tsx'
import { type AnyClaim, type ClaimFilters, customerOf, nameOf } from './claims-api.ts'
import { ListLinks, type ListScope } from './list-links.tsx'

interface ClaimListProps {
  title: string
  claims: readonly AnyClaim[]
  emptyText: string
  /** The time of a test clock. */
  now: string | undefined
  /** The time that is shown: when the claim is due, or since when it has its status. */
  moment?: 'due' | 'since'
  /** Links to the complete lists, if there are any. */
  all?: { scope: ListScope; filters: ClaimFilters }
}

/** A short list of claims and candidates. */
export function ClaimList({ title, claims, emptyText, now, moment = 'due', all }: ClaimListProps) {
  const nameOfCustomer = useCustomerNames()
  return (
    <Card aria-label={title}>
      <CardHeader
        title={title}
        actions={all && claims.length > 0 ? <ListLinks {...all} what={title} /> : null}
      />
      {claims.length === 0 ? <p className="px-5 pb-5 text-muted">{emptyText}</p> : null}
      <ul className="divide-y border-t empty:hidden">
        {claims.map((claim) => (
          <li key={nameOf(claim)} className="flex items-center justify-between gap-3 px-5 py-2.5">
            <span className="grid min-w-0 flex-1 grid-cols-1 justify-items-start gap-0.5">
              <ClaimLink claim={claim} />
              <span className="flex max-w-full gap-1 text-xs text-muted">
                <bdi className="min-w-0 truncate">
                  {'id' in claim ? nameOfCustomer(customerOf(claim)) : customerOf(claim)}
                </bdi>
                · <Money amount={claim.contract.price} />
              </span>
            </span>
            <span className="grid shrink-0 justify-items-end gap-0.5 max-sm:w-28">
              <StatusBadge status={claim.status} scheduledOutcome={claim.scheduled_outcome} />
              <span className="text-xs text-muted">
                {moment === 'due' && claim.due_at ? (
                  <Countdown at={claim.due_at} now={now} prefix="due in " />
                ) : (
                  <RelativeTime at={claim.status_since} now={now} />
                )}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
