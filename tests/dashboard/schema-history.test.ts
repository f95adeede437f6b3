import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { changesBetween } from '../../dashboard/src/claim-schemas/version-changes.ts'
import { all, contractWith } from '../support/contracts.ts'
import { button, isClosed } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { sendAs } from '../support/signed-in-page.ts'
import type { Contract } from '../support/source/contracts.ts'

const { newPage, service } = await dashboardTests()

const CONTRACT = contractWith({
  price: 49.5,
  review_window: 60,
  fulfillment_condition: { event: 'delivered' },
})

const history = (page: Page) => page.getByRole('region', { name: 'History' })
const version = (page: Page, number: number) =>
  history(page).getByRole('listitem', { name: `Version ${number}`, exact: true })

/** What is said of a version beside its contract. */
async function changesOf(page: Page, number: number): Promise<string[][]> {
  const terms = version(page, number).locator(':scope > div dl > div')
  return Promise.all((await terms.all()).map((term) => term.locator('dt, del, ins').allInnerTexts()))
}

async function newSchema(page: Page, changes: object[] = []): Promise<string> {
  const { id } = (await sendAs(page, 'POST', '/v1/schemas', { contract: CONTRACT })).body
  for (const change of changes) await sendAs(page, 'PATCH', `/v1/schemas/${id}`, change)
  return id
}

test('the history of a schema shows authors and changes in words, newest first', async () => {
  const { page, pageErrors } = await newPage()
  const { body: token } = await sendAs(page, 'POST', '/v1/tokens', { name: 'nightly import' })
  const condition = all({ event: 'delivered' }, { event: 'rating', gte: 4 })
  const id = await newSchema(page, [
    { contract: { ...CONTRACT, price: 59, review_window: 0, timeout_outcome: 'confirm' } },
    { name: 'Parcels', description: 'To Germany.' },
  ])
  await service
    .clientWith(token.token)
    .patch(`/v1/schemas/${id}`, { contract: { ...CONTRACT, fulfillment_condition: condition } })
  await page.goto(`/schemas/${id}`)
  await version(page, 4).getByText('by token nightly import').waitFor()
  await version(page, 3).getByText('by Lena Roth').waitFor()
  assert.deepEqual(await changesOf(page, 2), [
    ['Price', '49.50', '59.00'],
    ['Review window', '1 minute', 'no time'],
    ['Timeout outcome', 'FAILED', 'CONFIRMED'],
  ])
  const told = (await changesOf(page, 3)).map((texts) =>
    texts.map((text) => text.replace(/[\u2066-\u2069]/g, '')),
  )
  assert.deepEqual(told, [
    ['Name', 'none', 'Parcels'],
    ['Description', 'none', 'To Germany.'],
  ])
  assert.deepEqual((await changesOf(page, 4)).at(-1), [
    'Condition',
    '“delivered” has arrived',
    '“delivered” has arrived and “rating” with a value of at least 4 has arrived',
  ])
  await version(page, 1).getByText('First version.').waitFor()
  assert.equal(await history(page).getByText('current', { exact: true }).count(), 1)
  assert.deepEqual(pageErrors, [])
})

test('a claim links to its schema version and shows whether the schema has changed since', async () => {
  const { page, pageErrors } = await newPage()
  const { body: customer } = await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })
  const id = await newSchema(page, [{ contract: { ...CONTRACT, price: 59 } }])
  const { body: claim } = await sendAs(page, 'POST', '/v1/claims', {
    customer_id: customer.id,
    schema_id: id,
  })
  await page.goto(`/claims/${claim.id}`)
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByRole('link', { name: 'version 2' }).waitFor()
  assert.equal(await details.getByText('changed since').count(), 0)
  for (let price = 60; price < 67; price++)
    await sendAs(page, 'PATCH', `/v1/schemas/${id}`, { contract: { ...CONTRACT, price } })
  await page.reload()
  await details.getByText('(changed since)').waitFor()
  await details.getByRole('link', { name: 'version 2' }).click()
  await version(page, 2).getByText('The claim is worth 59.00.').waitFor()
  assert.equal(new URL(page.url()).search, '?version=2')
  // The others are closed.
  assert.equal(
    await history(page)
      .getByText(/^The claim is worth/)
      .count(),
    1,
  )
  // It is scrolled to once it is laid out.
  await eventually(async () => {
    const box = await version(page, 2).boundingBox()
    return box && box.y > 0 && box.y < (page.viewportSize()?.height ?? 0)
  })
  assert.deepEqual(pageErrors, [])
})

test('restoring a version copies its contract into the form and asks before unsaved changes are lost', async () => {
  const { page } = await newPage()
  const id = await newSchema(page, [{ contract: { ...CONTRACT, price: 59 }, name: 'Parcels' }])
  await page.goto(`/schemas/${id}?version=1`)
  await page.getByLabel('Price').fill('70')
  await button(version(page, 1), 'Restore this contract').click()
  const dialog = page.getByRole('dialog', { name: 'Discard your changes?' })
  await button(dialog, 'Cancel').click()
  assert.equal(await page.getByLabel('Price').inputValue(), '70')
  await button(version(page, 1), 'Restore this contract').click()
  await button(dialog, 'Discard').click()
  await isClosed(dialog)
  assert.equal(await page.getByLabel('Price').inputValue(), '49.5')
  await page.getByText('Unsaved changes.').waitFor()
  const read = async () => (await sendAs(page, 'GET', `/v1/schemas/${id}`)).body
  assert.equal((await read()).version, 2)
  await button(page, 'Save changes').click()
  await version(page, 3).waitFor()
  const { version: number, name, contract } = await read()
  assert.deepEqual([number, name, contract], [3, 'Parcels', CONTRACT])
  assert.deepEqual(await changesOf(page, 3), [['Price', '59.00', '49.50']])
  // A new name stands in the history at once too.
  await button(page, 'Rename').click()
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Letters')
  await button(page.getByRole('dialog'), 'Save').click()
  await version(page, 4).waitFor()
})

const told = (terms: Partial<Contract>) => ({
  name: null,
  description: null,
  contract: { ...CONTRACT, ...terms },
})

test('changes are shown in words, and a change of the JSON only is named', () => {
  const money = (amount: number) => `${amount} €`
  const changes = (before: ReturnType<typeof told>, after: ReturnType<typeof told>) =>
    changesBetween(before, after, money)
  assert.deepEqual(changes(told({}), told({ price: 59 })), [
    { field: 'Price', before: '49.5 €', after: '59 €' },
  ])
  const alike = all({ event: 'delivered' })
  const asWritten = { before: 'same meaning', after: 'different JSON' }
  assert.deepEqual(changes(told({}), told({ fulfillment_condition: alike })), [
    { field: 'Condition', ...asWritten },
  ])
  const { price, ...others } = CONTRACT
  const reordered = { name: null, description: null, contract: { ...others, price } }
  assert.deepEqual(changes(told({}), reordered), [{ field: 'JSON', ...asWritten }])
  assert.deepEqual(changes(told({}), told({})), [])
})
