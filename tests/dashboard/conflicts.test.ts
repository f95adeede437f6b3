import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { startTestBrowser } from '../support/browser.ts'
import { contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { findAccessibilityFaults } from '../support/find-accessibility-faults.ts'
import { newPageOf, newSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

/* Two who change the same record: neither overwrites what they have not seen. */

const service = await startTestService({ after })
const browser = await startTestBrowser()

const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true })

/** Two browsers of one account. */
async function openTwo(): Promise<[Page, Page]> {
  const { page, email } = await newSignedInPage(service, browser)
  return [page, (await newPageOf(service, browser, email)).page]
}

/** What differs, a row each, as the dialog shows it. */
async function differencesIn(dialog: Locator): Promise<string[][]> {
  const rows = await dialog.getByRole('table', { name: 'What differs' }).locator('tbody tr').all()
  return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()))
}

async function openSchemaInBoth(): Promise<{
  pages: [Page, Page]
  price: () => Promise<number>
  window: () => Promise<number>
}> {
  const pages = await openTwo()
  const contract = contractWith({ price: 49.5, review_window: 60 })
  const { id } = (await sendAs(pages[0], 'POST', '/v1/schemas', { contract })).body
  for (const page of pages) {
    await page.goto(`/schemas/${id}`)
    await page.getByLabel('Contract as JSON').waitFor()
  }
  const read = async () => (await sendAs(pages[0], 'GET', `/v1/schemas/${id}`)).body.contract
  return { pages, price: async () => (await read()).price, window: async () => (await read()).review_window }
}

/** The first has changed the price and saved it; the second, who has not seen that, changes the review window. */
async function saveInBoth(first: Page, second: Page): Promise<Locator> {
  await first.getByLabel('Price').fill('55')
  await second.getByLabel('Review window', { exact: true }).fill('2')
  await button(first, 'Save changes').click()
  await first.getByText('Schema saved').waitFor()
  await button(second, 'Save changes').click()
  const dialog = second.getByRole('dialog', { name: 'The schema was changed meanwhile' })
  await dialog.waitFor()
  return dialog
}

test('who saves a schema that was changed meanwhile sees both, and nothing was overwritten; theirs is taken', async () => {
  const { pages, price, window } = await openSchemaInBoth()
  const [first, second] = pages
  const dialog = await saveInBoth(first, second)
  assert.deepEqual(await differencesIn(dialog), [
    ['Price', '49.5', '55'],
    ['Review window', '2 minutes', '1 minute'],
  ])
  assert.deepEqual([await price(), await window()], [55, 60])
  assert.deepEqual(await findAccessibilityFaults(second), [])
  await button(dialog, 'Take theirs').click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await second.getByLabel('Price').inputValue(), '55')
  assert.equal(await second.getByLabel('Review window', { exact: true }).inputValue(), '1')
  assert.equal(await button(second, 'Save changes').count(), 0)
  // It goes on from there.
  await second.getByLabel('Price').fill('56')
  await button(second, 'Save changes').click()
  await second.getByText('Schema saved').waitFor()
  assert.deepEqual([await price(), await window()], [56, 60])
})

test('or it is saved over what was shown, and over nothing later', async () => {
  const { pages, price, window } = await openSchemaInBoth()
  const [first, second] = pages
  const dialog = await saveInBoth(first, second)
  await button(dialog, 'Keep editing').click()
  await dialog.waitFor({ state: 'detached' })
  await button(second, 'Save changes').click()
  await dialog.waitFor()
  await first.getByLabel('Price').fill('66')
  await button(first, 'Save changes').click()
  await first.getByText('Not saved yet.').waitFor({ state: 'detached' })
  await button(dialog, 'Save mine over it').click()
  await dialog.getByText('66', { exact: true }).waitFor()
  assert.equal(await price(), 66)
  await button(dialog, 'Save mine over it').click()
  await second.getByText('Schema saved').waitFor()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual([await price(), await window()], [49.5, 120])
})

test('who has typed nothing goes on from what is there, once the page has read it again', async () => {
  const { pages, price } = await openSchemaInBoth()
  const [first, second] = pages
  await first.getByLabel('Price').fill('55')
  await button(first, 'Save changes').click()
  await first.getByText('Schema saved').waitFor()
  await eventually(async () => {
    // As when one comes back to the tab.
    await second.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
    return (await second.getByLabel('Price').inputValue()) === '55'
  })
  await second.getByLabel('Price').fill('56')
  await button(second, 'Save changes').click()
  await second.getByText('Schema saved').waitFor()
  assert.equal(await price(), 56)
})

test('a customer that was renamed meanwhile is shown with both names', async () => {
  const [first, second] = await openTwo()
  const customer = { external_id: 'acme', name: 'ACME' }
  const { id } = (await sendAs(first, 'POST', '/v1/customers', customer)).body
  for (const page of [first, second]) {
    await page.goto(`/customers/${id}`)
    await button(page, 'Rename').click()
  }
  const rename = async (page: Page, name: string) => {
    const form = page.getByRole('dialog', { name: 'Rename the customer' })
    await form.getByLabel('Name').fill(name)
    await button(form, 'Rename').click()
  }
  await rename(first, 'ACME SE')
  await first.getByRole('heading', { name: 'ACME SE' }).waitFor()
  await rename(second, 'ACME Ltd.')
  const dialog = second.getByRole('dialog', { name: 'The customer was changed meanwhile' })
  await dialog.waitFor()
  assert.deepEqual(await differencesIn(dialog), [['Name', 'ACME Ltd.', 'ACME SE']])
  await button(dialog, 'Save mine over it').click()
  await second.getByRole('heading', { name: 'ACME Ltd.' }).waitFor()
  await eventually(async () => (await second.getByRole('dialog').count()) === 0)
})

