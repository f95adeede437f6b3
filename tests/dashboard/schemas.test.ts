import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { differencesIn } from '../support/conflicts.ts'
import { all, contractWith } from '../support/contracts.ts'
import { button } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { editNode, json, openSchema, readJson } from '../support/schema-form.ts'
import { sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

const bound = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

const CONTRACT = contractWith({
  fulfillment_condition: all({ event: 'delivered', match: { country: 'DE' } }, { event: 'rating', gte: 4 }),
})

test('the builder and the JSON stay in sync', async () => {
  const { page, pageErrors } = await newPage()
  await openSchema(page, CONTRACT)
  assert.deepEqual(await readJson(page), CONTRACT)

  await page.getByLabel('Event type').first().fill('handed over')
  await page.getByLabel('Value of country').fill('7')
  await bound(page, 'at least').fill('4.5')
  await page.getByLabel('Activity window', { exact: true }).fill('2')
  assert.deepEqual(await readJson(page), {
    ...CONTRACT,
    activity_window: 7200,
    fulfillment_condition: all(
      { event: 'handed over', match: { country: 7 } },
      { event: 'rating', gte: 4.5 },
    ),
  })

  const written = { op: 'NOT', condition: { event: 'complaint', field: 'size', gt: 1, lt: 3 } }
  await json(page).fill(JSON.stringify({ ...CONTRACT, price: 77, fulfillment_condition: written }))
  assert.equal(await page.getByLabel('Price').inputValue(), '77')
  assert.equal(await page.getByLabel('Event type').inputValue(), 'complaint')
  assert.equal(await page.getByLabel('Number in the field').inputValue(), 'size')
  assert.equal(await bound(page, 'more than').inputValue(), '1')
  await page.getByText('no “complaint” with a size of more than 1 and less than 3 has arrived').waitFor()
  assert.deepEqual(pageErrors, [])
})

test('invalid JSON keeps the builder’s state, shows the position, and can be restored from the form', async () => {
  const { page } = await newPage()
  await openSchema(page, CONTRACT)
  await json(page).fill('{\n  "price": 1,,\n}')
  await page.getByText('Not valid JSON').waitFor()
  await page.getByText('Line 2.').waitFor()
  assert.equal(await page.getByLabel('Event type').first().inputValue(), 'delivered')
  assert.ok(await page.getByLabel('Event type').first().isDisabled())
  await button(page, 'Show position').click()
  const selected = 'document.activeElement.value.slice(document.activeElement.selectionStart)[0]'
  assert.equal(await page.evaluate(selected), ',')
  await button(page, 'Restore from the form').click()
  assert.deepEqual(await readJson(page), CONTRACT)
  assert.ok(await page.getByLabel('Event type').first().isEnabled())
})

test('missing and invalid fields are reported at the field, and nothing is saved', async () => {
  const { page } = await newPage()
  await page.goto('/schemas/new')
  await button(page, 'Create schema').click()
  await page.getByText('Is required', { exact: true }).waitFor()
  assert.equal(await page.getByLabel('Event type').getAttribute('aria-invalid'), 'true')
  await page.getByLabel('Price').fill('ten')
  await page.getByText('Must be a number, such as 1,234.5', { exact: true }).waitFor()
  await editNode(page, 'event', 'Compare a number')
  await bound(page, 'at least').fill('many')
  await page.getByText('Must be a number, such as 1,234.5', { exact: true }).nth(1).waitFor()
  assert.deepEqual((await sendAs(page, 'GET', '/v1/schemas')).body.data, [])
})

test('a schema is created, tried, saved, changed and deleted, and a claim from it is confirmed', async () => {
  const { page, pageErrors } = await newPage()
  await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })
  const clock = { name: 'trial', frozen_time: '2026-01-01T09:00:00Z' }
  const { id: clockId } = (await sendAs(page, 'POST', '/v1/test_clocks', clock)).body

  await page.goto('/schemas')
  await page.getByRole('link', { name: 'New schema' }).first().click()
  await page.getByLabel('Price').fill('49.50')
  await page.getByLabel('Event type').fill('delivered')
  await button(page, 'Field equals').click()
  await page.getByLabel('Field', { exact: true }).fill('country')
  await page.getByLabel('Value of country').fill('DE')

  await button(page, 'delivered').click()
  await page.getByLabel('Final state').getByText('CONFIRMED').waitFor()
  await page.getByRole('list', { name: 'Simulated timeline' }).getByText('accepted').waitFor()

  await button(page, 'Create schema').click()
  await page.getByText('No claim was created from this schema.').waitFor()
  const schemaId = new URL(page.url()).pathname.split('/').at(-1) as string
  await page.getByLabel('Price').fill('50')
  await button(page, 'Save changes').click()
  await page.getByText('Schema saved').waitFor()
  assert.equal((await sendAs(page, 'GET', `/v1/schemas/${schemaId}`)).body.contract.price, 50)

  await createClaim(page, schemaId, clockId)
  await page.getByLabel('Type').fill('delivered')
  await page.getByText('More fields').click()
  await page.getByLabel('Fields as JSON').fill('{"country": "DE"}')
  await button(page, 'Submit event').click()
  await page.getByText('It becomes CONFIRMED').waitFor()
  await page.getByRole('link', { name: /^Test clock 0/ }).click()
  await button(page, 'To the next due time').click()
  await page.getByText(/^1 transition from/).waitFor()
  await page.getByRole('region', { name: 'Changed claims' }).getByText('CONFIRMED').waitFor()

  await page.goto(`/schemas/${schemaId}`)
  await page.getByRole('region', { name: 'Claims' }).getByText('CONFIRMED').waitFor()
  await button(page, 'Delete').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No schemas yet').waitFor()
  assert.deepEqual(pageErrors, [])
})

