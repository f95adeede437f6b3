import { CircleCheck, CircleOff, CirclePause, CircleX, TriangleAlert } from 'lucide-react'
import type { WebhookEndpoint } from '../api/records.ts'
import { Badge } from '../components/badge.tsx'
import { useNow } from '../components/use-now.ts'

const STATES = {
  on: ['confirmed', CircleCheck, 'on'],
  failing: ['pending', TriangleAlert, 'failing'],
  paused: ['pending', CirclePause, 'paused'],
  off: ['neutral', CircleOff, 'off'],
  'disabled as failing': ['failed', CircleX, 'disabled: failing'],
  'disabled as gone': ['failed', CircleX, 'disabled: gone'],
} as const
export type EndpointState = keyof typeof STATES

export function stateOf({ enabled, disabled_reason, health }: WebhookEndpoint, now: number): EndpointState {
  if (!enabled) return disabled_reason ? `disabled as ${disabled_reason}` : 'off'
  if (health.paused_until && Date.parse(health.paused_until) > now) return 'paused'
  return health.failing_since ? 'failing' : 'on'
}

/** Shows the state by colour, icon and text. */
export function EndpointStateBadge({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [tone, Icon, words] = STATES[stateOf(endpoint, useNow())]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {words}
    </Badge>
  )
}
