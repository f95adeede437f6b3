import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startTestBrowser } from '../support/browser.ts'
import { contractWith } from '../support/contracts.ts'
import { newSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const browser = await startTestBrowser()

/** A page of an account with two schemas, of which the second is newer, a customer and a clock. */
async function openFurnishedPage() {
  const { page, complaints } = await newSignedInPage(service, browser)
  const create = async (path: string, body: object) => (await sendAs(page, 'POST', path, body)).body
  const older = await create('/v1/schemas', { contract: contractWith({ price: 11 }) })
  const newer = await create('/v1/schemas', { contract: contractWith({ price: 22 }) })
  const customer = await create('/v1/customers', { external_id: 'acme' })
  const clock = await create('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z', name: 'January' })
  return { page, complaints, older: older.id, newer: newer.id, customer: customer.id, clock: clock.id }
}

/** Creates it as the dialog stands, and gives what was created. */
async function created(page: Page) {
  const before = page.url()
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  await page.waitForURL(({ href }) => href !== before)
  const id = new URL(page.url()).pathname.split('/').at(-1)
  return (await sendAs(page, 'GET', `/v1/claims/${id}`)).body
}

test('creating a claim begins with the newest schema; a contract of its own begins as that one’s, and is the other choice', async () => {
  const { page, complaints, newer } = await openFurnishedPage()
  const dialog = page.getByRole('dialog')
  const source = dialog.getByLabel('Contract', { exact: true })
  const open = async () => {
    await page.goto('/claims')
    await page.getByRole('button', { name: 'Create claim' }).first().click()
    await dialog.getByLabel('Customer').fill('acme')
    await dialog.getByText('The claim is worth 22.00.').waitFor()
  }
  await open()
  assert.equal(await source.inputValue(), newer)
  assert.equal(await dialog.getByLabel('Contract as JSON').count(), 0)
  assert.equal((await created(page)).schema_id, newer)

  await open()
  await source.selectOption({ label: 'A contract of its own, as JSON below' })
  const json = dialog.getByLabel('Contract as JSON')
  const begun = await json.inputValue()
  await json.fill(begun.replace('22', '1e400'))
  await dialog
    .getByText('It has a number that cannot be kept exactly: write it in quotes, as a text')
    .waitFor()
  await json.fill(begun.replace('22', '33'))
  await dialog.getByText('The claim is worth 33.00.').waitFor()
  const own = await created(page)
  assert.deepEqual([own.schema_id, own.contract.price], [null, 33])
  assert.deepEqual(complaints, [])
})

