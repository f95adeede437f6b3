import assert from 'node:assert/strict'
import type { Locator, Page, Request } from 'playwright-core'
import { contractWith } from './contracts.ts'
import { createCustomer, sendAs } from './signed-in-page.ts'

/* Customer fields of the dashboard, and their look-up requests. */

/** The dialog that creates a claim, with acme chosen. globex was created too late to be suggested. */
export async function openClaimDialog(page: Page) {
  await sendAs(page, 'POST', '/v1/schemas', { contract: contractWith() })
  await page.goto(`/customers/${await createCustomer(page, 'acme')}`)
  await page.getByRole('button', { name: 'Create claim' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The claim is worth').waitFor()
  const field = dialog.getByLabel('Customer')
  assert.equal(await field.inputValue(), 'acme')
  const globex = await createCustomer(page, 'globex')
  const press = dialog.getByRole('button', { name: 'Create', exact: true })
  return { page, dialog, field, globex, press }
}

export async function customersOfClaims(page: Page): Promise<string[]> {
  const { data } = (await sendAs(page, 'GET', '/v1/claims')).body
  return data.map(({ customer_id }: { customer_id: string }) => customer_id)
}

/** Creates a claim while the typed customer is still being looked up. */
export async function createWhileLookedUp(
  page: Page,
  pressIn: (field: Locator, press: Locator) => Promise<void>,
): Promise<void> {
  const { field, globex, press } = await openClaimDialog(page)
  const { requested, answer } = await holdLookUp(page, 'globex')
  await field.fill('globex')
  await pressIn(field, press)
  await requested
  await page.locator('dialog button[type=submit][aria-busy=true]').waitFor()
  assert.equal(await page.getByText('Choose a customer').count(), 0)
  assert.deepEqual(await customersOfClaims(page), [])
  await answer()
  await page.waitForURL('**/claims/*')
  assert.deepEqual(await customersOfClaims(page), [globex])
}

/** The form of an endpoint of acme. */
export async function openEndpointForm(page: Page) {
  const acme = await createCustomer(page, 'acme')
  const hook = { url: 'http://127.0.0.1:1024/', customer_id: acme }
  const { id } = (await sendAs(page, 'POST', '/v1/webhook_endpoints', hook)).body
  await page.goto(`/webhooks/${id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const read = async () => (await sendAs(page, 'GET', `/v1/webhook_endpoints/${id}`)).body
  return { page, dialog: page.getByRole('dialog'), acme, read }
}

/** A list with acme as a filter option. globex was created too late to be suggested. */
export async function openList(page: Page, pathOf: (acme: string) => string) {
  const acme = await createCustomer(page, 'acme')
  // Not the request for the customer of the filter, which is read by its id.
  const areOffered = page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/customers')
  await page.goto(pathOf(acme))
  await (await areOffered).finished()
  await createCustomer(page, 'globex')
  return { page, acme, field: page.getByLabel('Customer', { exact: true }) }
}

/** Clears the filters of a list while its customer is still being looked up, then with a customer that does not exist. */
export async function clearWhileLookedUp(page: Page, path: string): Promise<void> {
  const { field } = await openList(page, () => path)
  const clear = page.getByRole('button', { name: 'Clear' })
  const { requested, answer } = await holdLookUp(page, 'globex')
  await field.fill('globex')
  await field.press('Enter')
  await requested
  await clear.click()
  await page.waitForURL(({ search }) => search === '')
  assert.equal(await field.inputValue(), '')
  await answer()
  assert.deepEqual([filtersOf(page), await field.inputValue()], ['', ''])

  await page.evaluate('history.back()')
  await page.waitForURL(({ search }) => search !== '')
  await field.fill('nobody')
  await field.press('Enter')
  await page.locator('[aria-label=Customer][aria-invalid=true]').waitFor()
  await clear.click()
  await page.locator('[aria-label=Customer]:not([aria-invalid])').waitFor()
  assert.deepEqual([filtersOf(page), await field.inputValue()], ['', ''])
}

/** The query of the list's address. */
export const filtersOf = (page: Page) => new URL(page.url()).search

const looksUp = (externalId: string) => (url: URL) =>
  url.pathname === '/v1/customers' && url.searchParams.get('external_id') === externalId

/** Matches both requests that can find the customer: its look-up, and the suggestions. */
export const asksFor = (externalId: string) => (url: URL) =>
  looksUp(externalId)(url) ||
  (url.pathname === '/v1/customers' && url.searchParams.get('search') === externalId)

/** Holds the look-up of this customer until it is released, and waits for the request. */
export async function holdLookUp(page: Page, externalId: string) {
  const gate = Promise.withResolvers<void>()
  const isThrough = Promise.withResolvers<void>()
  const settle = (request: Request) => {
    if (looksUp(externalId)(new URL(request.url()))) isThrough.resolve()
  }
  page.on('requestfinished', settle).on('requestfailed', settle)
  await page.route(asksFor(externalId), async (route) => {
    await gate.promise
    await route.continue()
  })
  const requested = page.waitForRequest((request) => looksUp(externalId)(new URL(request.url())))
  /** Releases the request, and waits until the page has processed the response. */
  const answer = async () => {
    gate.resolve()
    await isThrough.promise
    await waitUntilShown(page)
  }
  return { requested, answer }
}

/** Waits for a further response and its rendering: earlier responses are rendered by then. */
async function waitUntilShown(page: Page): Promise<void> {
  await page.evaluate("fetch('/v1/customers?limit=1').then((answer) => answer.text())")
  await page.evaluate('new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))')
}
