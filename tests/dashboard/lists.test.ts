import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()
const { page, pageErrors } = await newPage()

const COUNT = 120
await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })
await sendAs(page, 'POST', '/v1/customers', { external_id: 'globex' })
for (let n = 0; n < COUNT; n++) {
  await sendAs(page, 'POST', '/v1/candidates', {
    candidate_alias: `order-${1000 + n}`,
    customer_uuid: n % 2 ? 'acme' : 'globex',
    contract: contractWith({ price: n }),
  })
}
await sendAs(page, 'POST', '/v1/candidates/order-1007/events', { type: 'done' })

const names = () => page.locator('tbody tr td:first-child a').allInnerTexts()
const heading = page.getByRole('heading', { name: 'Candidates', level: 1 })

test('a list has pages, and the URL of a page can be shared and reloaded', async () => {
  await page.goto('/candidates')
  await page.getByRole('link', { name: 'order-1119' }).waitFor()
  await page.getByText('Page 1 · 120 candidates').waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('link', { name: 'order-1069' }).waitFor()
  await page.getByText('Page 2 · 120 candidates').waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('link', { name: 'order-1000' }).waitFor()
  assert.equal((await names()).length, 20)
  assert.ok(await page.getByRole('button', { name: 'Next' }).isDisabled())
  await page.reload()
  await page.getByRole('link', { name: 'order-1000' }).waitFor()
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByRole('link', { name: 'order-1069' }).waitFor()
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByRole('link', { name: 'order-1119' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'order-1069' }).waitFor()
})

test('filters are in the URL and follow the back button', async () => {
  await page.goto('/candidates')
  await page.getByRole('link', { name: 'order-1118' }).waitFor()
  await page.getByLabel('Search candidates').fill('order-111')
  await page.waitForURL('**/candidates?search=order-111')
  await page.getByLabel('Customer').fill('acme')
  await page.waitForURL('**/candidates?search=order-111&customer=acme')
  await page.getByRole('link', { name: 'order-1118' }).waitFor({ state: 'detached' })
  assert.deepEqual(await names(), ['order-1119', 'order-1117', 'order-1115', 'order-1113', 'order-1111'])
  await page.getByText('5 candidates', { exact: true }).waitFor()
  await page.getByLabel('Status').selectOption('PENDING')
  await page.getByText('No candidates match the filters').waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'order-1119' }).waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.waitForURL('**/candidates')
})

test('sort order, time ranges and price ranges are counted as filters and are in the URL', async () => {
  await page.goto('/candidates')
  await page.getByRole('link', { name: 'order-1119' }).waitFor()
  const more = page.getByRole('button', { name: /^More/ })
  await more.click()
  await page.getByLabel('Price from').fill('5')
  await page.getByLabel('Price to').fill('8')
  await page.waitForURL('**/candidates?price_from=5&price_to=8')
  await page.getByRole('link', { name: 'order-1119' }).waitFor({ state: 'detached' })
  assert.deepEqual(await names(), ['order-1008', 'order-1007', 'order-1006', 'order-1005'])
  await page.getByLabel('Order').selectOption('Due next')
  await page.waitForURL('**/candidates?price_from=5&price_to=8&sort=due')
  await eventually(async () => (await names())[0] !== 'order-1008')
  // One is in review, for a shorter time than the others have for their activity.
  assert.deepEqual(await names(), ['order-1007', 'order-1005', 'order-1006', 'order-1008'])
  await page.getByRole('button', { name: 'More (3) filters' }).waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'order-1008' }).waitFor()
  assert.equal(await page.getByLabel('Price from').inputValue(), '5')
  const coming = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  const download = await coming
  assert.match(download.suggestedFilename(), /^candidates-\d{4}-\d\d-\d\d\.csv$/)
  const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/)
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(',')[0]),
    await names(),
  )
  await page.getByLabel('Created from', { exact: true }).fill('2000-01-01')
  await page.waitForURL(/created_from=/)
  await page.getByLabel('Created to', { exact: true }).fill('2000-01-01')
  await page.getByText('No candidates match the filters').waitFor()
  await page.getByLabel('Price to').fill('a lot')
  await page.getByText('Must be a number, such as 1,234.5').waitFor()
  assert.match(page.url(), /price_to=8/)
  await page.getByLabel('Price to').fill('7,5')
  await page.getByText('Must be written with “.”: 7.5').waitFor()
  await page.getByLabel('Price to').fill('7.5')
  await page.waitForURL(/price_to=7\.5/)
})

test('a list is filtered by two statuses and by live records', async () => {
  await page.goto('/candidates?search=order-10')
  await page.getByLabel('Status').selectOption('OPEN or PENDING')
  await page.waitForURL('**/candidates?search=order-10&status=OPEN%2CPENDING')
  await page.getByRole('link', { name: 'order-1099' }).waitFor()
  await page.getByLabel('Test clock').selectOption('Live only')
  await page.waitForURL('**/candidates?search=order-10&status=OPEN%2CPENDING&clock=live')
  await page.getByLabel('Status').selectOption('CONFIRMED or FAILED')
  await page.getByText('No candidates match the filters').waitFor()
})

test('the export contains all pages of the filtered list', async () => {
  await page.goto('/candidates?customer=acme')
  await page.getByRole('link', { name: 'order-1119' }).waitFor()
  const coming = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  const lines = (await readFile(await (await coming).path(), 'utf8')).trim().split(/\r?\n/)
  assert.equal(lines.length, 1 + COUNT / 2)
  assert.match(lines[0] as string, /candidate_alias/)
})

test('the overview shows counts and amounts with links to the lists', async () => {
  await page.goto('/')
  const open = page.getByRole('main').getByRole('link', { name: /^OPEN/ })
  await open.getByText('119').waitFor()
  assert.match(await open.innerText(), /7,133\.00/)
  await page.getByRole('button', { name: '7 days' }).click()
  await page.waitForURL('**/?days=7')
  await page.getByRole('button', { name: 'Show table' }).click()
  const rows = page.getByRole('table', { name: 'Resolutions by day' }).getByRole('row')
  await eventually(async () => (await rows.count()) === 8)
  for (const [what, url] of [
    ['Candidates OPEN', '**/candidates?clock=live&status=OPEN'],
    ['Candidates Due next', '**/candidates?clock=live&sort=due'],
    ['Candidates Money failed', /\/candidates\?clock=live&status=FAILED&sort=changed&resolved_from=/],
  ] as const) {
    await page.getByRole('link', { name: what }).click()
    await page.waitForURL(url)
    await heading.waitFor()
    await page.goBack()
  }
  await open.click()
  await page.waitForURL('**/claims?clock=live&status=OPEN')
  await page.getByRole('heading', { name: 'Claims', level: 1 }).waitFor()
  assert.deepEqual(pageErrors, [])
})
