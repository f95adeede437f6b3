import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage } from '../support/browser.ts'
import { startServeProcess } from '../support/serve-process.ts'
import { sharedBrowser } from '../support/shared.ts'
import { signUp } from '../support/signed-in-page.ts'
import { createTestDatabase } from '../support/test-database.ts'

const browser = await sharedBrowser()
/** A scheduled check comes each whole minute; what it takes on a busy machine. */
const CHECK_MS = 180_000

test('from the link in the start-up banner to the first CONFIRMED claim, without touching the API', async (t) => {
  const service = await startServeProcess(t, { DATABASE_URL: await createTestDatabase(t) })
  const link = /\S+\/welcome#key=\S+/.exec(service.output())?.[0]
  assert.ok(link, 'the banner shows where to sign up')
  const { page, pageErrors } = await openPage(browser, service.url)

  await signUp(page, link, 'lena@example.com')
  await createClaim(page)
  await page.getByRole('button', { name: 'ticket_resolved' }).click()
  await page.getByRole('button', { name: 'Submit event' }).click()
  await page.getByText('Event recorded. The status is still OPEN.').first().waitFor()
  await page.getByRole('button', { name: 'satisfaction' }).click()
  await page.getByLabel('Value').fill('5')
  await page.getByRole('button', { name: 'Submit event' }).click()

  await page.getByText('It becomes CONFIRMED at the first whole minute').waitFor()
  await page.getByText('Final: the promised outcome counts as delivered.').waitFor({ timeout: CHECK_MS })
  assert.deepEqual(pageErrors, [])
})

/** Of a customer that is made on the way, under the contract that the dialog suggests. */
async function createClaim(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Claims', exact: true }).click()
  await page.getByRole('button', { name: 'Create claim' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Customer').fill('acme')
  await dialog.getByLabel('Contract', { exact: true }).focus()
  await dialog.getByRole('button', { name: 'Create customer acme' }).click()
  await dialog.getByRole('button', { name: 'Create customer acme' }).waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'Submit an event' }).waitFor()
}
