import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startTestBrowser } from '../support/browser.ts'
import { contractWith } from '../support/contracts.ts'
import { findAccessibilityFaults } from '../support/find-accessibility-faults.ts'
import { newPageOf, openSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

/* What the browser keeps of lists, for the account: filters under a name, and chosen columns. */

const service = await startTestService({ after })
const browser = await startTestBrowser()
const { page, complaints, email } = await openSignedInPage(service, browser)
const { id: account } = (await sendAs(page, 'GET', '/v1/me')).body
const customer_id = (await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })).body.id
const contract = contractWith({ price: 20 })
/** As long as a value may be, and four times that in a URL's bytes, each of them escaped. */
const note = '😀'.repeat(500)
const claim = { customer_id, contract, reference: 'order-1', metadata: { note } }
const { id } = (await sendAs(page, 'POST', '/v1/claims', claim)).body

const menu = (of: Page = page) => of.getByRole('button', { name: /^Saved filters/ })
const saved = (of: Page = page) => of.getByRole('list', { name: 'Saved filters' })
const dialog = page.getByRole('dialog')
const keyOf = (name: string) => JSON.stringify(`kept ${account} ${name}`)

async function save(name: string) {
  await menu().click()
  await page.getByRole('button', { name: 'Save these filters' }).click()
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: /^(Save|Replace)$/ }).click()
}

test('filters are saved under a name, found again, renamed, replaced and deleted; another tab hears of it', async () => {
  await page.goto(`/claims?status=OPEN&price_from=10&sort=due&metadata[note]=${note}`)
  await save('  Dear and open ')
  await dialog.waitFor({ state: 'detached' })
  const other = await page.context().newPage()
  await other.goto('/claims')
  await menu(other).click()
  await saved(other).getByRole('link', { name: 'Dear and open' }).click()
  await other.waitForURL(/claims\?status=OPEN&sort=due&price_from=10&metadata%5Bnote%5D=%F0/)
  await other.getByRole('link', { name: 'order-1' }).waitFor()
  await other.getByRole('button', { name: 'More (3) filters' }).waitFor()
  await menu(other)
    .and(other.getByRole('button', { name: /Dear and open/ }))
    .waitFor()

  await menu().click()
  await saved()
    .getByRole('button', { name: /^Rename/ })
    .click()
  await dialog.getByLabel('Name').fill('Dear')
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click()
  await menu(other).click()
  await saved(other).getByRole('link', { name: 'Dear', exact: true }).waitFor()

  await page.getByLabel('Price from').fill('50')
  await page.waitForURL(/price_from=50/)
  await save('Dear')
  await dialog.waitFor({ state: 'detached' })
  await menu().click()
  assert.equal(await saved().getByRole('link').count(), 1)
  assert.deepEqual(await findAccessibilityFaults(page), [])
  await page.keyboard.press('Escape')
  // Those of the candidates are others, and so are another account's.
  await page.goto('/candidates')
  await menu().click()
  await page.getByText('No filters saved yet.').waitFor()

  await page.goto('/claims')
  await menu().click()
  await saved()
    .getByRole('button', { name: /^Delete/ })
    .click()
  await page.getByText('No filters saved yet.').waitFor()
  await other.getByText('No filters saved yet.').waitFor()
  await other.close()
})

test('of what is stored only what fits is taken: broken, foreign and too much; and full storage is told', async () => {
  const filters = keyOf('filters of claims')
  for (const stored of ['{', '7', '{"length": 3}', '[null, {"name": 1}, {"name": " ", "query": ""}]']) {
    await page.evaluate(`localStorage.setItem(${filters}, ${JSON.stringify(stored)})`)
    await page.goto('/claims')
    await menu().click()
    await page.getByText('No filters saved yet.').waitFor()
  }
  const many = Array.from({ length: 70 }, (_, n) => ({
    name: `Set ${n}`,
    query: 'status=OPEN&after=x&sort=__proto__&nothing=1',
  }))
  await page.evaluate(`localStorage.setItem(${filters}, ${JSON.stringify(JSON.stringify(many))})`)
  await page.goto('/claims?status=FAILED')
  await menu().click()
  assert.equal(await saved().getByRole('link').count(), 50)
  await page.getByText('50 are the most. Delete one first.').waitFor()
  await saved().getByRole('link', { name: 'Set 7', exact: true }).click()
  await page.waitForURL('**/claims?status=OPEN')

  await page.evaluate(`localStorage.removeItem(${filters}); localStorage.setItem('x', 'x'.repeat(5_200_000))`)
  await page.evaluate(
    `for (let n = 0; n < 1e5; n++) try { localStorage.setItem('y' + n, 'y'.repeat(50)) } catch { break }`,
  )
  await page.reload()
  await save('No room '.repeat(7))
  await dialog.getByText('This browser did not keep it').waitFor()
  await page.evaluate('localStorage.clear()')
  assert.deepEqual(complaints, [])
})

test('columns are chosen for each list; the first stays, and so does what the list is sorted by', async () => {
  const columns = page.getByRole('button', { name: 'Columns' })
  const headers = () => page.getByRole('columnheader').allInnerTexts()
  await page.goto('/claims')
  await page.getByRole('link', { name: 'order-1' }).waitFor()
  await columns.click()
  assert.ok(await page.getByRole('checkbox', { name: 'Claim', exact: true }).isDisabled())
  for (const name of ['Customer', 'Status', 'Due or since', 'Price', 'Schema', 'Created'])
    await page.getByRole('checkbox', { name, exact: true }).uncheck()
  assert.deepEqual(await headers(), ['Claim'])
  await page.getByRole('checkbox', { name: 'Id' }).check()
  await page.getByRole('checkbox', { name: 'Price' }).check()
  assert.deepEqual(await findAccessibilityFaults(page), [])
  await page.reload()
  await page.getByRole('cell', { name: id }).waitFor()
  assert.deepEqual(await headers(), ['Claim', 'Price', 'Id'])
  await page.goto('/claims?sort=due')
  await page.getByRole('cell', { name: id }).waitFor()
  assert.deepEqual(await headers(), ['Claim', 'Due or since', 'Price', 'Id'])
  await columns.click()
  assert.ok(await page.getByRole('checkbox', { name: 'Due or since (sorted by it)' }).isDisabled())

  // Of another account in the same browser nothing is seen, and of other lists neither.
  const { page: elsewhere } = await newPageOf(service, browser, email)
  await elsewhere.goto('/claims')
  await elsewhere.evaluate(
    `localStorage.setItem(${keyOf('columns of claims').replace(account, 'another')}, '[]')`,
  )
  await elsewhere.reload()
  await elsewhere.getByRole('columnheader', { name: 'Status' }).waitFor()
  await elsewhere.evaluate(
    `localStorage.setItem(${keyOf('columns of claims')}, '["price", "nothing", "price"]')`,
  )
  await elsewhere.reload()
  await elsewhere.getByRole('link', { name: 'order-1' }).waitFor()
  assert.deepEqual(await elsewhere.getByRole('columnheader').allInnerTexts(), ['Claim', 'Price'])

  await page.getByRole('button', { name: 'Show the usual ones' }).click()
  await page.getByRole('columnheader', { name: 'Status' }).waitFor()
  assert.deepEqual(complaints, [])
})
