import assert from 'node:assert/strict'
import { test } from 'node:test'
import { created, furnish } from '../support/claim-dialog.ts'
import { all, contractWith, not } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { findAccessibilityFaults } from '../support/find-accessibility-faults.ts'
import { sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

test('the Create button is busy until the contract is loaded', async () => {
  const { page, newer, customer } = await furnish(await newPage())
  const gate = Promise.withResolvers<void>()
  await page.route('**/v1/schemas', async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.goto(`/customers/${customer}`)
  await page.getByRole('button', { name: 'Create claim' }).click()
  const dialog = page.getByRole('dialog')
  const press = dialog.getByRole('button', { name: 'Create', exact: true })
  await press.waitFor()
  assert.equal(await press.getAttribute('aria-busy'), 'true')
  gate.resolve()
  await dialog.getByText('The claim is worth 22.00.').waitFor()
  assert.equal(await press.getAttribute('aria-busy'), null)
  const { schema_id, customer_id } = await created(page)
  assert.deepEqual([schema_id, customer_id], [newer, customer])
})

test('a similar claim or candidate has the original contract although the schema has changed', async () => {
  const { page, pageErrors, older, customer, clock } = await furnish(await newPage())
  const dialog = page.getByRole('dialog')
  const terms = { customer_id: customer, schema_id: older, test_clock_id: clock }
  const claim = (await sendAs(page, 'POST', '/v1/claims', terms)).body
  const open = async (path: string) => {
    await page.goto(path)
    await page.getByRole('button', { name: 'Create another like this' }).click()
    await dialog.getByText('The claim is worth 11.00.').waitFor()
    assert.equal(await dialog.getByLabel('Customer').inputValue(), 'acme')
  }
  await sendAs(page, 'PATCH', `/v1/schemas/${older}`, { contract: contractWith({ price: 12 }) })
  const alias = { candidate_alias: `twin-${claim.id}`, customer_uuid: 'acme', contract: claim.contract }
  await sendAs(page, 'POST', '/v1/candidates', alias)
  await open(`/claims/${claim.id}`)
  assert.equal(await dialog.getByLabel('Contract', { exact: true }).inputValue(), '')
  await dialog.getByText('Its schema has been changed or deleted since').waitFor()
  const own = await created(page)
  assert.deepEqual([own.contract, own.schema_id], [claim.contract, null])

  await open(`/candidates/twin-${claim.id}`)
  assert.equal(await dialog.getByLabel('Alias').inputValue(), '')
  await dialog.getByLabel('Alias').fill(`triplet-${claim.id}`)
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: `Candidate triplet-${claim.id}`, level: 1 }).waitFor()
  const triplet = (await sendAs(page, 'GET', `/v1/candidates/triplet-${claim.id}`)).body
  assert.deepEqual([triplet.customer_uuid, triplet.contract], ['acme', claim.contract])
  assert.deepEqual(pageErrors, [])
})

test('the dialog that creates a claim shows the hints about its contract', async () => {
  const { page, pageErrors } = await newPage()
  // A NOT that the leaf before it excludes, a window under a minute and a timeout.
  const contract = contractWith({
    activity_window: 24,
    fulfillment_condition: all({ event: 'delivered', gte: 3 }, not({ event: 'delivered' })),
  })
  await sendAs(page, 'POST', '/v1/schemas', { contract: contractWith() })
  const { id } = (await sendAs(page, 'POST', '/v1/schemas', { contract })).body
  await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })
  await page.goto('/claims')
  await page.getByRole('button', { name: 'Create claim' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('fulfillment_condition.conditions[1]').waitFor()
  assert.equal(await page.getByRole('region', { name: 'Hints' }).getByRole('listitem').count(), 3)
  assert.equal(await dialog.getByRole('button', { name: 'Show' }).count(), 0)
  assert.deepEqual(await findAccessibilityFaults(page), [])
  await dialog.getByLabel('Contract', { exact: true }).selectOption(id)
  await dialog.getByLabel('Customer').fill('acme')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'Submit an event' }).waitFor()
  assert.deepEqual(pageErrors, [])
})
