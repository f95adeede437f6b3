import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { all, any, not } from '../support/contracts.ts'
import { button, focusComesTo } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { findAccessibilityFaults, isTooWide } from '../support/find-accessibility-faults.ts'
import {
  conditionOf,
  contractOf,
  editNode,
  eventType,
  isDescribed,
  json,
  menuOf,
  openSchema,
} from '../support/schema-form.ts'
import { newSignedInPage, sendAs } from '../support/signed-in-page.ts'
import type { Condition } from '../support/source/contracts.ts'

const { browser, newPage, service } = await dashboardTests()

test('after a removal the neighbour has the focus, and a new part of a leaf starts with the focus in its field', async () => {
  const { page } = await newPage()
  const condition = all(
    { event: 'a', match: { k: 1, l: 2 } },
    { event: 'b', gte: 1, lt: 9 },
    not({ event: 'c' }),
  )
  await openSchema(page, contractOf(condition))
  await button(page, 'Remove field k').press('Enter')
  await focusComesTo(page.getByLabel('Field', { exact: true }))
  await button(page, 'Remove field l').press('Enter')
  await focusComesTo(eventType(page, 0))
  await editNode(page, 'event a', 'Value equals')
  await focusComesTo(page.getByLabel('Value', { exact: true }).first())
  await button(page, 'Remove the value').press('Enter')
  await focusComesTo(eventType(page, 0))
  await editNode(page, 'event a', 'Compare a number')
  await focusComesTo(page.getByRole('textbox', { name: 'at least' }).first())
  await button(page, 'Remove less than').press('Enter')
  await focusComesTo(page.getByRole('textbox', { name: 'at least' }).nth(1))

  await button(page, 'Remove event b').press('Enter')
  await focusComesTo(eventType(page, 1))
  await button(page, 'Remove event c').press('Enter')
  await focusComesTo(eventType(page, 0))
  await button(page, 'Remove event a').press('Enter')
  await focusComesTo(page.getByLabel('How many of these are needed'))
  await button(page, 'Remove group “All of these”').press('Enter')
  await focusComesTo(eventType(page, 0))
  assert.deepEqual(await conditionOf(page), { event: '' })
  // What is missing is said as the field is left, and that moves no button away under the pointer.
  await button(page, 'Discard changes').click()
  await focusComesTo(page.getByRole('group', { name: 'Contract as a form' }))
})

test('a saved edit keeps its typed text and the focus, and can be undone', async () => {
  const { page } = await newPage()
  await openSchema(page, contractOf({ event: 'a' }))
  await eventType(page, 0).fill('b')
  await page.keyboard.press('Enter')
  await page.getByText('Schema saved').waitFor()
  await focusComesTo(eventType(page, 0))
  await page.getByText('No unsaved changes.').waitFor()
  const save = button(page, 'Save changes')
  assert.equal(await save.getAttribute('aria-disabled'), 'true')
  await eventType(page, 0).press('ControlOrMeta+z')
  assert.deepEqual(await conditionOf(page), { event: 'a' })
  // A text field that belongs to something else keeps its own.
  await button(page, 'Any event').click()
  const type = page.getByLabel('Type', { exact: true })
  await focusComesTo(type)
  await page.keyboard.type('x')
  await page.keyboard.press('ControlOrMeta+z')
  assert.equal(await type.inputValue(), '')
  assert.deepEqual(await conditionOf(page), { event: 'a' })
  await button(page, 'Any event').click()
  await button(page, 'Remove event').last().click()
  await focusComesTo(type)
  await button(page, 'Remove event').click()
  await focusComesTo(button(page, 'Any event'))
})

test('at 32 levels and 512 nodes further additions are refused with the reason beside the control', async () => {
  const { page, pageErrors } = await newPage()
  const chain = (levels: number): Condition =>
    levels === 1 ? { event: 'deep' } : levels % 2 ? all(chain(levels - 1)) : any(chain(levels - 1))
  await openSchema(page, contractOf(all(chain(31), { event: 'shallow' })))
  const written = await json(page).inputValue()
  const itemIn = async (node: string, name: string) =>
    (await menuOf(page, node)).getByRole('menuitem', { name, exact: true })
  const wrap = await itemIn('event deep', 'Wrap in “Not this”')
  assert.ok(await isDescribed(wrap, /^A condition can have at most 32 levels\.$/))
  await wrap.click({ force: true })
  await wrap.press('Enter')
  assert.equal(await json(page).inputValue(), written)
  await page.keyboard.press('Escape')
  for (const name of ['Wrap in “Not this”', 'Move into the group beside it']) {
    const possible = await itemIn('event shallow', name)
    assert.equal(await possible.getAttribute('aria-disabled'), null)
  }
  await page.keyboard.press('Escape')

  await openSchema(page, contractOf(all(...Array.from({ length: 511 }, () => ({ event: 'e' })))))
  // Not by role: that is slow with many elements.
  const add = page.locator('[aria-label="Add event to “All of these”"]')
  assert.ok(await isDescribed(add, /^A condition can have at most 512 nodes\.$/))
  await add.press('Enter')
  assert.equal((await conditionOf(page)).conditions.length, 511)
  assert.deepEqual(pageErrors, [])
})

