import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { all, contractWith, not } from '../support/contracts.ts'
import { focusComesTo } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

const hintsOn = (page: Page) => page.getByRole('region', { name: 'Hints' }).getByRole('listitem')
const focusComesToPlace = (page: Page, place: string | null) =>
  page.locator(`[data-focus=${JSON.stringify(place)}]:focus`).waitFor()

const delivered = { event: 'delivered', gte: 3 }
/** A NOT that the leaf before it excludes, a window under a minute and a timeout. */
const CONTRACT = contractWith({
  activity_window: 24,
  fulfillment_condition: all(delivered, { event: 'signed' }, not({ event: 'delivered' })),
})

test('hints link to their fields and disappear when the contract is fixed', async () => {
  const { page, pageErrors } = await newPage()
  const { id } = (await sendAs(page, 'POST', '/v1/schemas', { contract: CONTRACT })).body
  await page.goto(`/schemas/${id}`)
  const hints = hintsOn(page)
  await hints.filter({ hasText: 'No events satisfy this' }).waitFor()
  assert.equal(await hints.count(), 3)

  await page.getByRole('button', { name: 'Show fulfillment_condition.conditions[2]' }).click()
  await focusComesTo(page.getByRole('button', { name: 'Edit group “Not this”' }))
  await page.getByRole('button', { name: 'Show activity_window' }).click()
  await focusComesToPlace(page, 'activity_window')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('240')
  await hints.filter({ hasText: '24 seconds' }).waitFor({ state: 'detached' })

  await page.getByLabel('Event type').last().fill('damaged')
  await hints.filter({ hasText: 'Once it is PENDING, for a review of 10 minutes' }).waitFor()
  assert.equal(await hints.count(), 1)
  await page.getByLabel('Timeout outcome').selectOption('CONFIRMED')
  await page.getByRole('button', { name: 'Show timeout_outcome' }).click()
  await focusComesToPlace(page, 'timeout_outcome')
  await page.getByLabel('Timeout outcome').selectOption('FAILED')
  await page.getByLabel('Review window', { exact: true }).fill('0')
  await hints.first().waitFor({ state: 'detached' })
  await page.getByText('There is no review').waitFor()
  // It is saved as any other: hints are in nobody's way.
  await page.getByLabel('Activity window', { exact: true }).fill('1')
  await hints.filter({ hasText: 'This window is 1 second' }).waitFor()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Schema saved').waitFor()
  assert.deepEqual(pageErrors, [])
})

test('a price with more decimals than the account’s currency gives a hint', async () => {
  const { page, pageErrors } = await newPage()
  await sendAs(page, 'PATCH', '/v1/me', { currency: 'JPY' })
  const contract = contractWith({ price: 12.5, fulfillment_condition: { event: 'rated', gte: 4 } })
  const { id } = (await sendAs(page, 'POST', '/v1/schemas', { contract })).body
  await page.goto(`/schemas/${id}`)
  const hint = hintsOn(page).filter({
    hasText: 'The price 12.5 has 1 decimal, but the account’s currency, JPY',
  })
  await hint.waitFor()
  await page.getByRole('textbox', { name: 'Price' }).fill('12')
  await hint.waitFor({ state: 'detached' })
  assert.deepEqual(pageErrors, [])
})

test('an unknown event type has a hint with a similar type, and known types are suggested', async () => {
  const { page, pageErrors } = await newPage()
  const external_id = 'globex'
  const customer = (await sendAs(page, 'POST', '/v1/customers', { external_id })).body
  const created = await sendAs(page, 'POST', '/v1/claims', {
    customer_id: customer.id,
    contract: contractWith(),
  })
  await sendAs(page, 'POST', `/v1/claims/${created.body.id}/events`, { type: 'ticket_resolved' })
  const { id } = (
    await sendAs(page, 'POST', '/v1/schemas', {
      contract: contractWith({ fulfillment_condition: { event: 'ticket_resovled' } }),
    })
  ).body
  await page.goto(`/schemas/${id}`)
  const hint = hintsOn(page).filter({ hasText: 'Perhaps "ticket_resolved" is meant.' })
  await hint.waitFor()
  await hint.getByRole('button').click()
  const type = page.getByLabel('Event type')
  await focusComesTo(type)
  const proposed = await page.evaluate('[...document.activeElement.list.options].map(({ value }) => value)')
  assert.deepEqual(proposed, ['ticket_resolved'])
  await type.fill('ticket_resolved')
  await hint.waitFor({ state: 'detached' })
  assert.deepEqual(pageErrors, [])
})
