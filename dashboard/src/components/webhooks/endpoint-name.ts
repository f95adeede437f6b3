import type { WebhookEndpoint } from '../../api/records.ts'

/** Its description, or where it is. */
export function nameOfEndpoint({ description, url }: Pick<WebhookEndpoint, 'description' | 'url'>): string {
  return description ?? (URL.canParse(url) ? new URL(url).host : url)
}