test('a disabled form and a contract that is too large state the reason', async () => {
  const { page } = await newPage()
  await page.setViewportSize({ width: 320, height: 800 })
  await openSchema(page, contractOf(all({ event: 'a' }, not({ event: 'b' }))))
  await json(page).fill('{')
  const form = page.getByRole('group', { name: 'Contract as a form' })
  assert.ok(await isDescribed(form, /locked until the JSON is a contract again/))
  assert.deepEqual(await findAccessibilityFaults(page), [])
  await button(page, 'Restore from the form').click()
  await focusComesTo(json(page))
  const large = { event: 'a', match: { text: 'x'.repeat(70_000) } }
  await json(page).fill(JSON.stringify(contractOf(large)))
  await page.getByText(/^The contract has \d+ bytes as JSON; at most 65536 are allowed\.$/).waitFor()
  assert.equal(await isTooWide(page), false)
  assert.deepEqual(await findAccessibilityFaults(page), [])
})

test('numbers use the German locale; ambiguous or invalid numbers are refused at their fields, and stored numbers are exact', async () => {
  const { page, pageErrors } = await newSignedInPage(service, browser, { locale: 'de-DE' })
  const condition = { event: 'rating', match: { weight: 2.5 }, field: 'stars', gte: 4.5 }
  const id = await openSchema(page, contractOf(condition))
  const price = page.getByLabel('Price')
  const weight = page.getByLabel('Value of weight')
  const stars = page.getByRole('textbox', { name: 'at least' })
  const refused = async (field: Locator, text: string, reason: string) => {
    await field.fill(text)
    await button(page, 'Save changes').click()
    await focusComesTo(field)
    assert.ok(await isDescribed(field, new RegExp(`^${reason}`)), reason)
    assert.equal(await field.inputValue(), text, 'it stays as it was typed')
  }
  assert.deepEqual([await weight.inputValue(), await stars.inputValue()], ['2,5', '4,5'])
  await refused(price, '49.50', 'Must be written with “,”: 49,50')
  await refused(price, '1.234', 'Is ambiguous: write 1234 or 1,234')
  await refused(price, '0,12345678901234567', 'Has more digits than can be stored')
  await price.fill('1.234,50')
  await page.getByText('What a confirmed claim is worth: 1.234,50.').waitFor()
  await refused(stars, '4.5', 'Must be written with “,”: 4,5')
  await stars.fill('4,75')
  await refused(weight, '2.5', 'Must be written with “,”: 2,5, or "2.5" for text')
  await weight.fill('"2.5"')
  const hours = page.getByLabel('Activity window', { exact: true })
  await refused(hours, '1.1', 'Must be written with “,”: 1,1')
  await hours.fill('1,1')
  await button(page, 'Save changes').click()
  await page.getByText('Schema saved').waitFor()
  const { contract } = (await sendAs(page, 'GET', `/v1/schemas/${id}`)).body
  assert.deepEqual([contract.price, contract.activity_window], [1234.5, 3960])
  const stored = { event: 'rating', match: { weight: '2.5' }, field: 'stars', gte: 4.75 }
  assert.deepEqual(contract.fulfillment_condition, stored)

  await page.goto('/claims')
  await page.getByRole('button', { name: /^More/ }).click()
  await page.getByLabel('Price from').fill('1.234,5')
  await page.waitForURL('**/claims?price_from=1234.5')
  assert.equal(await page.getByLabel('Price from').inputValue(), '1234,5')
  const { id: customer_id } = (await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })).body
  const claim = (await sendAs(page, 'POST', '/v1/claims', { customer_id, schema_id: id })).body
  await page.goto(`/claims/${claim.id}`)
  await page.getByLabel('Type').fill('rating')
  await page.getByLabel('Value', { exact: true }).fill('4.75')
  await page.getByText('Must be written with “,”: 4,75, or "4.75" for text').waitFor()
  await page.getByLabel('Value', { exact: true }).fill('4,75')
  await button(page, 'Submit event').click()
  await page.getByText('Event recorded. The status is still OPEN.').waitFor()
  const { events } = (await sendAs(page, 'GET', `/v1/claims/${claim.id}`)).body
  assert.equal(events[0].value, 4.75)
  assert.deepEqual(pageErrors, [])
})
