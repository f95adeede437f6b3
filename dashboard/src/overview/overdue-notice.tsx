import { CircleCheck, TriangleAlert } from 'lucide-react'
import { checkAtOrAfter, checksBefore } from '../../../src/core/claims/lifecycle.ts'
import type { Overview } from '../api/records.ts'
import { ListLinks, type ListScope } from '../claims/list-links.tsx'
import { RelativeTime } from '../components/time.tsx'

interface OverdueNoticeProps {
  overdue: Overview['overdue']
  /** The time of a test clock. */
  now: string | undefined
  /** Filters of the linked lists. */
  scope: ListScope
  /** The time of the figures. */
  asOf: string
}

/** Claims due at or before the last completed check are overdue (§4.8). */
const afterLastCheck = (asOf: string) =>
  new Date(checksBefore(checkAtOrAfter(new Date(asOf)), 2).getTime() + 1).toISOString()

/** Shows whether the scheduled checks keep up. */
export function OverdueNotice({ overdue: { count, oldest_due_at }, now, scope, asOf }: OverdueNoticeProps) {
  if (count === 0) {
    return (
      <p className="-mb-2 flex items-center gap-1.5 text-xs text-muted">
        <CircleCheck aria-hidden className="size-4 text-confirmed" /> Nothing is overdue. The scheduled checks
        are on time.
      </p>
    )
  }
  return (
    <div role="status" className="flex gap-3 rounded-xl bg-pending-soft px-4 py-3 text-pending">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p>
        <strong>{count.toLocaleString('en')} overdue.</strong> Their windows have elapsed, but the scheduled
        check has not processed them yet.
        {oldest_due_at ? (
          <>
            {' '}
            The oldest was due <RelativeTime at={oldest_due_at} now={now} />.
          </>
        ) : null}
        <ListLinks scope={scope} filters={{ due_before: afterLastCheck(asOf), sort: 'due' }} what="overdue" />
      </p>
    </div>
  )
}
