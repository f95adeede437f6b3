import assert from 'node:assert/strict'
import { test } from 'node:test'
import { created, furnish } from '../support/claim-dialog.ts'
import { contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

test('a new claim starts with the newest schema, and a custom contract with that schema’s contract', async () => {
  const { page, pageErrors, newer } = await furnish(await newPage())
  const dialog = page.getByRole('dialog')
  const source = dialog.getByLabel('Contract', { exact: true })
  const open = async () => {
    await page.getByRole('link', { name: 'Claims', exact: true }).click()
    await page.getByRole('button', { name: 'Create claim' }).first().click()
    await dialog.getByLabel('Customer').fill('acme')
    await dialog.getByText('The claim is worth 22.00.').waitFor()
  }
  await page.goto('/tokens')
  await open()
  assert.equal(await source.inputValue(), newer)
  assert.equal(await dialog.getByLabel('Contract as JSON').count(), 0)
  assert.equal((await created(page)).schema_id, newer)

  await open()
  await source.selectOption({ label: 'Custom contract (JSON below)' })
  const json = dialog.getByLabel('Contract as JSON')
  const begun = await json.inputValue()
  await json.fill(begun.replace('22', '1e400'))
  await dialog
    .getByText('It has a number that cannot be stored exactly: write it in quotes, as text')
    .waitFor()
  await json.fill(begun.replace('22', '33'))
  await dialog.getByText('The claim is worth 33.00.').waitFor()
  const own = await created(page)
  assert.deepEqual([own.schema_id, own.contract.price], [null, 33])
  assert.deepEqual(pageErrors, [])
})

test('the pages of a schema and of a test clock preset the new claim', async () => {
  const { page, pageErrors, older, newer, customer, clock } = await furnish(await newPage())
  for (const [path, expected] of [
    [`/schemas/${older}`, { schema_id: older, test_clock_id: null }],
    [`/test-clocks/${clock}`, { schema_id: newer, test_clock_id: clock }],
  ] as const) {
    await page.goto(path)
    await page.getByRole('button', { name: 'Create claim' }).click()
    const field = page.getByRole('dialog').getByLabel('Customer')
    await field.fill('acme')
    await page.getByRole('dialog').getByText('The claim is worth').waitFor()
    const { customer_id, schema_id, test_clock_id } = await created(page)
    assert.deepEqual({ customer_id, schema_id, test_clock_id }, { customer_id: customer, ...expected }, path)
  }
  assert.deepEqual(pageErrors, [])
})

test('a similar claim starts with the customer, contract, clock and metadata, but without the reference', async () => {
  const { page, pageErrors, older, customer, clock } = await furnish(await newPage())
  const dialog = page.getByRole('dialog')
  const metadata = { order: 'A-4711', note: 'one\ntwo' }
  const terms = { customer_id: customer, schema_id: older, test_clock_id: clock, metadata }
  const claim = (await sendAs(page, 'POST', '/v1/claims', { ...terms, reference: 'order-4711' })).body
  await page.goto(`/claims/${claim.id}`)
  await page.getByRole('button', { name: 'Create another like this' }).click()
  await dialog.getByText('The claim is worth 11.00.').waitFor()
  assert.equal(await dialog.getByLabel('Customer').inputValue(), 'acme')
  assert.equal(await dialog.getByLabel('Contract', { exact: true }).inputValue(), older)
  assert.equal(await dialog.getByLabel('Time').inputValue(), clock)
  assert.equal(await dialog.getByLabel('Reference').inputValue(), '')
  await dialog.getByText('Metadata (2)').waitFor()
  await dialog.getByLabel('Reference').fill('order-4712')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'Claim order-4712', level: 1 }).waitFor()
  const made = (await sendAs(page, 'GET', '/v1/claims?reference=order-4712')).body.data[0]
  const { customer_id, schema_id, test_clock_id, contract } = made
  const expected = { ...terms, contract: claim.contract }
  assert.deepEqual({ customer_id, schema_id, test_clock_id, metadata: made.metadata, contract }, expected)
  assert.deepEqual(pageErrors, [])
})

test('a claim is shown and found by its reference although it looks like an id', async () => {
  const { page, pageErrors } = await furnish(await newPage())
  const dialog = page.getByRole('dialog')
  const fill = async () => {
    await page.getByRole('link', { name: 'Claims', exact: true }).click()
    await page.getByRole('button', { name: 'Create claim' }).first().click()
    await dialog.getByLabel('Reference').fill('20261125')
    await dialog.getByLabel('Customer').fill('acme')
    await dialog.getByText('The claim is worth 22.00.').waitFor()
  }
  await page.goto('/tokens')
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
  await page.reload()
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
    pageErrors.filter((text) => !text.includes('status of 409')),
    [],
  )
})
