import type { WebhookEndpoint } from '../../api/records.ts'
import { RelativeTime } from '../ui/time.tsx'

/** It is counted no further. */
const MOST_COUNTED = 1_000

/** How many deliveries wait, and since when the oldest does. */
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
          , the oldest made <RelativeTime at={oldest_waiting_at} />
        </>
      ) : null}
    </span>
  )
}
