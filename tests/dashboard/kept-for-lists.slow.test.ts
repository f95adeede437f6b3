import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { sendAs } from '../support/signed-in-page.ts'

/* What the browser keeps of lists, for the account: filters under a name, and chosen columns. */

const { newPage } = await dashboardTests()
const { page, pageErrors } = await newPage()
const customer_id = (await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })).body.id
const contract = contractWith({ price: 20 })
const note = 'A-1'
const claim = { customer_id, contract, reference: 'order-1', metadata: { note } }
const { id } = (await sendAs(page, 'POST', '/v1/claims', claim)).body

const menu = page.getByRole('button', { name: /^Saved filters/ })
const saved = page.getByRole('list', { name: 'Saved filters' })
const dialog = page.getByRole('dialog')

async function save(name: string) {
  await menu.click()
  await page.getByRole('button', { name: 'Save these filters' }).click()
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: /^(Save|Replace)$/ }).click()
}

test('filters are saved, applied, renamed, replaced and deleted', async () => {
  await page.goto(`/claims?status=OPEN&price_from=10&sort=due&metadata[note]=${note}`)
  await save('  Dear and open ')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.waitForURL('**/claims')
  await menu.click()
  await saved.getByRole('link', { name: 'Dear and open' }).click()
  await page.waitForURL(/claims\?status=OPEN&sort=due&price_from=10&metadata%5Bnote%5D=A-1/)
  await page.getByRole('link', { name: 'order-1' }).waitFor()
  await page.getByRole('button', { name: 'More (3) filters' }).waitFor()
  await menu.and(page.getByRole('button', { name: /Dear and open/ })).waitFor()

  await menu.click()
  await saved.getByRole('button', { name: /^Rename/ }).click()
  await dialog.getByLabel('Name').fill('Dear')
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByLabel('Price from').fill('50')
  await page.waitForURL(/price_from=50/)
  await save('Dear')
  await dialog.waitFor({ state: 'detached' })
  await menu.click()
  assert.deepEqual(await saved.getByRole('link').allInnerTexts(), ['Dear'])
  await page.keyboard.press('Escape')
  // Those of the candidates are others.
  await page.getByRole('link', { name: 'Candidates', exact: true }).click()
  await page.getByRole('heading', { name: 'Candidates', level: 1 }).waitFor()
  await menu.click()
  await page.getByText('No filters saved yet.').waitFor()

  await page.getByRole('link', { name: 'Claims', exact: true }).click()
  await page.getByRole('heading', { name: 'Claims', level: 1 }).waitFor()
  await menu.click()
  await saved.getByRole('button', { name: /^Delete/ }).click()
  await page.getByText('No filters saved yet.').waitFor()
})

test('columns are chosen per list; the first column and the sort column are always shown', async () => {
  const columns = page.getByRole('button', { name: 'Columns' })
  const headers = () => page.getByRole('columnheader').allInnerTexts()
  await page.goto('/claims')
  await page.getByRole('link', { name: 'order-1' }).waitFor()
  await columns.click()
  assert.ok(await page.getByRole('checkbox', { name: 'Claim', exact: true }).isDisabled())
  for (const name of ['Customer', 'Status', 'Due or resolved', 'Price', 'Schema', 'Created'])
    await page.getByRole('checkbox', { name, exact: true }).uncheck()
  assert.deepEqual(await headers(), ['Claim'])
  await page.getByRole('checkbox', { name: 'Id' }).check()
  await page.getByRole('checkbox', { name: 'Price' }).check()
  await page.reload()
  await page.getByRole('cell', { name: id }).waitFor()
  assert.deepEqual(await headers(), ['Claim', 'Price', 'Id'])
  await page.goto('/claims?sort=due')
  await page.getByRole('cell', { name: id }).waitFor()
  assert.deepEqual(await headers(), ['Claim', 'Due or resolved', 'Price', 'Id'])
  await columns.click()
  assert.ok(await page.getByRole('checkbox', { name: 'Due or resolved (sorted by this)' }).isDisabled())

  await page.getByRole('button', { name: 'Reset to default' }).click()
  await page.getByRole('columnheader', { name: 'Status' }).waitFor()
  assert.deepEqual(pageErrors, [])
})
