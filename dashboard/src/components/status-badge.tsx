import { ArrowRight, CircleCheck, CircleDashed, CircleX, Hourglass } from 'lucide-react'
import type { Outcome, Status } from '../../../src/core/claims/lifecycle.ts'
import { Badge } from './badge.tsx'

const STATUS_TONE = {
  OPEN: 'open',
  PENDING: 'pending',
  CONFIRMED: 'confirmed',
  FAILED: 'failed',
} as const

export const STATUS_ICON = {
  OPEN: CircleDashed,
  PENDING: Hourglass,
  CONFIRMED: CircleCheck,
  FAILED: CircleX,
} as const

interface StatusBadgeProps {
  status: Status
  /** The scheduled outcome of a PENDING claim. */
  scheduledOutcome?: Outcome | null
}

/** Shows a status by colour, icon and text. */
export function StatusBadge({ status, scheduledOutcome }: StatusBadgeProps) {
  const Icon = STATUS_ICON[status]
  const badge = (
    <Badge tone={STATUS_TONE[status]}>
      <Icon aria-hidden />
      {status}
    </Badge>
  )
  if (status !== 'PENDING' || !scheduledOutcome) return badge
  const OutcomeIcon = STATUS_ICON[scheduledOutcome]
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1">
      {badge}
      <span className="inline-flex items-center gap-1 whitespace-nowrap">
        <ArrowRight aria-label="scheduled to be" className="size-3 text-muted" />
        <Badge tone={STATUS_TONE[scheduledOutcome]} className="bg-transparent px-0">
          <OutcomeIcon aria-hidden />
          {scheduledOutcome}
        </Badge>
      </span>
    </span>
  )
}
