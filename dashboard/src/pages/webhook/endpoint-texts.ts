import type { WebhookEndpoint } from '../../api/records.ts'
import type { EndpointSettings } from '../../api/webhooks.ts'
import type { Texts } from '../../differences-of.ts'

/* What an endpoint says, where two states of it are compared. */

export const SETTINGS_TEXTS: Texts<EndpointSettings> = {
  URL: ({ url }) => url,
  Description: ({ description }) => description ?? '(none)',
  Types: ({ types }) => types?.join('\n') ?? '(all but single events)',
  Customer: ({ customer_id }) => customer_id ?? '(all)',
}

export const ENDPOINT_TEXTS: Texts<WebhookEndpoint> = {
  ...SETTINGS_TEXTS,
  Enabled: ({ enabled }) => (enabled ? 'yes' : 'no'),
}
