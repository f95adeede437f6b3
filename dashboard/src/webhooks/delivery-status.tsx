import { CircleCheck, CircleX, Hourglass } from 'lucide-react'
import type { DeliveryStatus } from '../../../src/core/webhooks.ts'
import { Badge } from '../components/badge.tsx'

const LOOKS = {
  waiting: ['pending', Hourglass],
  succeeded: ['confirmed', CircleCheck],
  failed: ['failed', CircleX],
} as const

export function DeliveryStatusBadge({ status }: { status: DeliveryStatus }) {
  const [tone, Icon] = LOOKS[status]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {status}
    </Badge>
  )
}
