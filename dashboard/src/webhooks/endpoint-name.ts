import type { WebhookEndpoint } from '../api/records.ts'

/** The description of the endpoint, or the host of its URL. */
export function nameOfEndpoint({ description, url }: Pick<WebhookEndpoint, 'description' | 'url'>): string {
  return description ?? (URL.canParse(url) ? new URL(url).host : url)
}
