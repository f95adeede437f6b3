import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { sendAs } from '../support/signed-in-page.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'

const { newPage } = await dashboardTests()
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** A new claim of the page's account. */
async function newClaim(page: Page): Promise<string> {
  const customer = await sendAs(page, 'POST', '/v1/customers', { external_id: `acme-${performance.now()}` })
  const claim = { customer_id: customer.body.id, contract: contractWith() }
  return (await sendAs(page, 'POST', '/v1/claims', claim)).body.id
}

/** A receiver, and an endpoint of the page's account that sends to it. */
async function newEndpoint(page: Page, settings: object = {}) {
  const receiver = await startWebhookReceiver({ after })
  const { status, body } = await sendAs(page, 'POST', '/v1/webhook_endpoints', {
    url: `${receiver.url}/hook`,
    ...settings,
  })
  assert.equal(status, 201)
  return { receiver, id: body.id as string }
}

test('an endpoint that fails says so, at a glance and on its page; one that is gone is disabled', async () => {
  const { page } = await newPage()
  const { id, receiver } = await newEndpoint(page, { description: 'down' })
  receiver.answer((response, { path }) => {
    response.statusCode = path === '/gone' ? 410 : 500
    response.end()
  })
  await newClaim(page)
  await page.goto('/webhooks')
  const row = page.getByRole('row', { name: /down/ })
  await row.getByText(/^(failing|paused)$/).waitFor()
  await row.getByRole('cell', { name: '0.0 %', exact: true }).waitFor()
  await row.getByRole('link', { name: 'down' }).click()
  await page.getByText(/All attempts have failed since/).waitFor()

  await sendAs(page, 'PATCH', `/v1/webhook_endpoints/${id}`, { url: `${receiver.url}/gone` })
  await newClaim(page)
  await page.getByText('It was disabled: it answered 410').waitFor()
  await region(page, 'Health').getByText('disabled: gone').waitFor()
  await page.goto('/activity?type=webhook_endpoint.disabled')
  await page.getByRole('link', { name: 'down' }).waitFor()
})
