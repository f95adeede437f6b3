import type { WebhookEndpoint } from '../api/records.ts'
import type { Texts } from '../components/differences.tsx'
import { DEFAULT_TYPES_TEXT } from '../notifications/notification-words.ts'
import type { EndpointSettings } from './webhooks-api.ts'

/* The texts of an endpoint's fields, for comparing two states. */

export const SETTINGS_TEXTS: Texts<EndpointSettings> = {
  URL: ({ url }) => url,
  Description: ({ description }) => description ?? '(none)',
  Types: ({ types }) => types?.join('\n') ?? `(${DEFAULT_TYPES_TEXT})`,
  Customer: ({ customer_id }) => customer_id ?? '(all)',
}

export const ENDPOINT_TEXTS: Texts<WebhookEndpoint> = {
  ...SETTINGS_TEXTS,
  Enabled: ({ enabled }) => (enabled ? 'yes' : 'no'),
}
