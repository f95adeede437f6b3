import { test } from 'node:test'
import { dashboardTests } from '../support/dashboard.ts'
import { newClaimOf, sendAs } from '../support/signed-in-page.ts'
import { newEndpointOf, region } from '../support/webhooks-page.ts'

const { newPage } = await dashboardTests()

test('a failing endpoint is marked in the list and on its page, and a gone endpoint is disabled', async () => {
  const { page } = await newPage()
  const { id, receiver } = await newEndpointOf(page, { description: 'down' })
  receiver.answer((response, { path }) => {
    response.statusCode = path === '/gone' ? 410 : 500
    response.end()
  })
  await newClaimOf(page)
  await page.goto('/webhooks')
  const row = page.getByRole('row', { name: /down/ })
  await row.getByText(/^(failing|paused)$/).waitFor()
  await row.getByRole('cell', { name: '0.0 %', exact: true }).waitFor()
  await row.getByRole('link', { name: 'down' }).click()
  await page.getByText(/All attempts have failed since/).waitFor()

  await sendAs(page, 'PATCH', `/v1/webhook_endpoints/${id}`, { url: `${receiver.url}/gone` })
  await newClaimOf(page)
  await page.getByText('Disabled because the receiver answered 410').waitFor()
  await region(page, 'Health').getByText('disabled: gone').waitFor()
  await page.goto('/activity?type=webhook_endpoint.disabled')
  await page.getByRole('link', { name: 'down' }).waitFor()
})
