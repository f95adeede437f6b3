import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calendarWith } from '../support/calendars.ts'
import { dashboardTests } from '../support/dashboard.ts'
import {
  COLOURS,
  findAccessibilityFaults,
  isTooWide,
  setTheme,
  settle,
} from '../support/find-accessibility-faults.ts'
import { createAs, sendAs } from '../support/signed-in-page.ts'

const { newPage, openPage } = await dashboardTests()

test('a calendar is created with the public holidays of a state, and shown with its preview', async () => {
  const { page, pageErrors } = await newPage()
  await page.goto('/calendars')
  await page.getByRole('link', { name: 'New calendar' }).first().click()
  await page.getByLabel('Name').fill('Support Berlin')
  await page.getByLabel('Time zone').selectOption('Europe/Berlin')
  await page.getByRole('textbox', { name: 'Friday, end of span 1' }).fill('15')
  await page.getByRole('button', { name: 'Add a span to Saturday' }).click()
  await page.getByRole('textbox', { name: 'Saturday, end of span 1' }).fill('24:00')
  await page.getByText('53 hours a week').waitFor()

  await page.getByRole('button', { name: 'Fill in public holidays' }).click()
  const dialog = page.getByRole('dialog', { name: 'Fill in public holidays' })
  await dialog.getByLabel('Country').selectOption('DE')
  await dialog.getByLabel('State').selectOption('BE')
  const year = await dialog.getByLabel('From year').inputValue()
  await dialog.getByLabel('To year').selectOption(year)
  // Only in this state.
  await dialog.getByText('Internationaler Frauentag').waitFor()
  const count = await dialog.getByRole('listitem').count()
  await dialog.getByRole('button', { name: `Add ${count} dates` }).click()
  await page.getByRole('list').getByText('Neujahr').waitFor()
  await page.getByLabel('Another holiday').fill(`${year}-12-31`)
  await page.getByLabel('Another holiday').press('Enter')
  await page.getByRole('button', { name: 'Create calendar' }).click()

  await page.getByText('The holidays end on').waitFor()
  const { data } = (await sendAs(page, 'GET', '/v1/calendars')).body
  const [{ time_zone, weekly, holidays }] = data
  assert.deepEqual(
    [time_zone, weekly.friday, weekly.saturday],
    ['Europe/Berlin', [['09:00', '15:00']], [['09:00', '24:00']]],
  )
  assert.deepEqual(
    [holidays.length, holidays[0], holidays.at(-1)],
    [count + 1, `${year}-01-01`, `${year}-12-31`],
  )
  assert.deepEqual(pageErrors, [])
})

test('wrong times are marked and not saved; a change makes a version; a deleted calendar is read-only', async () => {
  const { page } = await openPage()
  const { id } = await createAs(page, '/v1/calendars', calendarWith())
  await page.goto(`/calendars/${id}`)
  const start = page.getByRole('textbox', { name: 'Monday, start of span 1' })
  await start.fill('18:00')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Starts at 18:00, which must be before its end, 17:00').waitFor()
  await start.fill('8')
  await page.getByRole('button', { name: 'Add an exception' }).click()
  await page.getByLabel('Date of exception 1').fill('2026-12-24')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('listitem', { name: 'Version 2' }).getByText('2026-12-24 no working time').waitFor()
  const stored = (await sendAs(page, 'GET', `/v1/calendars/${id}`)).body
  assert.deepEqual(
    [stored.version, stored.weekly.monday, stored.exceptions],
    [2, [['08:00', '17:00']], { '2026-12-24': [] }],
  )
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Calendars', level: 1 }).waitFor()
  await page.goto(`/calendars/${id}`)
  await page.getByText('It cannot be changed.').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Monday, start of span 1' }).count(), 0)
})

test('the page of a calendar has no serious accessibility fault and is not wider than a phone', async () => {
  const { page } = await openPage()
  const { id } = await createAs(page, '/v1/calendars', {
    ...calendarWith({ holidays: ['2026-12-25'], exceptions: { '2026-12-24': [['09:00', '12:00']] } }),
    name: 'x'.repeat(200),
  })
  for (const path of ['/calendars', `/calendars/${id}`]) {
    await page.setViewportSize({ width: 360, height: 800 })
    await page.goto(path)
    await settle(page)
    assert.deepEqual(await findAccessibilityFaults(page), [], path)
    assert.equal(await isTooWide(page), false, `${path} is too wide`)
    await page.setViewportSize({ width: 1440, height: 800 })
    await setTheme(page, 'dark')
    assert.deepEqual(await findAccessibilityFaults(page, COLOURS), [], `${path}, dark`)
    await setTheme(page, 'light')
  }
})
