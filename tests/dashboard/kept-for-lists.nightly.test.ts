import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { sendAs } from '../support/signed-in-page.ts'

/* What the browser keeps of lists, for the account: filters under a name, and chosen columns. */

const { newPage } = await dashboardTests()

/** A page of a new account, and the key under which the browser keeps something for it. */
async function openKept() {
  const { page, pageErrors } = await newPage()
  const { id: account } = (await sendAs(page, 'GET', '/v1/me')).body
  const keyOf = (name: string, of = account) => JSON.stringify(`kept ${of} ${name}`)
  await page.goto('/claims')
  return { page, pageErrors, keyOf }
}

test('invalid stored filters are ignored, and full storage is reported', async () => {
  const { page, pageErrors, keyOf } = await openKept()
  const menu = page.getByRole('button', { name: /^Saved filters/ })
  const saved = page.getByRole('list', { name: 'Saved filters' })
  const filters = keyOf('filters of claims')
  for (const stored of ['{', '7', '{"length": 3}', '[null, {"name": 1}, {"name": " ", "query": ""}]']) {
    await page.evaluate(`localStorage.setItem(${filters}, ${JSON.stringify(stored)})`)
    await page.goto('/claims')
    await menu.click()
    await page.getByText('No filters saved yet.').waitFor()
  }
  const many = Array.from({ length: 70 }, (_, n) => ({
    name: `Set ${n}`,
    query: 'status=OPEN&after=x&sort=__proto__&nothing=1',
  }))
  await page.evaluate(`localStorage.setItem(${filters}, ${JSON.stringify(JSON.stringify(many))})`)
  await page.goto('/claims?status=FAILED')
  await menu.click()
  assert.equal(await saved.getByRole('link').count(), 50)
  await page.getByText('50 is the maximum. Delete one first.').waitFor()
  await saved.getByRole('link', { name: 'Set 7', exact: true }).click()
  await page.waitForURL('**/claims?status=OPEN')

  await page.evaluate(`localStorage.removeItem(${filters}); localStorage.setItem('x', 'x'.repeat(5_200_000))`)
  await page.evaluate(
    `for (let n = 0; n < 1e5; n++) try { localStorage.setItem('y' + n, 'y'.repeat(50)) } catch { break }`,
  )
  await page.reload()
  await menu.click()
  await page.getByRole('button', { name: 'Save these filters' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('No room '.repeat(7))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Not saved: the browser’s storage is full').waitFor()
  await page.evaluate('localStorage.clear()')
  assert.deepEqual(pageErrors, [])
})

test('filters with the longest values are saved, and another tab shows every change of them', async () => {
  const { page } = await openKept()
  // Four times as much in a URL's bytes, each of them escaped.
  const note = '😀'.repeat(500)
  const customer_id = (await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })).body.id
  const claim = { customer_id, contract: contractWith(), reference: 'order-1', metadata: { note } }
  await sendAs(page, 'POST', '/v1/claims', claim)
  const menu = (of: Page) => of.getByRole('button', { name: /^Saved filters/ })
  const saved = (of: Page) => of.getByRole('list', { name: 'Saved filters' })
  const dialog = page.getByRole('dialog')
  const other = await page.context().newPage()
  await other.goto('/claims')
  await menu(other).click()
  await other.getByText('No filters saved yet.').waitFor()
  await page.goto(`/claims?metadata[note]=${note}`)
  await menu(page).click()
  await page.getByRole('button', { name: 'Save these filters' }).click()
  await dialog.getByLabel('Name').fill('Long')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await saved(other).getByRole('link', { name: 'Long' }).click()
  await other.waitForURL(({ searchParams }) => searchParams.get('metadata[note]') === note)
  await other.getByRole('link', { name: 'order-1' }).waitFor()
  await menu(other).click()
  await menu(page).click()
  await saved(page)
    .getByRole('button', { name: /^Rename/ })
    .click()
  await dialog.getByLabel('Name').fill('Longest')
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click()
  await saved(other).getByRole('link', { name: 'Longest', exact: true }).waitFor()
  await menu(page).click()
  await saved(page)
    .getByRole('button', { name: /^Delete/ })
    .click()
  await other.getByText('No filters saved yet.').waitFor()
})

test('chosen columns belong to one account, and unknown columns are ignored', async () => {
  const { page, keyOf } = await openKept()
  const customer_id = (await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })).body.id
  await sendAs(page, 'POST', '/v1/claims', { customer_id, contract: contractWith(), reference: 'order-1' })
  await page.evaluate(`localStorage.setItem(${keyOf('columns of claims', 'another')}, '[]')`)
  await page.reload()
  await page.getByRole('columnheader', { name: 'Status' }).waitFor()
  await page.evaluate(`localStorage.setItem(${keyOf('columns of claims')}, '["price", "nothing", "price"]')`)
  await page.reload()
  await page.getByRole('link', { name: 'order-1' }).waitFor()
  assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), ['Claim', 'Price'])
})