async function createClaim(page: Page, schemaId: string, clockId: string): Promise<void> {
  await page.getByRole('link', { name: 'Claims', exact: true }).click()
  await page.getByRole('button', { name: 'Create claim' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Customer').fill('acme')
  await dialog.getByLabel('Contract', { exact: true }).selectOption(schemaId)
  await dialog.getByLabel('Time').selectOption(clockId)
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'Submit an event' }).waitFor()
}

test('the live trial follows events and contract and leaves out incomplete events', async () => {
  const { page } = await newPage()
  await openSchema(page, CONTRACT)
  const end = page.getByLabel('Final state')
  const timeline = page.getByRole('list', { name: 'Simulated timeline' })
  await end.getByText('FAILED').waitFor()
  await button(page, 'delivered').click()
  await page.getByLabel('After', { exact: true }).fill('20')
  await page.getByLabel('After, unit').selectOption('minutes')
  await button(page, 'rating').click()
  await end.getByText('CONFIRMED').waitFor()
  await timeline.getByText('accepted').first().waitFor()
  await button(page, 'Any event').click()
  await page.getByLabel('Type').last().fill('late')
  await timeline.getByText('refused: CLAIM_NOT_OPEN').waitFor()
  await page.getByLabel('Further fields').last().fill('{')
  await page.getByText('Must be a JSON object').waitFor()
  await timeline.getByText('late').waitFor({ state: 'detached' })

  await bound(page, 'at least').fill('5')
  await end.getByText('FAILED').waitFor()
  await page.getByLabel('Value', { exact: true }).nth(1).fill('5')
  await end.getByText('CONFIRMED').waitFor()
})

test('leaving with unsaved changes asks first', async () => {
  const { page } = await newPage()
  await openSchema(page, CONTRACT)
  await page.getByLabel('Price').fill('11')
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await page.getByLabel('Price').inputValue(), '11')
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor()
})

