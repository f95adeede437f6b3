import type { WebhookEndpoint } from '../api/records.ts'

/** The share of the last attempts that succeeded. */
export const SuccessRate = ({ health: { attempts, succeeded } }: Pick<WebhookEndpoint, 'health'>) => (
  <span className="figures whitespace-nowrap">
    {attempts === 0 ? '–' : `${((100 * succeeded) / attempts).toFixed(1)} %`}
  </span>
)
