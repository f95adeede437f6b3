import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { all, any, not } from '../support/contracts.ts'
import { button, focusComesTo } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import {
  conditionOf,
  contractOf,
  editNode,
  eventType,
  isDescribed,
  json,
  openSchema,
  readJson,
} from '../support/schema-form.ts'
import { newSignedInPage, sendAs } from '../support/signed-in-page.ts'
import type { Condition } from '../support/source/contracts.ts'

const { browser, newPage, service } = await dashboardTests()

test('a condition is built with the keyboard alone, and the focus is always in the next field', async () => {
  const { page, pageErrors } = await newPage()
  await page.goto('/schemas/new')
  await eventType(page, 0).focus()
  await page.keyboard.type('delivered')
  // Its menu, its removal, and the most common edit.
  await page.keyboard.press('Tab')
  await focusComesTo(button(page, 'Edit event delivered'))
  await page.keyboard.press('Tab')
  await focusComesTo(button(page, 'Remove event delivered'))
  await page.keyboard.press('Tab')
  await focusComesTo(button(page, 'Field equals'))
  await page.keyboard.press('Enter')
  await focusComesTo(page.getByLabel('Field', { exact: true }))
  await page.keyboard.type('country')
  await page.keyboard.press('Tab')
  await page.keyboard.type('DE')
  await page.keyboard.press('Tab')
  await focusComesTo(button(page, 'Remove field country'))
  await button(page, 'Edit event delivered').focus()
  await page.keyboard.press('ArrowDown')
  const menu = page.getByRole('menu', { name: 'Edit event delivered' })
  const item = (name: string) => menu.getByRole('menuitem', { name, exact: true })
  await focusComesTo(item('Compare a number'))
  await page.keyboard.press('End')
  await focusComesTo(item('Remove'))
  await page.keyboard.press('Escape')
  await focusComesTo(button(page, 'Edit event delivered'))
  await page.keyboard.press('Enter')
  await page.keyboard.press('o')
  await focusComesTo(item('Or another event'))
  await page.keyboard.press('Enter')
  await focusComesTo(eventType(page, 1))
  await page.keyboard.type('signed')
  const delivered = { event: 'delivered', match: { country: 'DE' } }
  assert.deepEqual(await conditionOf(page), any(delivered, { event: 'signed' }))

  await editNode(page, 'event signed', 'Wrap in “Not this”')
  await focusComesTo(eventType(page, 1))
  await editNode(page, 'group “Not this”', 'And another event')
  await focusComesTo(eventType(page, 2))
  await page.keyboard.type('paid')
  const within = all(not({ event: 'signed' }), { event: 'paid' })
  assert.deepEqual(await conditionOf(page), any(delivered, within))
  await editNode(page, 'group “Not this”', 'Move down')
  await focusComesTo(eventType(page, 2))
  await editNode(page, 'group “Not this”', 'Unwrap')
  await focusComesTo(eventType(page, 2))
  await editNode(page, 'group “All of these”', 'Wrap in “Any of these”')
  const kinds = page.getByLabel('How many of these are needed')
  await focusComesTo(kinds.nth(2))
  const wrapped = any(all({ event: 'paid' }, { event: 'signed' }))
  assert.deepEqual(await conditionOf(page), any(delivered, wrapped))
  assert.deepEqual(pageErrors, [])
})

test('each edit can be undone and redone by keys and buttons; typing in a field is one edit, and the JSON keeps the browser’s undo', async () => {
  const { page, pageErrors } = await newPage()
  await openSchema(page, contractOf(all({ event: 'a' }, { event: 'b' })))
  await eventType(page, 0).fill('')
  await page.keyboard.type('delivered')
  await page.keyboard.press('ControlOrMeta+Enter')
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
  await page.getByText('Unsaved changes.').waitFor()
  assert.deepEqual(pageErrors, [])
})

test('numbers use the browser’s locale, and an ambiguous number is refused at its field', async () => {
  const { page } = await newSignedInPage(service, browser, { locale: 'de-DE' })
  const id = await openSchema(page, contractOf({ event: 'rating', gte: 4.5 }))
  assert.equal(await page.getByRole('textbox', { name: 'at least' }).inputValue(), '4,5')
  const price = page.getByLabel('Price')
  await price.fill('1.234')
  await button(page, 'Save changes').click()
  await focusComesTo(price)
  assert.ok(await isDescribed(price, /^Is ambiguous: write 1234 or 1,234/))
  await price.fill('1.234,50')
  await button(page, 'Save changes').click()
  await page.getByText('Schema saved').waitFor()
  assert.equal((await sendAs(page, 'GET', `/v1/schemas/${id}`)).body.contract.price, 1234.5)
})
