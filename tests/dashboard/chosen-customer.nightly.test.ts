import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import {
  asksFor,
  createWhileLookedUp,
  customersOfClaims,
  holdLookUp,
  openClaimDialog,
  openEndpointForm,
} from '../support/customer-look-ups.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { createCustomer, sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

test('Enter creates a claim of the customer typed last although the lookup is running', async () => {
  const { page } = await newPage()
  await createWhileLookedUp(page, (field) => field.press('Enter'))
})

test('typing cancels a waiting submit', async () => {
  const { page, dialog, field, globex, press } = await openClaimDialog((await newPage()).page)
  const { requested, answer } = await holdLookUp(page, 'globe')
  await field.fill('globe')
  await press.click()
  await requested
  await field.fill('globex')
  await dialog.locator('button[aria-busy=true]').waitFor({ state: 'detached' })
  await answer()
  assert.deepEqual(await customersOfClaims(page), [])
  await press.click()
  await page.waitForURL('**/claims/*')
  assert.deepEqual(await customersOfClaims(page), [globex])
})

test('a customer that is created late does not replace the customer typed since', async () => {
  const { page, dialog, field, globex, press } = await openClaimDialog((await newPage()).page)
  const answer = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname === '/v1/customers' && url.search === '',
    async (route) => {
      await answer.promise
      await route.continue()
    },
  )
  await field.fill('initech')
  await field.blur()
  await dialog.getByRole('button', { name: 'Create customer' }).click()
  const isMade = page.waitForResponse(
    (made) => made.request().method() === 'POST' && made.url().endsWith('/v1/customers'),
  )
  await page.route(asksFor('globex'), async (route) => {
    answer.resolve()
    await isMade
    await route.continue()
  })
  await field.fill('globex')
  await press.click()
  await page.waitForURL('**/claims/*')
  assert.deepEqual(await customersOfClaims(page), [globex])
})

test('a failed lookup is shown at the field and repeated on the next submit', async () => {
  const { page, dialog, field, globex, press } = await openClaimDialog((await newPage()).page)
  await page.route(asksFor('globex'), (route) => route.fulfill({ status: 500, body: '{}' }))
  await field.fill('globex')
  await press.click()
  await dialog.getByText(/globex\W* could not be looked up\. Try again/).waitFor()
  assert.deepEqual(await customersOfClaims(page), [])
  await page.unrouteAll()
  await press.click()
  await page.waitForURL('**/claims/*')
  assert.deepEqual(await customersOfClaims(page), [globex])
})

test('a submit without blur starts the lookup too, and the dialog does not claim that the form was sent', async () => {
  const { page, dialog, field, globex, press } = await openClaimDialog((await newPage()).page)
  const { requested, answer } = await holdLookUp(page, 'globex')
  await field.fill('globex')
  await press.evaluate((button: { click: () => void }) => button.click())
  await requested
  await page.locator('dialog button[type=submit][aria-busy=true]').waitFor()
  await field.press('Escape')
  await page.getByRole('dialog', { name: 'Discard your changes?' }).waitFor()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await dialog.first().waitFor()
  await answer()
  await page.waitForURL('**/claims/*')
  assert.deepEqual(await customersOfClaims(page), [globex])
})

for (const answerToIt of ['Discard', 'Keep editing'] as const)
  test(`a waiting submit sends nothing while the dialog asks whether to discard: ${answerToIt}`, async () => {
    const { page, dialog, field, globex, press } = await openClaimDialog((await newPage()).page)
    const { requested, answer } = await holdLookUp(page, 'globex')
    await field.fill('globex')
    await press.click()
    await requested
    await field.press('Escape')
    const question = page.getByRole('dialog', { name: 'Discard your changes?' })
    await question.waitFor()
    await answer()
    assert.deepEqual(await customersOfClaims(page), [])
    await question.getByText('They have not been saved.').waitFor()
    await question.getByRole('button', { name: answerToIt }).click()
    await (answerToIt === 'Discard' ? dialog.waitFor({ state: 'detached' }) : page.waitForURL('**/claims/*'))
    assert.deepEqual(await customersOfClaims(page), answerToIt === 'Discard' ? [] : [globex])
  })

test('a form that is sent while the dialog asks is not called unsaved', async () => {
  const { page, dialog, press } = await openClaimDialog((await newPage()).page)
  const gate = Promise.withResolvers<void>()
  await page.route('**/v1/claims', async (route) => {
    await gate.promise
    await route.continue()
  })
  await dialog.getByLabel('Reference').fill('order-4711')
  await press.evaluate((button: { click: () => void; closest: (selector: string) => EventTarget }) => {
    button.click()
    button.closest('dialog').dispatchEvent(new Event('cancel', { cancelable: true }))
  })
  await page.getByRole('dialog', { name: 'Close before the service answers?' }).waitFor()
  assert.equal(await page.getByText('They have not been saved.').count(), 0)
  gate.resolve()
  await page.waitForURL('**/claims/*')
})

/** Until those that begin so are offered: who is made after that is not among them. */
const offers = (page: Page, externalId: string) =>
  page.waitForResponse((answer) => new URL(answer.url()).searchParams.get('search') === externalId)

/** With the mouse, which goes up once the answer is there; the focus is in the field until then. */
async function pressDuring(page: Page, button: Locator, answer: () => Promise<void>) {
  // Room for all of the dialog: what is at the end of one that scrolls stays there.
  await page.setViewportSize({ width: 1280, height: 1400 })
  // Once it has come to rest.
  await button.hover()
  await page.mouse.down()
  await answer()
  await page.mouse.up()
}

