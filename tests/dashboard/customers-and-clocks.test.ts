import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startTestBrowser } from '../support/browser.ts'
import { contractWith } from '../support/contracts.ts'
import { newSignedInPage, openSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const browser = await startTestBrowser()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('customers are created, found by their external_id, renamed, and shown with their claims and totals', async () => {
  const { page, complaints } = await openSignedInPage(service, browser)
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByText('No customers yet').waitFor()
  await button(page, 'Create customer').first().click()
  await page.getByLabel('External id').fill('acme')
  await page.getByLabel('Name (optional)').fill('ACME Inc.')
  await button(page, 'Create').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await sendAs(page, 'POST', '/v1/customers', { external_id: 'globex' })

  await page.getByLabel('Search customers').fill('nobody')
  await page.getByText('No customer is called').waitFor()
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
  assert.deepEqual(complaints, [])
})

test('an external_id that is taken is told at its field', async () => {
  const { page } = await newSignedInPage(service, browser)
  await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })
  await page.goto('/customers')
  await button(page, 'Create customer').click()
  await page.getByLabel('External id').fill('acme')
  await button(page, 'Create').click()
  await page.getByText('There is a customer of this external id already').waitFor()
})

test('a test clock is created, advanced in steps and to a chosen time, tells what moved, and is deleted', async () => {
  const { page, complaints } = await openSignedInPage(service, browser)
  await page.getByRole('link', { name: 'Test clocks' }).click()
  await button(page, 'Create test clock').first().click()
  await page.getByLabel('Name (optional)').fill('January')
  await page.getByLabel('Begins at').fill('2026-01-01T09:00')
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
  await page.getByText('Nothing moved from').waitFor()
  await button(page, 'An hour').click()
  await advanced('to 1 Jan 2026, 10:01:00', '10:30:00 UTC, in 29m')
  await button(page, 'To the next due time').click()
  await now.getByText('to 1 Jan 2026, 10:30:00').waitFor()
  await page.getByRole('region', { name: 'What moved' }).getByText('PENDING').waitFor()
  await page.getByLabel('To a chosen time').fill('2026-01-03T00:00')
  await button(page, 'Advance').click()
  await page.getByRole('region', { name: 'What moved' }).getByText('FAILED').waitFor()
  await page.getByText('Nothing is due on it').waitFor()
  assert.ok(await button(page, 'To the next due time').isDisabled())

  await button(page, 'Delete').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No test clocks yet').waitFor()
  assert.deepEqual(complaints, [])
})

test('one button makes a demo in every state and shows its overview; pressed again, it shows the same', async () => {
  const { page, complaints } = await openSignedInPage(service, browser)
  await button(page, 'Make a demo').click()
  await page.waitForURL('**/?clock=*')
  for (const status of ['OPEN', 'PENDING', 'CONFIRMED', 'FAILED']) {
    const { body } = await sendAs(page, 'GET', `/v1/claims?status=${status}`)
    assert.ok(body.data.length > 0, status)
  }
  const first = page.url()
  await page.getByRole('link', { name: 'Advance it' }).waitFor()
  await page.goto('/')
  await button(page, 'Make a demo').click()
  await page.waitForURL('**/?clock=*')
  assert.equal(page.url(), first)
  assert.equal((await sendAs(page, 'GET', '/v1/test_clocks')).body.data.length, 1)
  assert.equal((await sendAs(page, 'GET', '/v1/schemas')).body.data.length, 1)
  assert.deepEqual(complaints, [])
})

test('the overview after the demo was made shows what there is: its clock, with what is on it', async () => {
  const { page, complaints } = await openSignedInPage(service, browser)
  await button(page, 'Make a demo').click()
  await page.waitForURL('**/?clock=*')
  await page.getByRole('link', { name: 'Overview', exact: true }).click()
  await page.waitForURL(`${service.url}/`)
  const clocks = page.getByRole('region', { name: 'On test clocks' })
  await clocks.getByText(/\d OPEN, \d PENDING, \d CONFIRMED, \d FAILED/).waitFor()
  assert.equal(await page.getByRole('region', { name: 'Getting started' }).count(), 0)
  await clocks.getByRole('link', { name: 'Demo: a week of deliveries' }).click()
  await page.waitForURL('**/?clock=*')
  assert.deepEqual(complaints, [])
})

test('a demo that was interrupted is made anew, with the customer and the schema that are there', async () => {
  const { page } = await openSignedInPage(service, browser)
  let posts = 0
  await page.route('**/v1/claims', (route) => (++posts > 2 ? route.abort() : route.continue()))
  await button(page, 'Make a demo').click()
  await page.getByText('The service cannot be reached.').first().waitFor()
  await page.unroute('**/v1/claims')
  await button(page, 'Make a demo').click()
  await page.waitForURL('**/?clock=*')
  for (const path of ['/v1/test_clocks', '/v1/schemas', '/v1/customers'])
    assert.equal((await sendAs(page, 'GET', path)).body.data.length, 1, path)
  assert.equal((await sendAs(page, 'GET', '/v1/claims')).body.data.length, 7)
})
