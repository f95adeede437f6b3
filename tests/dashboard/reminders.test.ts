import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { percentageOf, readPercentage } from '../../dashboard/src/contracts/reminder-percentages.ts'
import { localNumbers } from '../../dashboard/src/format/local-number.ts'
import { rows, shownEntries } from '../support/activity-page.ts'
import { created } from '../support/claim-dialog.ts'
import { contractWith } from '../support/contracts.ts'
import { button, focusComesTo } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { findAccessibilityFaults } from '../support/find-accessibility-faults.ts'
import { createAs, createCustomer, sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

/* Reminders in the dashboard (§2.16): the forms of claims and schemas, the page of a claim, the activity. */

const DAY = contractWith({ activity_window: 86_400 })

test('a percentage and its fraction convert exactly in any locale', () => {
  const fractions = fc.double({ min: 0, max: 1, minExcluded: true, maxExcluded: true, noNaN: true })
  for (const locale of ['en', 'de', 'fr', 'ar-EG']) {
    const numbers = localNumbers(locale)
    fc.assert(
      fc.property(fractions, (fraction) =>
        assert.deepEqual(readPercentage(`${percentageOf(fraction, numbers)} %`, numbers), { fraction }),
      ),
    )
  }
  assert.deepEqual([percentageOf(0.07), percentageOf(0.55), percentageOf(1e-7)], ['7', '55', '0.00001'])
  const en = localNumbers('en')
  for (const [text, problem] of [
    ['0', /above 0 and below 100/],
    ['-1', /above 0 and below 100/],
    ['100', /above 0 and below 100/],
    ['1e9999', /above 0 and below 100/],
    ['1e-9999', /above 0 and below 100/],
    ['33.333333333333333333', /more digits than can be stored/],
    ['half', /must be a number/],
  ] as const)
    assert.match(readPercentage(text, en).problem ?? '', problem)
  assert.equal(readPercentage('12,5', localNumbers('de')).fraction, 0.125)
})

test('the form of a claim takes the reminders of the schema, which can be changed, and the page shows them', async () => {
  const { page, pageErrors } = await newPage()
  await createCustomer(page, 'acme')
  const { id: schema } = await createAs(page, '/v1/schemas', { contract: DAY, reminders: [0.5, 0.9] })
  const dialog = page.getByRole('dialog')
  const reminder = (n: number) => dialog.getByLabel(`Reminder ${n}, in percent`)
  const open = async (opener: string) => {
    await button(page, opener).click()
    await dialog.getByText('The claim is worth').waitFor()
  }
  await page.goto(`/schemas/${schema}`)
  await open('Create claim')
  await dialog.getByLabel('Customer').fill('acme')
  await dialog.getByText('Preset by the schema.').waitFor()
  assert.deepEqual([await reminder(1).inputValue(), await reminder(2).inputValue()], ['50', '90'])
  assert.deepEqual((await created(page)).reminders, [0.5, 0.9])
  await page.getByText('at 50 %, 90 % of the activity window').waitFor()

  // The first error: focus, text and link.
  await open('Create another like this')
  await button(dialog, 'Add a reminder').click()
  await focusComesTo(reminder(3))
  for (const [text, problem] of [
    ['100', 'Must be above 0 and below 100'],
    ['50.0', 'Is already there: each percentage must be different'],
  ] as const) {
    await reminder(3).fill(text)
    await button(dialog, 'Create').click()
    await focusComesTo(reminder(3))
    const described = (await reminder(3).getAttribute('aria-describedby')) ?? ''
    assert.equal(await page.locator(`[id="${described}"]`).innerText(), problem)
  }
  assert.deepEqual(await findAccessibilityFaults(dialog), [])
  await reminder(3).fill('7%')
  await button(dialog, 'Remove reminder 2').click()
  await focusComesTo(reminder(2))
  await dialog.getByText('Instead of the schema’s: 50 %, 90 %.').waitFor()
  assert.deepEqual((await created(page)).reminders, [0.07, 0.5])

  await open('Create another like this')
  assert.deepEqual([await reminder(1).inputValue(), await reminder(2).inputValue()], ['7', '50'])
  for (let n = 0; n < 2; n++) await button(dialog, 'Remove reminder 1').click()
  const none = await created(page)
  assert.deepEqual([none.schema_id, none.reminders], [schema, undefined])
  assert.deepEqual(pageErrors, [])
})

test('reminders of a schema are changed without a new version', async () => {
  const { page, pageErrors } = await newPage()
  const { id } = await createAs(page, '/v1/schemas', { contract: DAY, reminders: [0.5] })
  await page.goto(`/schemas/${id}`)
  await page.getByLabel('Reminder 1, in percent').fill('120')
  await button(page, 'Save changes').click()
  await page.getByText('The marked fields are missing or invalid.').waitFor()
  await page.getByLabel('Reminder 1, in percent').fill('12.5')
  await button(page, 'Add a reminder').click()
  await page.getByLabel('Reminder 2, in percent').fill('7')
  await button(page, 'Save changes').click()
  await page.getByText('Schema saved').waitFor()
  const changed = (await sendAs(page, 'GET', `/v1/schemas/${id}`)).body
  assert.deepEqual([changed.reminders, changed.version], [[0.07, 0.125], 1])

  await button(page, 'Duplicate').click()
  await page.getByText('This is the copy.').waitFor()
  await page.waitForURL((url) => !url.pathname.endsWith(id))
  assert.equal(await page.getByLabel('Reminder 2, in percent').inputValue(), '12.5')
  assert.deepEqual(pageErrors, [])
})

test('the activity shows how much of the window is used up', async () => {
  const { page, pageErrors } = await newPage()
  const customer_id = await createCustomer(page, 'acme')
  const { id: clock } = await createAs(page, '/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })
  const claim = { customer_id, contract: DAY, test_clock_id: clock, reminders: [0.5, 0.9] }
  const { id } = await createAs(page, '/v1/claims', claim)
  await sendAs(page, 'POST', `/v1/test_clocks/${clock}/advance`, { frozen_time: '2026-01-01T22:00:00Z' })
  await page.goto('/activity?type=claim.due_soon')
  await eventually(async () => (await rows(page).count()) === 2)
  const name = `${id.slice(0, 8)}…${id.slice(-6)}`
  assert.deepEqual(
    await shownEntries(page),
    ['90 %', '50 %'].map((used) => `Claim due soon: ${used} of its activity window is used up ${name}`),
  )
  assert.deepEqual(pageErrors, [])
})
