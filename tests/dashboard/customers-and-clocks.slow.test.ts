import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differencesIn } from '../support/conflicts.ts'
import { contractWith } from '../support/contracts.ts'
import { button } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { sendAs } from '../support/signed-in-page.ts'

const { newPage, openPage } = await dashboardTests()

test('customers are created, found by their external_id, renamed, and shown with their claims and totals', async () => {
  const { page, pageErrors } = await openPage()
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByText('No customers yet').waitFor()
  await button(page, 'Create customer').first().click()
  await page.getByLabel('External id').fill('acme')
  await page.getByLabel('Name (optional)').fill('ACME Inc.')
  await button(page, 'Create').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await sendAs(page, 'POST', '/v1/customers', { external_id: 'globex' })

  await page.getByLabel('Search customers').fill('nobody')
  await page.getByText('No customer starts with').waitFor()
  await page.getByLabel('Search customers').fill('ACM')
  await page.waitForURL('**/customers?search=ACM')
  await page.getByRole('link', { name: 'globex' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'acme' }).click()
  await page.getByRole('heading', { name: 'ACME Inc.' }).waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1)
  await button(page, 'Rename').click()
  await page.getByRole('dialog').getByLabel('Name').fill('ACME SE')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('heading', { name: 'ACME SE' }).waitFor()

  const contract = contractWith({ price: 12.25 })
  await sendAs(page, 'POST', '/v1/claims', { customer_id: id, contract })
  await sendAs(page, 'POST', '/v1/candidates', {
    candidate_alias: `order-of-${id}`,
    customer_uuid: 'acme',
    contract,
  })
  await page.getByRole('region', { name: 'Candidates' }).getByRole('link', { name: 'order-of' }).waitFor()
  const open = page.getByRole('main').getByRole('link', { name: /^OPEN/ })
  await open.getByText('24.50').waitFor()
  await page.getByRole('link', { name: 'Candidates OPEN' }).click()
  await page.waitForURL('**/candidates?customer=acme&clock=live&status=OPEN')
  await page.getByRole('table', { name: 'Candidates' }).getByRole('link', { name: 'order-of' }).waitFor()
  assert.deepEqual(pageErrors, [])
})

test('a rename conflict shows both names', async () => {
  const { page } = await newPage()
  const customer = { external_id: 'acme', name: 'ACME' }
  const { id } = (await sendAs(page, 'POST', '/v1/customers', customer)).body
  await page.goto(`/customers/${id}`)
  await button(page, 'Rename').click()
  await sendAs(page, 'PATCH', `/v1/customers/${id}`, { name: 'ACME SE' })
  const form = page.getByRole('dialog', { name: 'Rename the customer' })
  await form.getByLabel('Name').fill('ACME Ltd.')
  await form.getByRole('button', { name: 'Rename', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'The customer has changed' })
  await dialog.waitFor()
  assert.deepEqual(await differencesIn(dialog), [['Name', 'ACME Ltd.', 'ACME SE']])
  await dialog.getByRole('button', { name: 'Overwrite with mine', exact: true }).click()
  await page.getByRole('heading', { name: 'ACME Ltd.' }).waitFor()
  await page.getByRole('dialog').first().waitFor({ state: 'detached' })
})

test('a test clock is created, advanced in steps and to a chosen time, lists the changed claims, and is deleted', async () => {
  const { page, pageErrors } = await openPage()
  await page.getByRole('link', { name: 'Test clocks' }).click()
  await button(page, 'Create test clock').first().click()
  await page.getByLabel('Name (optional)').fill('January')
  await page.getByLabel('Start time').fill('2026-01-01T09:00')
  await button(page, 'Create').click()
  await page.getByRole('heading', { name: 'January' }).waitFor()
  const clock = new URL(page.url()).pathname.split('/').at(-1)
  const customer = (await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })).body.id
  const contract = contractWith({ activity_window: 5400, review_window: 86_400 })
  const claim = { customer_id: customer, contract, test_clock_id: clock }
  await sendAs(page, 'POST', '/v1/claims', claim)

  const now = page.getByRole('region', { name: 'Time' })
  await page.getByText('1 Jan 2026, 10:30:00 UTC, in 1h 30m').waitFor()
  // It is told once the advance is over, and the clock is read again: until then no button takes a click, or it moves.
  const advanced = async (told: string, due: string) => {
    await now.getByText(told).waitFor()
    await now.getByText(due).waitFor()
  }
  await button(page, 'A minute').click()
  await advanced('to 1 Jan 2026, 09:01:00', '10:30:00 UTC, in 1h 29m')
  await page.getByText('No transitions from').waitFor()
  await button(page, 'An hour').click()
  await advanced('to 1 Jan 2026, 10:01:00', '10:30:00 UTC, in 29m')
  await button(page, 'To the next due time').click()
  await now.getByText('to 1 Jan 2026, 10:30:00').waitFor()
  await page.getByRole('region', { name: 'Changed claims' }).getByText('PENDING').waitFor()
  await page.getByLabel('To a chosen time').fill('2026-01-03T00:00')
  await button(page, 'Advance').click()
  await page.getByRole('region', { name: 'Changed claims' }).getByText('FAILED').waitFor()
  await page.getByText('Nothing is due', { exact: true }).waitFor()
  assert.ok(await button(page, 'To the next due time').isDisabled())

  await button(page, 'Delete').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No test clocks yet').waitFor()
  assert.deepEqual(pageErrors, [])
})

test('demo data has claims in every status and is created once', async () => {
  const { page, pageErrors } = await openPage()
  const overview = page.getByRole('link', { name: 'Overview', exact: true })
  await button(page, 'Create demo data').click()
  await page.waitForURL('**/?clock=*')
  for (const status of ['OPEN', 'PENDING', 'CONFIRMED', 'FAILED']) {
    const { body } = await sendAs(page, 'GET', `/v1/claims?status=${status}`)
    assert.ok(body.data.length > 0, status)
  }
  const first = page.url()
  await page.getByRole('link', { name: 'Advance it' }).waitFor()
  await overview.click()
  await button(page, 'Create demo data').click()
  await page.waitForURL('**/?clock=*')
  assert.equal(page.url(), first)
  assert.equal((await sendAs(page, 'GET', '/v1/test_clocks')).body.data.length, 1)
  assert.equal((await sendAs(page, 'GET', '/v1/schemas')).body.data.length, 1)

  await overview.click()
  const clocks = page.getByRole('region', { name: 'On test clocks' })
  await clocks.getByText(/\d OPEN, \d PENDING, \d CONFIRMED, \d FAILED/).waitFor()
  assert.equal(await page.getByRole('region', { name: 'Getting started' }).count(), 0)
  await clocks.getByRole('link', { name: 'Demo: a week of deliveries' }).click()
  await page.waitForURL('**/?clock=*')
  assert.deepEqual(pageErrors, [])
})
