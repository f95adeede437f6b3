import type { Page } from 'playwright-core'
import { contractWith } from './contracts.ts'
import { createAs, createCustomer, type SignedInPage, sendAs } from './signed-in-page.ts'

/* The dialog that creates a claim. */

/** Gives the page's account two schemas, of which the second is newer, a customer and a clock. */
export async function furnish({ page, pageErrors }: SignedInPage) {
  const older = await createAs(page, '/v1/schemas', { contract: contractWith({ price: 11 }) })
  const newer = await createAs(page, '/v1/schemas', { contract: contractWith({ price: 22 }) })
  const customer = await createCustomer(page, 'acme')
  const january = { frozen_time: '2026-01-01T00:00:00Z', name: 'January' }
  const clock = await createAs(page, '/v1/test_clocks', january)
  return { page, pageErrors, older: older.id, newer: newer.id, customer, clock: clock.id }
}

/** Submits the dialog and returns the claim. */
export async function created(page: Page) {
  const before = page.url()
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  await page.waitForURL(({ href }) => href !== before)
  const id = new URL(page.url()).pathname.split('/').at(-1)
  return (await sendAs(page, 'GET', `/v1/claims/${id}`)).body
}