test('nothing can be created before the contract is there to be read: until then its button is busy', async () => {
  const { page, newer, customer } = await openFurnishedPage()
  const gate = Promise.withResolvers<void>()
  await page.route('**/v1/schemas', async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.goto(`/customers/${customer}`)
  await page.getByRole('button', { name: 'Create claim' }).click()
  const dialog = page.getByRole('dialog')
  const press = dialog.getByRole('button', { name: 'Create', exact: true })
  await press.waitFor()
  assert.equal(await press.getAttribute('aria-busy'), 'true')
  gate.resolve()
  await dialog.getByText('The claim is worth 22.00.').waitFor()
  assert.equal(await press.getAttribute('aria-busy'), null)
  assert.equal((await created(page)).schema_id, newer)
})

test('the pages of a schema, a customer and a test clock create a claim of theirs', async () => {
  const { page, complaints, older, newer, customer, clock } = await openFurnishedPage()
  for (const [path, expected] of [
    [`/schemas/${older}`, { schema_id: older, test_clock_id: null }],
    [`/customers/${customer}`, { schema_id: newer, test_clock_id: null }],
    [`/test-clocks/${clock}`, { schema_id: newer, test_clock_id: clock }],
  ] as const) {
    await page.goto(path)
    await page.getByRole('button', { name: 'Create claim' }).click()
    const field = page.getByRole('dialog').getByLabel('Customer')
    if (path.includes('customers')) assert.equal(await field.inputValue(), 'acme')
    else await field.fill('acme')
    await page.getByRole('dialog').getByText('The claim is worth').waitFor()
    const { customer_id, schema_id, test_clock_id } = await created(page)
    assert.deepEqual({ customer_id, schema_id, test_clock_id }, { customer_id: customer, ...expected }, path)
  }
  assert.deepEqual(complaints, [])
})

test('another claim like one begins with its customer, contract, clock and metadata, and without its reference', async () => {
  const { page, complaints, older, customer, clock } = await openFurnishedPage()
  const dialog = page.getByRole('dialog')
  const metadata = { order: 'A-4711', note: 'one\ntwo' }
  const terms = { customer_id: customer, schema_id: older, test_clock_id: clock, metadata }
  const body = { ...terms, reference: 'order-4711' }
  const claim = (await sendAs(page, 'POST', '/v1/claims', body)).body
  const open = async (path: string, worth: string) => {
    await page.goto(path)
    await page.getByRole('button', { name: 'Create another like this' }).click()
    await dialog.getByText(worth).waitFor()
    assert.equal(await dialog.getByLabel('Customer').inputValue(), 'acme')
  }
  const source = dialog.getByLabel('Contract', { exact: true })
  await open(`/claims/${claim.id}`, 'The claim is worth 11.00.')
  assert.equal(await source.inputValue(), older)
  assert.equal(await dialog.getByLabel('Time').inputValue(), clock)
  assert.equal(await dialog.getByLabel('Reference').inputValue(), '')
  await dialog.getByText('Metadata (2)').waitFor()
  await dialog.getByLabel('Reference').fill('order-4712')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'Claim order-4712', level: 1 }).waitFor()
  const made = (await sendAs(page, 'GET', '/v1/claims?reference=order-4712')).body.data[0]
  const termsOf = ({ customer_id, schema_id, test_clock_id, contract, metadata }: typeof made) => ({
    customer_id,
    schema_id,
    test_clock_id,
    contract,
    metadata,
  })
  assert.deepEqual(termsOf(made), termsOf(claim))

  // Its schema is another by now: the claim's contract counts.
  await sendAs(page, 'PATCH', `/v1/schemas/${older}`, { contract: contractWith({ price: 12 }) })
  const alias = { candidate_alias: `twin-${claim.id}`, customer_uuid: 'acme', contract: claim.contract }
  await sendAs(page, 'POST', '/v1/candidates', alias)
  await open(`/claims/${claim.id}`, 'The claim is worth 11.00.')
  assert.equal(await source.inputValue(), '')
  await dialog.getByText('its schema was changed or deleted since').waitFor()
  const own = await created(page)
  assert.deepEqual([own.contract, own.schema_id], [claim.contract, null])

  await open(`/candidates/twin-${claim.id}`, 'The claim is worth 11.00.')
  assert.equal(await dialog.getByLabel('Alias').inputValue(), '')
  await dialog.getByLabel('Alias').fill(`triplet-${claim.id}`)
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: `Candidate triplet-${claim.id}`, level: 1 }).waitFor()
  const triplet = (await sendAs(page, 'GET', `/v1/candidates/triplet-${claim.id}`)).body
  assert.deepEqual([triplet.customer_uuid, triplet.contract], ['acme', claim.contract])
  assert.deepEqual(complaints, [])
})

test('the lists of schemas, customers and test clocks each have a button that creates one', async () => {
  const { page } = await openFurnishedPage()
  for (const [path, role, name] of [
    ['/schemas', 'link', 'New schema'],
    ['/customers', 'button', 'Create customer'],
    ['/test-clocks', 'button', 'Create test clock'],
  ] as const) {
    await page.goto(path)
    await page.getByRole('main').getByRole(role, { name }).waitFor()
  }
})

test('a claim is created with a reference, called by it, and found by it, though it looks like an id', async () => {
  const { page, complaints } = await openFurnishedPage()
  const dialog = page.getByRole('dialog')
  const fill = async () => {
    await page.goto('/claims')
    await page.getByRole('button', { name: 'Create claim' }).first().click()
    await dialog.getByLabel('Reference').fill('20261125')
    await dialog.getByLabel('Customer').fill('acme')
    await dialog.getByText('The claim is worth 22.00.').waitFor()
  }
  await fill()
  const claim = await created(page)
  assert.equal(claim.reference, '20261125')
  await page.getByRole('heading', { name: 'Claim 20261125', level: 1 }).waitFor()

  await fill()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.getByText('The account has a claim with the reference "20261125"').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()

  await sendAs(page, 'POST', '/v1/claims', { customer_id: claim.customer_id, contract: contractWith() })
  await page.goto('/claims')
  await page.getByRole('row').nth(2).waitFor()
  for (const text of ['20261125', claim.id.slice(0, 13)]) {
    await page.getByRole('searchbox').fill(text)
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: '20261125' }).waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('row').nth(2).waitFor()
  }
  await page.getByRole('searchbox').fill('nothing like it')
  await page.getByRole('link', { name: '20261125' }).waitFor({ state: 'detached' })
  assert.deepEqual(
    complaints.filter((text) => !text.includes('409')),
    [],
  )
})
