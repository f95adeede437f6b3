import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { Overview } from '../../api/records.ts'
import { RelativeTime } from '../../components/ui/time.tsx'

interface OverdueNoticeProps {
  overdue: Overview['overdue']
  /** Of a test clock. */
  now: string | undefined
}

/** Whether the scheduled checks keep up: a sign of the service's health. */
export function OverdueNotice({ overdue: { count, oldest_due_at }, now }: OverdueNoticeProps) {
  if (count === 0) {
    return (
      <p className="-mb-2 flex items-center gap-1.5 text-xs text-muted">
        <CircleCheck aria-hidden className="size-4 text-confirmed" /> Nothing is overdue: every check ran in
        time.
      </p>
    )
  }
  return (
    <div role="status" className="flex gap-3 rounded-xl bg-pending-soft px-4 py-3 text-pending">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p>
        <strong>{count.toLocaleString('en')} overdue.</strong> Their windows have elapsed, and the scheduled
        check has not moved them yet.
        {oldest_due_at ? (
          <>
            {' '}
            The oldest was due <RelativeTime at={oldest_due_at} now={now} />.
          </>
        ) : null}
      </p>
    </div>
  )
}
