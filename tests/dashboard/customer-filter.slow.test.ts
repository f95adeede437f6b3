import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clearWhileLookedUp, filtersOf, holdLookUp, openList } from '../support/customer-look-ups.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { createCustomer } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

const isOfCustomers = (url: URL) => url.pathname.startsWith('/v1/customers')

test('Clear empties the customer field of the activity page', async () => {
  const { page } = await newPage()
  await clearWhileLookedUp(page, '/activity?type=claim.created')
})

test('applying the current saved filters cancels a customer lookup', async () => {
  const { page, field } = await openList((await newPage()).page, () => '/claims?status=OPEN')
  const menu = page.getByRole('button', { name: 'Saved filters' })
  await menu.click()
  await page.getByRole('button', { name: 'Save these filters' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Open ones')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  const { requested, answer } = await holdLookUp(page, 'globex')
  await field.fill('globex')
  await field.press('Enter')
  await requested
  await menu.click()
  await page.getByRole('link', { name: 'Open ones' }).click()
  await eventually(async () => (await field.inputValue()) === '')
  await answer()
  assert.deepEqual([filtersOf(page), await field.inputValue()], ['?status=OPEN', ''])
})

test('going back cancels a customer lookup even if the filter stays the same', async () => {
  const { page, acme, field } = await openList((await newPage()).page, (id) => `/claims?customer=${id}`)
  await page.getByLabel('Status').selectOption('OPEN')
  await page.waitForURL('**/claims?*status=OPEN*')
  const { requested, answer } = await holdLookUp(page, 'globex')
  await field.fill('globex')
  await field.press('Enter')
  await requested
  await page.evaluate('history.back()')
  await page.waitForURL(`**/claims?customer=${acme}`)
  await answer()
  assert.deepEqual([filtersOf(page), await field.inputValue()], [`?customer=${acme}`, 'acme'])
})

test('a filter by an unreadable customer shows its id and is removed by emptying the field', async () => {
  const { page, acme, field } = await openList((await newPage()).page, () => '/claims')
  await page.route(isOfCustomers, (route) => route.fulfill({ status: 500, body: '{}' }))
  await page.goto(`/claims?customer=${acme}`)
  const inShort = `${acme.slice(0, 8)}…${acme.slice(-6)}`
  await eventually(async () => (await field.inputValue()) === inShort)
  await field.focus()
  await field.blur()
  assert.equal(await field.getAttribute('aria-invalid'), null)
  await field.fill('')
  await page.waitForURL(({ search }) => search === '')
  assert.equal(await field.inputValue(), '')
})

test('a filter accepts at most 255 characters of an external id', async () => {
  const { page, field } = await openList((await newPage()).page, () => '/claims')
  await field.fill('x'.repeat(256))
  await field.press('Enter')
  await page.locator('[aria-label=Customer][aria-invalid=true]').waitFor()
  assert.equal(await field.inputValue(), 'x'.repeat(255))
})

test('typing replaces a customer name that loads while the field has the focus', async () => {
  const { page } = await newPage()
  const acme = await createCustomer(page, 'acme')
  const gate = Promise.withResolvers<void>()
  await page.route(isOfCustomers, async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.goto(`/claims?customer=${acme}`)
  const field = page.getByLabel('Customer', { exact: true })
  await field.focus()
  assert.notEqual(await field.inputValue(), 'acme')
  gate.resolve()
  await eventually(async () => (await field.inputValue()) === 'acme')
  await page.keyboard.type('glob')
  assert.equal(await field.inputValue(), 'glob')
})