test('a click on Cancel is not lost if an error appears at the field meanwhile', async () => {
  const { page, dialog, field } = await openClaimDialog((await newPage()).page)
  const { requested, answer } = await holdLookUp(page, 'nobody')
  await field.fill('nobody')
  await pressDuring(page, dialog.getByRole('button', { name: 'Cancel' }), async () => {
    await requested
    await answer()
  })
  await page.getByRole('dialog', { name: 'Discard your changes?' }).waitFor()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await dialog.getByText(/There is no customer \W*nobody/).waitFor()
})

test('a click on Create is not lost if the customer is found meanwhile', async () => {
  const { page, dialog, field, press } = await openClaimDialog((await newPage()).page)
  const offered = offers(page, 'initech')
  await field.fill('initech')
  await field.press('Enter')
  await dialog.getByText(/There is no customer \W*initech/).waitFor()
  await offered
  const id = await createCustomer(page, 'initech')
  const { requested, answer } = await holdLookUp(page, 'initech')
  await pressDuring(page, press, async () => {
    await requested
    await answer()
  })
  await page.waitForURL('**/claims/*')
  assert.deepEqual(await customersOfClaims(page), [id])
})

test('the progress and the error of creating a customer are shown only for that customer', async () => {
  const { page, dialog, field } = await openClaimDialog((await newPage()).page)
  const gate = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname === '/v1/customers' && url.search === '',
    async (route) => {
      if (route.request().postDataJSON().external_id !== 'initech') return route.continue()
      await gate.promise
      await route.fulfill({ status: 500, body: '{}' })
    },
  )
  const creates = (externalId: string) =>
    dialog.getByRole('button', { name: new RegExp(`Create customer\\W*${externalId}`) })
  await field.fill('initech')
  await field.blur()
  await creates('initech').click()
  await dialog.locator('button[aria-busy=true]').waitFor()
  await field.fill('hooli')
  await field.blur()
  await creates('hooli').waitFor()
  assert.equal(await creates('hooli').getAttribute('aria-busy'), null)

  await field.fill('initech')
  await field.blur()
  gate.resolve()
  await dialog.getByRole('alert').waitFor()
  await field.fill('hooli')
  await field.blur()
  await creates('hooli').waitFor()
  assert.equal(await dialog.getByRole('alert').count(), 0)
  await creates('hooli').click()
  await creates('hooli').waitFor({ state: 'detached' })
  assert.equal(await field.getAttribute('aria-invalid'), null)
})

test('a customer that was created elsewhere is found by creating it', async () => {
  const { page, dialog, field, press } = await openClaimDialog((await newPage()).page)
  const offered = offers(page, 'initech')
  await field.fill('initech')
  await field.blur()
  await dialog.getByText(/There is no customer \W*initech/).waitFor()
  await offered
  const id = await createCustomer(page, 'initech')
  await dialog.getByRole('button', { name: 'Create customer' }).click()
  await dialog.getByText(/There is no customer/).waitFor({ state: 'detached' })
  assert.equal(await dialog.getByRole('alert').count(), 0)
  await press.click()
  await page.waitForURL('**/claims/*')
  assert.deepEqual(await customersOfClaims(page), [id])
})

test('choosing all customers cancels a submit that waits for a lookup', async () => {
  const { page, dialog, acme, read } = await openEndpointForm((await newPage()).page)
  const { requested, answer } = await holdLookUp(page, 'nobody')
  await dialog.getByLabel('Customer', { exact: true }).fill('nobody')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await requested
  await dialog.getByLabel('All customers').check()
  await dialog.locator('button[aria-busy=true]').waitFor({ state: 'detached' })
  await answer()
  assert.equal((await read()).customer_id, acme)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await read()).customer_id, null)
})

test('a customer name that loads late does not replace typed text', async () => {
  const { page } = await newPage()
  const acme = await createCustomer(page, 'acme')
  const globex = await createCustomer(page, 'globex')
  const hook = { url: 'http://127.0.0.1:1024/', customer_id: acme }
  const { id } = (await sendAs(page, 'POST', '/v1/webhook_endpoints', hook)).body
  for (const status of [200, 500]) {
    const gate = Promise.withResolvers<void>()
    await page.route(`**/v1/customers/${acme}`, async (route) => {
      await gate.promise
      await (status === 200 ? route.continue() : route.fulfill({ status, body: '{}' }))
    })
    const isTold = page.waitForResponse(`**/v1/customers/${acme}`)
    await page.goto(`/claims?customer=${acme}`)
    const filter = page.getByLabel('Customer')
    await filter.fill('glob')
    gate.resolve()
    await (await isTold).finished()
    assert.equal(await filter.inputValue(), 'glob')
    await filter.fill('globex')
    await page.waitForURL(`**/claims?customer=${globex}`)
    await page.evaluate('history.back()')
    await page.waitForURL(`**/claims?customer=${acme}`)
    if (status === 200) await eventually(async () => (await filter.inputValue()) === 'acme')
    await page.unrouteAll()
  }

  await page.route(`**/v1/customers/${acme}`, (route) => route.fulfill({ status: 500, body: '{}' }))
  await page.goto(`/webhooks/${id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Description').fill('the same customer')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const kept = (await sendAs(page, 'GET', `/v1/webhook_endpoints/${id}`)).body
  assert.deepEqual([kept.customer_id, kept.description], [acme, 'the same customer'])
})
