import type { ReactNode } from 'react'
import type { WebhookEndpoint } from '../api/records.ts'
import { Card, CardHeader } from '../components/card.tsx'
import { RelativeTime } from '../components/time.tsx'
import { milliseconds } from '../format/short-duration.ts'
import { EndpointStateBadge, SuccessRate, WaitingDeliveries } from './endpoint-state.tsx'

/** The health of an endpoint. */
export function EndpointHealth({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { health } = endpoint
  return (
    <Card aria-label="Health">
      <CardHeader
        title="Health"
        description={
          health.attempts === 0 ? 'Nothing has been sent yet.' : `The last ${health.attempts} attempts.`
        }
      />
      <dl className="grid divide-y">
        <Figure name="State">
          <EndpointStateBadge endpoint={endpoint} />
        </Figure>
        <Figure name="Succeeded">
          <SuccessRate health={health} />
        </Figure>
        <Figure name="Median response time">
          {health.median_ms === null ? '–' : milliseconds(health.median_ms)}
        </Figure>
        <Figure name="Waiting">
          <WaitingDeliveries health={health} />
        </Figure>
        {health.failing_since ? (
          <Figure name="Failing since">
            <RelativeTime at={health.failing_since} />
          </Figure>
        ) : null}
      </dl>
    </Card>
  )
}

const Figure = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex items-baseline justify-between gap-4 px-5 py-3">
    <dt className="text-muted">{name}</dt>
    <dd className="figures min-w-0 text-right font-semibold">{children}</dd>
  </div>
)