test('an endpoint whose description was changed meanwhile is shown with both; one that was switched off is not in the way', async () => {
  const [first, second] = await openTwo()
  const endpoint = { url: 'https://example.com/', description: 'billing' }
  const { id } = (await sendAs(first, 'POST', '/v1/webhook_endpoints', endpoint)).body
  const read = async () => (await sendAs(first, 'GET', `/v1/webhook_endpoints/${id}`)).body
  const describeAs = async (page: Page, description: string) => {
    await page.getByLabel('Description (optional)').fill(description)
    await button(page, 'Save').click()
  }
  await second.goto(`/webhooks/${id}`)
  await button(second, 'Edit').click()
  await sendAs(first, 'PATCH', `/v1/webhook_endpoints/${id}`, { enabled: false })
  await describeAs(second, 'shipping')
  await second.getByRole('heading', { name: 'shipping', level: 1 }).waitFor()
  assert.deepEqual([(await read()).description, (await read()).enabled], ['shipping', false])

  await button(second, 'Edit').click()
  await sendAs(first, 'PATCH', `/v1/webhook_endpoints/${id}`, { description: 'stock' })
  await describeAs(second, 'returns')
  const dialog = second.getByRole('dialog', { name: 'The endpoint was changed meanwhile' })
  await dialog.waitFor()
  assert.deepEqual(await differencesIn(dialog), [['Description', 'returns', 'stock']])
  await button(dialog, 'Take theirs').click()
  await second.getByRole('heading', { name: 'stock', level: 1 }).waitFor()
  await eventually(async () => (await second.getByRole('dialog').count()) === 0)
  assert.equal((await read()).description, 'stock')
})

test('a schema that was changed meanwhile is not deleted before one has seen it; then it is', async () => {
  const { pages, price } = await openSchemaInBoth()
  const [first, second] = pages
  await button(second, 'Delete').click()
  await first.getByLabel('Price').fill('55')
  await button(first, 'Save changes').click()
  await first.getByText('Schema saved').waitFor()
  await button(second.getByRole('dialog', { name: 'Delete this schema?' }), 'Delete').click()
  const dialog = second.getByRole('dialog', { name: 'The schema was changed meanwhile' })
  await dialog.waitFor()
  assert.deepEqual(await differencesIn(dialog), [['Price', '49.5', '55']])
  assert.deepEqual(await findAccessibilityFaults(second), [])
  await button(dialog, 'Leave it').click()
  await eventually(async () => (await second.getByRole('dialog').count()) === 0)
  // What is there now is shown.
  await eventually(async () => (await second.getByLabel('Price').inputValue()) === '55')
  assert.equal(await price(), 55)
  await button(second, 'Delete').click()
  await sendAs(first, 'PATCH', first.url().replace(/^.*(?=\/schemas)/, '/v1'), { name: 'Delivery' })
  await button(second.getByRole('dialog', { name: 'Delete this schema?' }), 'Delete').click()
  await dialog.waitFor()
  assert.deepEqual(await differencesIn(dialog), [['Name', '(none)', 'Delivery']])
  await button(dialog, 'Delete all the same').click()
  await second.getByText('Schema deleted').waitFor()
})

test('an endpoint is switched and deleted only as one saw it: what was changed is shown first', async () => {
  const [first, second] = await openTwo()
  const { id } = (await sendAs(first, 'POST', '/v1/webhook_endpoints', { url: 'https://example.com/' })).body
  const path = `/v1/webhook_endpoints/${id}`
  await second.goto(`/webhooks/${id}`)
  await button(second, 'Disable').waitFor()
  // The page does not read it again by itself until it was switched.
  let isHeld = true
  await second.route(`**${path}`, (route) => {
    if (route.request().method() !== 'GET') isHeld = false
    return isHeld ? route.abort() : route.continue()
  })
  await sendAs(first, 'PATCH', path, { url: 'https://example.com/hooks' })
  await button(second, 'Disable').click()
  const dialog = second.getByRole('dialog', { name: 'The endpoint was changed meanwhile' })
  await dialog.waitFor()
  assert.deepEqual(await differencesIn(dialog), [
    ['URL', 'https://example.com/', 'https://example.com/hooks'],
  ])
  assert.equal((await sendAs(first, 'GET', path)).body.enabled, true)
  await button(dialog, 'Disable all the same').click()
  await second.getByText('Endpoint disabled').waitFor()
  await button(second, 'Enable').waitFor()
  assert.equal((await sendAs(first, 'GET', path)).body.enabled, false)

  await button(second, 'Delete').click()
  await sendAs(first, 'PATCH', path, { enabled: true })
  await button(second.getByRole('dialog', { name: 'Delete this endpoint?' }), 'Delete').click()
  await dialog.waitFor()
  assert.deepEqual(await differencesIn(dialog), [['Enabled', 'no', 'yes']])
  await button(dialog, 'Delete all the same').click()
  await second.getByText('Endpoint deleted').waitFor()
  assert.equal((await sendAs(first, 'GET', path)).status, 404)
})

test('a setting that was changed meanwhile is shown as it is, and not turned round', async () => {
  const [first, second] = await openTwo()
  await second.goto('/activity?type=claim.event_recorded')
  await button(second, 'Tell of each event').waitFor()
  await sendAs(first, 'PATCH', '/v1/notification_settings', { event_recorded: true })
  await button(second, 'Tell of each event').click()
  await second.getByText('Each event that is recorded is told of.').waitFor()
  assert.equal((await sendAs(first, 'GET', '/v1/notification_settings')).body.event_recorded, true)
})
