import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clearWhileLookedUp, createWhileLookedUp, openEndpointForm } from '../support/customer-look-ups.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { createCustomer } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

test('a claim is created for the customer typed last although the lookup is running', async () => {
  const { page } = await newPage()
  await createWhileLookedUp(page, (_, press) => press.click())
})

test('an endpoint is not saved with its old customer if the typed customer does not exist', async () => {
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

test('Clear empties the customer field during a lookup and for an unknown customer', async () => {
  const { page } = await newPage()
  await clearWhileLookedUp(page, '/claims?status=OPEN')
})
