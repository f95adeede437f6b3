import type { WebhookEndpoint } from '../../api/records.ts'

/** Of the last attempts how many succeeded. */
export const SuccessRate = ({ health: { attempts, succeeded } }: Pick<WebhookEndpoint, 'health'>) => (
  <span className="figures whitespace-nowrap">
    {attempts === 0 ? '–' : `${((100 * succeeded) / attempts).toFixed(1)} %`}
  </span>
)