test('a schema is created with a name, shown by it, and renamed', async () => {
  const { page, pageErrors } = await newPage()
  await page.goto('/schemas/new')
  await page.getByLabel('Name', { exact: true }).fill('Delivery to Germany')
  await page.getByLabel('Description').fill('For parcels.')
  await json(page).fill(JSON.stringify(CONTRACT))
  await button(page, 'Create schema').click()
  await page.getByRole('heading', { name: 'Delivery to Germany', level: 1 }).waitFor()
  await page.getByText('For parcels.').waitFor()
  const id = page.url().split('/').at(-1)

  await button(page, 'Rename').click()
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Parcels')
  await page.getByRole('dialog').getByLabel('Description').fill('')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Parcels', level: 1 }).waitFor()
  const { body } = await sendAs(page, 'GET', `/v1/schemas/${id}`)
  assert.deepEqual([body.name, body.description, body.contract], ['Parcels', null, CONTRACT])

  await page.getByRole('navigation').getByRole('link', { name: 'Schemas' }).first().click()
  await page.getByRole('link', { name: 'Parcels' }).waitFor()
  await page.getByRole('link', { name: 'Claims', exact: true }).click()
  await page.getByLabel('Schema').selectOption({ value: id as string })
  assert.match(await page.getByLabel('Schema').locator('option:checked').innerText(), /Parcels/)

  const customer = (await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })).body
  const claim = { customer_id: customer.id, schema_id: id }
  const { body: made } = await sendAs(page, 'POST', '/v1/claims', claim)
  // A list names the schema, and its whole row opens.
  await page.reload()
  await page.getByRole('cell', { name: 'Parcels' }).click()
  await page.waitForURL(`**/claims/${made.id}`)
  await page.getByRole('region', { name: 'Details' }).getByRole('link', { name: 'Parcels' }).click()
  await button(page, 'Duplicate').click()
  await page.getByRole('heading', { name: 'Parcels (copy)', level: 1 }).waitFor()
  const copy = await sendAs(page, 'GET', `/v1/schemas/${page.url().split('/').at(-1)}`)
  assert.deepEqual([copy.body.name, copy.body.contract], ['Parcels (copy)', CONTRACT])
  assert.notEqual(copy.body.id, id)
  assert.deepEqual(pageErrors, [])
})

test('saving a changed schema shows the differences, and no later version is overwritten', async () => {
  const { page } = await newPage()
  const stored = contractWith({ price: 49.5, review_window: 60 })
  const path = `/v1/schemas/${await openSchema(page, stored)}`
  const setPrice = (price: number) => sendAs(page, 'PATCH', path, { contract: { ...stored, price } })
  const read = async () => {
    const { contract } = (await sendAs(page, 'GET', path)).body
    return [contract.price, contract.review_window]
  }
  const save = () => button(page, 'Save changes').click()
  const price = page.getByLabel('Price')
  const window = page.getByLabel('Review window', { exact: true })
  const dialog = page.getByRole('dialog', { name: 'The schema has changed' })
  const choose = (name: string) => dialog.getByRole('button', { name, exact: true }).click()

  await setPrice(55)
  await window.fill('2')
  await save()
  await dialog.waitFor()
  assert.deepEqual(await differencesIn(dialog), [
    ['Price', '49.5', '55'],
    ['Review window', '2 minutes', '1 minute'],
  ])
  assert.deepEqual(await read(), [55, 60])
  await choose('Use the saved version')
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual([await price.inputValue(), await window.inputValue()], ['55', '1'])
  assert.equal(await button(page, 'Save changes').count(), 0)
  // It goes on from there.
  await price.fill('56')
  await save()
  await page.getByText('Schema saved').waitFor()
  assert.deepEqual(await read(), [56, 60])

  await setPrice(57)
  await window.fill('2')
  await save()
  await choose('Keep editing')
  await dialog.waitFor({ state: 'detached' })
  await save()
  await dialog.waitFor()
  await setPrice(66)
  await choose('Overwrite with mine')
  await dialog.getByText('66', { exact: true }).waitFor()
  assert.deepEqual(await read(), [66, 60])
  await choose('Overwrite with mine')
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(await read(), [56, 120])
})
