import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { sendAs } from '../support/signed-in-page.ts'

/* Ctrl-K finds whatever has a name or an id. */

const { newPage } = await dashboardTests()
const { page, pageErrors } = await newPage()

const contract = contractWith()
const customer = (await sendAs(page, 'POST', '/v1/customers', { external_id: 'c-17', name: 'Acme Labs' }))
  .body
const claim = (
  await sendAs(page, 'POST', '/v1/claims', { customer_id: customer.id, reference: 'acme/1', contract })
).body
const plain = (await sendAs(page, 'POST', '/v1/claims', { customer_id: customer.id, contract })).body
await sendAs(page, 'POST', '/v1/candidates', {
  candidate_alias: 'acme-order-1',
  customer_uuid: 'c-17',
  contract,
})
const schema = (await sendAs(page, 'POST', '/v1/schemas', { name: 'Acme support', contract })).body
const clock = (
  await sendAs(page, 'POST', '/v1/test_clocks', { name: 'Acme year', frozen_time: '2026-01-01T00:00:00Z' })
).body

const box = page.getByRole('combobox', { name: 'Search everything' })
const options = page.getByRole('listbox', { name: 'Found' }).getByRole('option')
const search = async (text: string) => {
  // The page has loaded before it listens to keys.
  await page
    .getByRole('button', { name: /^Search/ })
    .first()
    .waitFor()
  if (!(await box.isVisible())) await page.keyboard.press('Control+k')
  await box.fill(text)
}
const shortened = (id: string) => `${id.slice(0, 8)}…${id.slice(-6)}`

test('the search finds candidates, customers, schemas and clocks by name', async () => {
  await page.goto('/')
  await search('acme')
  for (const name of ['acme-order-1', 'c-17', 'Acme support', 'Acme year'])
    await options.filter({ hasText: name }).waitFor()
  await search('activ')
  await options.filter({ hasText: 'Activity' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/activity')
  assert.ok(!(await box.isVisible()))
})

test('Enter opens the record of a reference, name, alias or id, even before the response arrives', async () => {
  await page.goto('/settings')
  for (const [text, path] of [
    ['acme/1', `/claims/${claim.id}`],
    [plain.id, `/claims/${plain.id}`],
    ['acme-ord', '/candidates/acme-order-1'],
    // As a list shows it.
    [shortened(plain.id), `/claims/${plain.id}`],
    ['Acme La', `/customers/${customer.id}`],
    [clock.id, `/test-clocks/${clock.id}`],
    [customer.id, `/customers/${customer.id}`],
    [shortened(schema.id), `/schemas/${schema.id}`],
  ] as const) {
    await search(text)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${path}`)
  }
})

test('arrow keys select a result, and an empty result is explained', async () => {
  await page.goto('/')
  await page
    .getByRole('button', { name: /^Search/ })
    .first()
    .click()
  await box.fill('acme')
  for (const name of ['acme-order-1', 'c-17', 'Acme support', 'Acme year'])
    await options.filter({ hasText: name }).waitFor()
  const selected = page.getByRole('listbox', { name: 'Found' }).getByRole('option', { selected: true })
  const first = await selected.innerText()
  await page.keyboard.press('ArrowDown')
  assert.notEqual(await selected.innerText(), first)
  await page.keyboard.press('ArrowUp')
  assert.equal(await selected.innerText(), first)
  await box.fill('nobody is called so')
  await page.getByText('Nothing found for').waitFor()
  await page.keyboard.press('Enter')
  assert.ok(await box.isVisible())
  await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })
})

test('a failed part of the search is reported, and other results are shown', async () => {
  await page.goto('/')
  await page.route('**/v1/candidates?**', (route) => route.abort())
  await search('c-1')
  await options.filter({ hasText: 'c-17' }).waitFor()
  await page.getByText('Part of the search failed. Results may be missing.').waitFor({ timeout: 30_000 })
  await page.unroute('**/v1/candidates?**')
  // The browser logs the aborted answer, and the id that no customer has.
  const others = pageErrors.filter((line) => !/status of 404|ERR_FAILED/.test(line))
  assert.deepEqual(others, [])
})
