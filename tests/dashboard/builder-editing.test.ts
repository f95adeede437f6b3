import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Condition } from '../../src/domain/contract/condition.ts'
import { startTestBrowser } from '../support/browser.ts'
import { all, any, contractWith, not } from '../support/contracts.ts'
import { findAccessibilityFaults } from '../support/find-accessibility-faults.ts'
import { openSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const browser = await startTestBrowser()

const json = (page: Page) => page.getByLabel('Contract as JSON')
const readJson = async (page: Page) => JSON.parse(await json(page).inputValue())
const conditionOf = async (page: Page) => (await readJson(page)).fulfillment_condition
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const eventType = (page: Page, n: number) => page.getByLabel('Event type').nth(n)
const focusComesTo = (control: Locator) => control.and(control.page().locator(':focus')).waitFor()

/** Whether a text that the control is tied to says so. */
async function isDescribed(control: Locator, reason: RegExp): Promise<boolean> {
  const ids = (await control.getAttribute('aria-describedby'))?.split(' ') ?? []
  const texts = ids.map((id) => control.page().locator(`[id="${id}"]`).innerText())
  return (await Promise.all(texts)).some((text) => reason.test(text))
}

async function openSchema(page: Page, condition: Condition): Promise<string> {
  const contract = contractWith({ fulfillment_condition: condition })
  const { id } = (await sendAs(page, 'POST', '/v1/schemas', { contract })).body
  await page.goto(`/schemas/${id}`)
  await json(page).waitFor()
  return id
}

test('a condition is put together by the keyboard alone, and the focus is always where one types next', async () => {
  const { page, complaints } = await openSignedInPage(service, browser)
  await page.goto('/schemas/new')
  await eventType(page, 0).focus()
  await page.keyboard.type('delivered')
  // Its removal, then its bar: one stop of the Tab key, with arrow keys within.
  await page.keyboard.press('Tab')
  await focusComesTo(button(page, 'Remove event delivered'))
  await page.keyboard.press('Tab')
  await focusComesTo(button(page, '+ Field equals'))
  await page.keyboard.press('Enter')
  await focusComesTo(page.getByLabel('Field', { exact: true }))
  await page.keyboard.type('country')
  await page.keyboard.press('Tab')
  await page.keyboard.type('DE')
  await page.keyboard.press('Tab')
  await focusComesTo(button(page, 'Remove field country'))
  await page.keyboard.press('Tab')
  await page.keyboard.press('End')
  await focusComesTo(button(page, 'Wrap event delivered in “Not this”'))
  await page.keyboard.press('Home')
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight')
  await focusComesTo(button(page, 'Or another event beside event delivered'))
  await page.keyboard.press('Enter')
  await focusComesTo(eventType(page, 1))
  await page.keyboard.type('signed')
  const delivered = { event: 'delivered', match: { country: 'DE' } }
  assert.deepEqual(await conditionOf(page), any(delivered, { event: 'signed' }))

  await button(page, 'Wrap event signed in “Not this”').press('Enter')
  await focusComesTo(eventType(page, 1))
  await button(page, 'And another event beside group “Not this”').press('Enter')
  await focusComesTo(eventType(page, 2))
  await page.keyboard.type('paid')
  const within = all(not({ event: 'signed' }), { event: 'paid' })
  assert.deepEqual(await conditionOf(page), any(delivered, within))
  await button(page, 'Move group “Not this”').press('Enter')
  await button(page, 'Move down').press('Enter')
  await focusComesTo(eventType(page, 2))
  await button(page, 'Unwrap group “Not this”').press('Enter')
  await focusComesTo(eventType(page, 2))
  await button(page, 'Wrap group “All of these” in “Any of these”').press('Enter')
  const kinds = page.getByLabel('How many of these are needed')
  await focusComesTo(kinds.nth(2))
  const wrapped = any(all({ event: 'paid' }, { event: 'signed' }))
  assert.deepEqual(await conditionOf(page), any(delivered, wrapped))
  assert.deepEqual(complaints, [])
})

test('after a removal the focus is at the neighbour, and what a leaf asks for begins in its field', async () => {
  const { page } = await openSignedInPage(service, browser)
  await openSchema(
    page,
    all({ event: 'a', match: { k: 1, l: 2 } }, { event: 'b', gte: 1, lt: 9 }, not({ event: 'c' })),
  )
  await button(page, 'Remove field k').press('Enter')
  await focusComesTo(page.getByLabel('Field', { exact: true }))
  await button(page, 'Remove field l').press('Enter')
  await focusComesTo(eventType(page, 0))
  await button(page, '+ Value equals').first().press('Enter')
  await focusComesTo(page.getByLabel('Value', { exact: true }).first())
  await button(page, 'Remove the value').press('Enter')
  await focusComesTo(eventType(page, 0))
  await button(page, '+ Number').first().press('Enter')
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

test('each edit is undone and redone, by keys and by buttons; a field is one step, and the JSON has the browser’s own', async () => {
  const { page, complaints } = await openSignedInPage(service, browser)
  await openSchema(page, all({ event: 'a' }, { event: 'b' }))
  await eventType(page, 0).fill('')
  await page.keyboard.type('delivered')
  await button(page, 'And another event beside event delivered').press('Enter')
  await page.keyboard.type('signed')
  await button(page, 'Remove event b').press('Enter')
  await page.getByLabel('Price').fill('77')
  const edited = all({ event: 'delivered' }, { event: 'signed' })
  assert.deepEqual(await conditionOf(page), edited)

  const steps: [Condition, Locator][] = [
    [edited, page.getByLabel('Price')],
    [all({ event: 'delivered' }, { event: 'signed' }, { event: 'b' }), eventType(page, 2)],
    [all({ event: 'delivered' }, { event: '' }, { event: 'b' }), eventType(page, 1)],
    [all({ event: 'delivered' }, { event: 'b' }), eventType(page, 1)],
    [all({ event: 'a' }, { event: 'b' }), eventType(page, 0)],
  ]
  for (const [condition, place] of steps) {
    await page.keyboard.press('ControlOrMeta+z')
    await focusComesTo(place)
    assert.deepEqual(await conditionOf(page), condition)
  }
  await page.getByText('Nothing to undo, 5 to redo.').first().waitFor()
  const undo = button(page, 'Undo')
  assert.equal(await undo.getAttribute('aria-disabled'), 'true')
  assert.ok(await isDescribed(undo, /^Nothing to undo, 5 to redo\.$/))
  for (let i = 0; i < 4; i++) await page.keyboard.press('ControlOrMeta+Shift+z')
  assert.deepEqual(await conditionOf(page), edited)
  await button(page, 'Redo').click()
  await focusComesTo(button(page, 'Redo'))
  assert.equal((await readJson(page)).price, 77)

  // The browser's own: letters, and not the edits of the form.
  await json(page).focus()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type(' ')
  const before = await json(page).inputValue()
  await page.keyboard.press('ControlOrMeta+z')
  assert.equal(await json(page).inputValue(), before.slice(0, -1))
  assert.deepEqual(await conditionOf(page), edited)
  await button(page, 'Save changes').click()
  await page.getByText('Schema saved').waitFor()
  await undo.click()
  await page.getByText('Not saved yet.').waitFor()
  assert.deepEqual(complaints, [])
})

test('what is saved stays as it was typed, with the focus where it was, and can be undone', async () => {
  const { page } = await openSignedInPage(service, browser)
  await openSchema(page, { event: 'a' })
  await eventType(page, 0).fill('b')
  await page.keyboard.press('Enter')
  await page.getByText('Schema saved').waitFor()
  await focusComesTo(eventType(page, 0))
  await page.getByText('Nothing to save: it is as it is stored.').waitFor()
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

test('at 32 levels and at 512 nodes what does not fit is refused with the reason, beside the control', async () => {
  const { page, complaints } = await openSignedInPage(service, browser)
  const chain = (levels: number): Condition =>
    levels === 1 ? { event: 'deep' } : levels % 2 ? all(chain(levels - 1)) : any(chain(levels - 1))
  await openSchema(page, all(chain(31), { event: 'shallow' }))
  const written = await json(page).inputValue()
  const wrap = button(page, 'Wrap event deep in “Not this”')
  assert.ok(await isDescribed(wrap, /^A condition has 32 levels at most\.$/))
  await wrap.click({ force: true })
  await wrap.press('Enter')
  assert.equal(await json(page).inputValue(), written)
  assert.equal(await button(page, 'Wrap event shallow in “Not this”').getAttribute('aria-disabled'), null)
  await button(page, 'Move event shallow').click()
  const into = button(page, 'Move into the group beside it')
  assert.equal(await into.getAttribute('aria-disabled'), null)
  await page.keyboard.press('Escape')

  await openSchema(page, all(...Array.from({ length: 511 }, () => ({ event: 'e' }))))
  // Not by role: that takes long among so many.
  const add = page.locator('[aria-label="Add event to “All of these”"]')
  assert.ok(await isDescribed(add, /^A condition has 512 nodes at most\.$/))
  await add.press('Enter')
  assert.equal((await conditionOf(page)).conditions.length, 511)
  assert.deepEqual(complaints, [])
})

test('nothing is disabled without a reason: a form that rests while the JSON is none, and a contract that is too large', async () => {
  const { page } = await openSignedInPage(service, browser)
  await page.setViewportSize({ width: 320, height: 800 })
  await openSchema(page, all({ event: 'a' }, not({ event: 'b' })))
  await json(page).fill('{')
  const form = page.getByRole('group', { name: 'Contract as a form' })
  assert.ok(await isDescribed(form, /takes nothing until the JSON is a contract again/))
  assert.deepEqual(await findAccessibilityFaults(page), [])
  await button(page, 'Back to the form’s').click()
  await focusComesTo(json(page))
  const large = { event: 'a', match: { text: 'x'.repeat(70_000) } }
  await json(page).fill(JSON.stringify(contractWith({ fulfillment_condition: large })))
  await page.getByText(/^The contract has \d+ bytes as JSON; at most 65536 are allowed\.$/).waitFor()
  const excess = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  assert.ok((await page.evaluate<number>(excess)) <= 0)
  assert.deepEqual(await findAccessibilityFaults(page), [])
})

test('numbers are written and read as in Germany; what is ambiguous or wrong is refused at its field, and what is stored is exact', async () => {
  const { page, complaints } = await openSignedInPage(service, browser, { locale: 'de-DE' })
  const id = await openSchema(page, { event: 'rating', match: { weight: 2.5 }, field: 'stars', gte: 4.5 })
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
  await refused(price, '1.234', 'May be 1234 or 1,234: write one of them')
  await refused(price, '0,12345678901234567', 'Has more digits than can be kept')
  await price.fill('1.234,50')
  await page.getByText('What a confirmed claim is worth: 1.234,50.').waitFor()
  await refused(stars, '4.5', 'Must be written with “,”: 4,5')
  await stars.fill('4,75')
  await refused(weight, '2.5', 'Must be written with “,”: 2,5, or "2.5" for a text')
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
  await page.getByText('Must be written with “,”: 4,75, or "4.75" for a text').waitFor()
  await page.getByLabel('Value', { exact: true }).fill('4,75')
  await button(page, 'Submit event').click()
  await page.getByText('Recorded; it stays OPEN').waitFor()
  const { events } = (await sendAs(page, 'GET', `/v1/claims/${claim.id}`)).body
  assert.equal(events[0].value, 4.75)
  assert.deepEqual(complaints, [])
})
