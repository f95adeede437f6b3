import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardTests } from '../support/dashboard.ts'

const { newPage, openPage } = await dashboardTests()

test('a page says that the service is unreachable, recovers by itself, or is retried by a button', async () => {
  const { page } = await openPage()
  const notice = page.getByText('The service cannot be reached. This page may be out of date.')
  // Before it shows anything, the page says that it cannot be opened.
  await page.getByText('Nothing is overdue').waitFor()
  await page.context().setOffline(true)
  await notice.waitFor()
  await page.context().setOffline(false)
  await notice.waitFor({ state: 'detached' })

  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'API tokens' }).click()
  await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No tokens yet').waitFor()
})

test('a page that gets 503 offers a retry', async () => {
  const { page } = await openPage()
  const body = { error: { code: 'UNAVAILABLE', message: 'The database is away.', request_id: 'req_1' } }
  await page.route('**/v1/tokens', (route) => route.fulfill({ status: 503, json: body }))
  await page.getByRole('link', { name: 'API tokens' }).click()
  await page.getByText('The database is away.').waitFor()
  await page.unroute('**/v1/tokens')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No tokens yet').waitFor()
})

test('the chosen theme is set before the first paint', async () => {
  const { page } = await newPage()
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/settings')
  await page.getByRole('button', { name: 'Dark' }).click()
  const theme = 'document.documentElement.dataset.theme'
  assert.equal(await page.evaluate(theme), 'dark')
  await page.route('**/assets/*.js', () => {})
  await page.goto('/settings', { waitUntil: 'commit' })
  await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' })
})
