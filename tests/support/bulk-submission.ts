import assert from 'node:assert/strict'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { contractWith } from './contracts.ts'
import type { DashboardTests } from './dashboard.ts'
import { newSignedInPage, sendAs } from './signed-in-page.ts'

/* Submitting one event to all records of a list, in the dashboard. */

export const dialog = (page: Page) => page.getByRole('dialog', { name: /^Submit an event to all/ })
export const button = (page: Page, name: string | RegExp) => dialog(page).getByRole('button', { name })
export const figure = (page: Page, title: string) =>
  dialog(page)
    .locator('dl > div')
    .filter({ has: page.getByText(title, { exact: true }) })
    .locator('dd')
    .innerText()

/** Opens the dialog from a list, and begins to count its records. */
export async function beginCounting(page: Page, event: { type: string; fields?: object }): Promise<void> {
  await page.getByRole('button', { name: 'Submit to all' }).click()
  await dialog(page).getByLabel('Type').fill(event.type)
  if (event.fields) {
    await dialog(page).getByText('More fields').click()
    await dialog(page).getByLabel('Fields as JSON').fill(JSON.stringify(event.fields))
  }
  await button(page, 'Count recipients').click()
}

/** Opens the dialog, counts the records, and waits for the confirmation. */
export async function countThem(page: Page, event: { type: string; fields?: object }): Promise<void> {
  await beginCounting(page, event)
  await button(page, /^Submit to/).waitFor()
}

/** Filters the list by the customer of the claims. */
export async function filterByAcme(page: Page, url: string): Promise<void> {
  await page.getByLabel('Customer').fill('acme')
  await page.getByLabel('Customer').press('Enter')
  await page.waitForURL(url)
}

/** Submits to 220 records, and holds the second group of 100 until the gate is opened. */
export async function sendUntilSecondPiece(page: Page) {
  const gate = Promise.withResolvers<void>()
  let pieces = 0
  await page.route('**/v1/events/batch', async (route) => {
    if (++pieces === 2) await gate.promise
    await route.continue()
  })
  await button(page, /^Submit to/).click()
  await dialog(page).getByText('100 of 220').waitFor()
  return { release: gate.resolve, piecesSent: () => pieces }
}

let accounts = 0

export function bulkTests({ service, browser, newPage }: DashboardTests) {
  /** A page of an account with candidates of acme, which the event "done" settles, and one candidate of globex. */
  async function openWithCandidates(
    count: number,
    { ownPage = false, ...options }: BrowserContextOptions & { ownPage?: boolean } = {},
  ) {
    const opened = await (ownPage ? newSignedInPage(service, browser, options) : newPage())
    const { page } = opened
    const prefix = `run-${process.pid}-${accounts++}`
    const names = Array.from({ length: count }, (_, n) => `${prefix}-${String(n).padStart(4, '0')}`)
    for (const external_id of ['acme', 'globex']) await sendAs(page, 'POST', '/v1/customers', { external_id })
    const contract = contractWith({ fulfillment_condition: { event: 'done' } })
    const candidates = [
      ...names.map((candidate_alias) => ({ candidate_alias, customer_uuid: 'acme', contract })),
      { candidate_alias: `${prefix}-other`, customer_uuid: 'globex', contract },
    ]
    await sendAs(page, 'POST', '/v1/candidates/batch', { candidates })
    return { ...opened, names, other: `${prefix}-other` }
  }

  /** The event types in the log of each record with events. */
  const logsOf = async (names: readonly string[]): Promise<Record<string, unknown>[]> =>
    service.sql(
      `SELECT candidate_alias AS alias, array_agg(e.type) AS types FROM claims JOIN claim_events e ON e.claim_id = claims.id
       WHERE candidate_alias = ANY($1) GROUP BY 1 ORDER BY 1`,
      [names],
    )

  /** Each log has the event once. */
  const assertAllHave = async (names: readonly string[], type: string) =>
    assert.deepEqual(
      await logsOf(names),
      names.map((alias) => ({ alias, types: [type] })),
    )

  return { openWithCandidates, logsOf, assertAllHave }
}
