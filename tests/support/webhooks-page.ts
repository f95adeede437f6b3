import type { Page } from 'playwright-core'
import { sendAs } from './signed-in-page.ts'
import { newEndpoint } from './webhook-endpoint.ts'

/* The webhooks pages, and records for them to show. */

export const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** A receiver, and a new endpoint of the page's account that sends to it. */
export const newEndpointOf = (page: Page, settings: object = {}) =>
  newEndpoint({ post: (path, body) => sendAs(page, 'POST', path, body) }, settings)
