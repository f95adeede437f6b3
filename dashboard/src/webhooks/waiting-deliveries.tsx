import type { WebhookEndpoint } from '../api/records.ts'
import { RelativeTime } from '../components/time.tsx'

/** The service stops counting there. */
const MOST_COUNTED = 1_000

/** The number of waiting deliveries and the age of the oldest. */
export function Waiting({ health: { waiting, oldest_waiting_at } }: Pick<WebhookEndpoint, 'health'>) {
  if (waiting === 0) return <span>none</span>
  return (
    <span>
      <span className="figures">
        {waiting.toLocaleString('en')}
        {waiting < MOST_COUNTED ? '' : ' or more'}
      </span>
      {oldest_waiting_at ? (
        <>
          , oldest created <RelativeTime at={oldest_waiting_at} />
        </>
      ) : null}
    </span>
  )
}
