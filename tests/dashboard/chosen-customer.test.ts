import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createCustomer,
  customersOfClaims,
  filtersOf,
  holdLookUp,
  openClaimDialog,
  openEndpointForm,
  openList,
} from '../support/customer-look-ups.ts'
import { dashboardTests } from '../support/dashboard.ts'

const { newPage } = await dashboardTests()

test('a claim is of the customer that was written last, though it is still looked up', async () => {
  const { page, field, globex, press } = await openClaimDialog((await newPage()).page)
  const { asked, answer } = await holdLookUp(page, 'globex')
  await field.fill('globex')
  await press.click()
  await asked
  await page.locator('dialog button[type=submit][aria-busy=true]').waitFor()
  assert.equal(await page.getByText('Choose a customer').count(), 0)
  assert.deepEqual(await customersOfClaims(page), [])
  await answer()
  await page.waitForURL('**/claims/*')
  assert.deepEqual(await customersOfClaims(page), [globex])
})

test('an endpoint does not keep its customer if another was written that is not there', async () => {
  const { page, dialog, acme, read } = await openEndpointForm((await newPage()).page)
  const field = dialog.getByLabel('Customer', { exact: true })
  await dialog.getByLabel('Description').fill('of nobody')
  await field.fill('nobody')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText(/There is no customer \W*nobody/).waitFor()
  assert.equal((await read()).description, null)

  await createCustomer(page, 'globex')
  await field.fill('globex')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { customer_id, description } = await read()
  assert.notEqual(customer_id, acme)
  assert.equal(description, 'of nobody')
})

test('Clear empties a list’s field of a customer that is still looked up, and of one that does not exist', async () => {
  const { page, field } = await openList((await newPage()).page, () => '/claims?status=OPEN')
  const clear = page.getByRole('button', { name: 'Clear' })
  const { asked, answer } = await holdLookUp(page, 'globex')
  await field.fill('globex')
  await field.press('Enter')
  await asked
  await clear.click()
  await page.waitForURL(({ search }) => search === '')
  assert.equal(await field.inputValue(), '')
  await answer()
  assert.deepEqual([filtersOf(page), await field.inputValue()], ['', ''])

  await page.evaluate('history.back()')
  await page.waitForURL(({ search }) => search !== '')
  await field.fill('nobody')
  await field.press('Enter')
  await page.locator('[aria-label=Customer][aria-invalid=true]').waitFor()
  await clear.click()
  await page.locator('[aria-label=Customer]:not([aria-invalid])').waitFor()
  assert.deepEqual([filtersOf(page), await field.inputValue()], ['', ''])
})
