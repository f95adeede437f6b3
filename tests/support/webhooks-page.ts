import type { Page } from 'playwright-core'
import { contractWith } from './contracts.ts'
import { sendAs } from './signed-in-page.ts'
import { newEndpoint } from './webhook-endpoint.ts'

/* The pages of webhooks, and what their account has. */

export const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** A new claim of the page's account. */
export async function newClaimOf(page: Page): Promise<string> {
  const customer = await sendAs(page, 'POST', '/v1/customers', { external_id: `acme-${performance.now()}` })
  const claim = { customer_id: customer.body.id, contract: contractWith() }
  return (await sendAs(page, 'POST', '/v1/claims', claim)).body.id
}

/** A receiver, and a new endpoint of the page's account that sends to it. */
export const newEndpointOf = (page: Page, settings: object = {}) =>
  newEndpoint({ post: (path, body) => sendAs(page, 'POST', path, body) }, settings)
