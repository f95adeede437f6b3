import { CircleCheck, CircleOff, CirclePause, CircleX, TriangleAlert } from 'lucide-react'
import type { WebhookEndpoint } from '../api/records.ts'
import { Badge } from '../components/badge.tsx'
import { RelativeTime } from '../components/time.tsx'
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

/** The share of the last attempts that succeeded. */
export const SuccessRate = ({ health: { attempts, succeeded } }: Pick<WebhookEndpoint, 'health'>) => (
  <span className="figures whitespace-nowrap">
    {attempts === 0 ? '–' : `${((100 * succeeded) / attempts).toFixed(1)} %`}
  </span>
)

/** The service stops counting there. */
const MAX_COUNTED = 1_000

/** The number of waiting deliveries and the age of the oldest. */
export function WaitingDeliveries({
  health: { waiting, oldest_waiting_at },
}: Pick<WebhookEndpoint, 'health'>) {
  if (waiting === 0) return <span>none</span>
  return (
    <span>
      <span className="figures">
        {waiting.toLocaleString('en')}
        {waiting < MAX_COUNTED ? '' : ' or more'}
      </span>
      {oldest_waiting_at ? (
        <>
          , oldest created <RelativeTime at={oldest_waiting_at} />
        </>
      ) : null}
    </span>
  )
}
