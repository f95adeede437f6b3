import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { differencesIn } from '../support/conflicts.ts'
import { contractWith } from '../support/contracts.ts'
import { button } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { findAccessibilityFaults } from '../support/find-accessibility-faults.ts'
import { openSchema } from '../support/schema-form.ts'
import { sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

const CONTRACT = contractWith({ price: 49.5, review_window: 60 })

const within = (dialog: Locator, name: string) => dialog.getByRole('button', { name, exact: true })

test('the conflict dialog of a schema has no serious accessibility fault', async () => {
  const { page } = await newPage()
  const id = await openSchema(page, CONTRACT)
  await sendAs(page, 'PATCH', `/v1/schemas/${id}`, { contract: { ...CONTRACT, price: 55 } })
  await page.getByLabel('Review window', { exact: true }).fill('2')
  await button(page, 'Save changes').click()
  await page.getByRole('dialog', { name: 'The schema has changed' }).waitFor()
  assert.deepEqual(await findAccessibilityFaults(page), [])
})

test('a form without edits shows the refetched schema', async () => {
  const { page } = await newPage()
  const id = await openSchema(page, CONTRACT)
  await sendAs(page, 'PATCH', `/v1/schemas/${id}`, { contract: { ...CONTRACT, price: 55 } })
  await eventually(async () => {
    // As when one comes back to the tab.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
    return (await page.getByLabel('Price').inputValue()) === '55'
  })
  await page.getByLabel('Price').fill('56')
  await button(page, 'Save changes').click()
  await page.getByText('Schema saved').waitFor()
  assert.equal((await sendAs(page, 'GET', `/v1/schemas/${id}`)).body.contract.price, 56)
})

test('a changed description of an endpoint is a conflict, a changed enabled state is not', async () => {
  const { page } = await newPage()
  const endpoint = { url: 'https://example.com/', description: 'billing' }
  const { id } = (await sendAs(page, 'POST', '/v1/webhook_endpoints', endpoint)).body
  const read = async () => (await sendAs(page, 'GET', `/v1/webhook_endpoints/${id}`)).body
  const describeAs = async (page: Page, description: string) => {
    await page.getByLabel('Description (optional)').fill(description)
    await button(page, 'Save').click()
  }
  await page.goto(`/webhooks/${id}`)
  await button(page, 'Edit').click()
  await sendAs(page, 'PATCH', `/v1/webhook_endpoints/${id}`, { enabled: false })
  await describeAs(page, 'shipping')
  await page.getByRole('heading', { name: 'shipping', level: 1 }).waitFor()
  assert.deepEqual([(await read()).description, (await read()).enabled], ['shipping', false])

  await button(page, 'Edit').click()
  await sendAs(page, 'PATCH', `/v1/webhook_endpoints/${id}`, { description: 'stock' })
  await describeAs(page, 'returns')
  const dialog = page.getByRole('dialog', { name: 'The endpoint has changed' })
  await dialog.waitFor()
  assert.deepEqual(await differencesIn(dialog), [['Description', 'returns', 'stock']])
  await within(dialog, 'Use the saved version').click()
  await page.getByRole('heading', { name: 'stock', level: 1 }).waitFor()
  await page.getByRole('dialog').first().waitFor({ state: 'detached' })
  assert.equal((await read()).description, 'stock')
})

test('a changed schema is deleted only after its changes were shown', async () => {
  const { page } = await newPage()
  const path = `/v1/schemas/${await openSchema(page, CONTRACT)}`
  const dialog = page.getByRole('dialog', { name: 'The schema has changed' })
  const deleteAfter = async (change: object) => {
    await button(page, 'Delete').click()
    await sendAs(page, 'PATCH', path, change)
    await within(page.getByRole('dialog', { name: 'Delete this schema?' }), 'Delete').click()
    await dialog.waitFor()
  }
  await deleteAfter({ contract: { ...CONTRACT, price: 55 } })
  assert.deepEqual(await differencesIn(dialog), [['Price', '49.5', '55']])
  assert.deepEqual(await findAccessibilityFaults(page), [])
  await within(dialog, 'Cancel').click()
  await page.getByRole('dialog').first().waitFor({ state: 'detached' })
  // What is there now is shown.
  await eventually(async () => (await page.getByLabel('Price').inputValue()) === '55')
  assert.equal((await sendAs(page, 'GET', path)).body.contract.price, 55)
  await deleteAfter({ name: 'Delivery' })
  assert.deepEqual(await differencesIn(dialog), [['Name', '(none)', 'Delivery']])
  await within(dialog, 'Delete anyway').click()
  await page.getByText('Schema deleted').waitFor()
})

test('a changed endpoint is switched or deleted only after its changes were shown', async () => {
  const { page } = await newPage()
  const { id } = (await sendAs(page, 'POST', '/v1/webhook_endpoints', { url: 'https://example.com/' })).body
  const path = `/v1/webhook_endpoints/${id}`
  await page.goto(`/webhooks/${id}`)
  await button(page, 'Disable').waitFor()
  // The page does not read it again by itself until it was switched.
  let isHeld = true
  await page.route(`**${path}`, (route) => {
    if (route.request().method() !== 'GET') isHeld = false
    return isHeld ? route.abort() : route.continue()
  })
  await sendAs(page, 'PATCH', path, { url: 'https://example.com/hooks' })
  await button(page, 'Disable').click()
  const dialog = page.getByRole('dialog', { name: 'The endpoint has changed' })
  await dialog.waitFor()
  assert.deepEqual(await differencesIn(dialog), [
    ['URL', 'https://example.com/', 'https://example.com/hooks'],
  ])
  assert.equal((await sendAs(page, 'GET', path)).body.enabled, true)
  await within(dialog, 'Disable anyway').click()
  await page.getByText('Endpoint disabled').waitFor()
  await button(page, 'Enable').waitFor()
  assert.equal((await sendAs(page, 'GET', path)).body.enabled, false)

  await button(page, 'Delete').click()
  await sendAs(page, 'PATCH', path, { enabled: true })
  await within(page.getByRole('dialog', { name: 'Delete this endpoint?' }), 'Delete').click()
  await dialog.waitFor()
  assert.deepEqual(await differencesIn(dialog), [['Enabled', 'no', 'yes']])
  await within(dialog, 'Delete anyway').click()
  await page.getByText('Endpoint deleted').waitFor()
  assert.equal((await sendAs(page, 'GET', path)).status, 404)
})

test('a setting that was changed elsewhere is shown and not toggled back', async () => {
  const { page } = await newPage()
  await page.goto('/activity?type=claim.event_recorded')
  await button(page, 'Turn event notifications on').waitFor()
  await sendAs(page, 'PATCH', '/v1/notification_settings', { event_recorded: true })
  await button(page, 'Turn event notifications on').click()
  await page.getByText('Every recorded event creates a notification.').waitFor()
  assert.equal((await sendAs(page, 'GET', '/v1/notification_settings')).body.event_recorded, true)
})
