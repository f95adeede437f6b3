import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calendarWith } from '../support/calendars.ts'
import { any, contractWith } from '../support/contracts.ts'
import { button, focusComesTo } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { contractOf, eventType, isDescribed, openSchema, readJson } from '../support/schema-form.ts'
import { createAs, createCustomer, sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

/* Clocks of contracts in the dashboard (§2.1a): the form, the live trial, lists and the page of a claim. */

test('a clock is added in the form and saved; without it a contract has its five fields (§2.1a)', async () => {
  const { page, pageErrors } = await newPage()
  const { id: calendar } = await createAs(page, '/v1/calendars', calendarWith({ name: 'Support Berlin' }))
  const plain = contractOf({ event: 'done' })
  const id = await openSchema(page, plain)
  const working = page.getByLabel('Only working time counts')
  await working.check()
  await button(page, 'Save changes').click()
  const choice = page.getByLabel('Calendar', { exact: true })
  await focusComesTo(choice)
  assert.ok(await isDescribed(choice, /^Is not chosen yet/))
  await choice.selectOption(calendar)
  await page.getByRole('img', { name: 'Working time of a week' }).waitFor()
  await page.getByLabel('Applies to').selectOption('Both windows')
  const stops = page.getByLabel('Events can stop the clock')
  await stops.check()
  await eventType(page, 1).fill('asked')
  await page.keyboard.press('ControlOrMeta+Enter')
  await focusComesTo(eventType(page, 2))
  await page.keyboard.type('called')
  await eventType(page, 3).fill('answered')

  const contract = {
    ...plain,
    clock: {
      calendar: { id: calendar },
      applies_to: ['activity', 'review'],
      pause_on: any({ event: 'asked' }, { event: 'called' }),
      resume_on: { event: 'answered' },
    },
  }
  assert.deepEqual(await readJson(page), contract)
  await page.getByText('calendar “Support Berlin” counts for both windows').waitFor()
  await button(page, 'Save changes').click()
  await page.getByText('Schema saved').waitFor()
  assert.deepEqual((await sendAs(page, 'GET', `/v1/schemas/${id}`)).body.contract, contract)
  await page.reload()
  assert.deepEqual(await readJson(page), contract)

  await working.uncheck()
  await stops.uncheck()
  assert.deepEqual(await readJson(page), plain)
  for (let i = 0; i < 2; i++) await button(page, 'Undo').click()
  assert.deepEqual(await readJson(page), contract)
  assert.deepEqual(pageErrors, [])
})

test('the form keeps the version of a calendar until another one is chosen, and shows errors at their fields', async () => {
  const { page } = await newPage()
  const { id } = await createAs(page, '/v1/calendars', calendarWith())
  assert.equal((await sendAs(page, 'PATCH', `/v1/calendars/${id}`, { name: 'Renamed' })).status, 200)
  const pinned = { ...contractWith(), clock: { calendar: { id, version: 1 } } }
  await openSchema(page, pinned)
  await page.getByLabel('Price').fill('7')
  assert.deepEqual(await readJson(page), { ...pinned, price: 7 })
  const version = page.getByLabel('Version', { exact: true })
  await version.selectOption('Version 2, now current')
  assert.deepEqual((await readJson(page)).clock, { calendar: { id, version: 2 } })
  await version.selectOption('Current when a claim begins')
  assert.deepEqual((await readJson(page)).clock, { calendar: { id } })
  const unknown = { ...contractWith(), clock: { calendar: { id: '0199f3a4-6f0e-7c3a-9d1e-2b7c5a1f0a42' } } }
  await page.getByLabel('Contract as JSON').fill(JSON.stringify(unknown))
  await page.getByText('No new claim can use this calendar').waitFor()

  const clock = {
    calendar: { id: 'x', version: 0 },
    applies_to: ['closing'],
    pause_on: { event: 'a', aggregate: 'count', gte: 1 },
  }
  await page.getByLabel('Contract as JSON').fill(JSON.stringify({ ...contractWith(), clock }))
  for (const message of [
    /^Must be an object {id, version}/,
    /^Must be a list of "activity", "review"/,
    /^Is not allowed here: the condition is judged on one event/,
    /^Is required with pause_on/,
  ]) {
    await page.getByRole('group', { name: 'Clock' }).getByText(message).waitFor()
  }
})

test('a claim whose clock is stopped says since when and how much is left, on its page and in lists (§2.1a)', async () => {
  const { page, pageErrors } = await newPage()
  const customer_id = await createCustomer(page, 'acme')
  const hours = { holidays: ['2026-01-06'], exceptions: { '2026-01-07': [['09:00', '09:30'] as const] } }
  const support = calendarWith({ name: 'Support Berlin', ...hours })
  const { id: calendar } = await createAs(page, '/v1/calendars', support)
  const { id: test_clock_id } = await createAs(page, '/v1/test_clocks', {
    frozen_time: '2026-01-05T09:00:00.000Z',
  })
  const clock = {
    calendar: { id: calendar },
    pause_on: { event: 'asked' },
    resume_on: { event: 'answered' },
  }
  const contract = contractWith({ activity_window: 28_800, clock })
  const { id } = await createAs(page, '/v1/claims', { customer_id, contract, test_clock_id })
  await page.goto(`/claims/${id}`)
  const state = page.getByRole('region', { name: 'State' })
  await state.getByText('Only working time counts.').waitFor()
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByRole('link', { name: 'Support Berlin' }).waitFor()
  assert.match(await details.innerText(), /Support Berlin, version 1/)
  const workingTime = page.getByRole('region', { name: 'Working time' })
  await workingTime.getByText('3 spans of working time').waitFor()
  for (const text of [
    /^Counted in Europe\/Berlin, with version/,
    '1 holiday: 2026-01-06',
    '1 exception: 2026-01-07',
  ])
    await workingTime.getByText(text).waitFor()

  const submit = async (type: string, answer: string) => {
    await button(page, type).click()
    await button(page, 'Submit event').click()
    await page.getByText(answer).waitFor()
  }
  await submit('asked', 'Event recorded. It stopped the clock.')
  await state.getByText('The clock is stopped, with 8h of working time left.').waitFor()
  await state.getByText('Paused since').waitFor()
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByText('stopped the clock').waitFor()
  assert.equal(await state.getByText('Due').count(), 0)
  await page.goto(`/claims?clock=${test_clock_id}`)
  const paused = page.getByText(/^Paused since .+, 8h left$/)
  await paused.filter({ visible: true }).first().waitFor()
  await page.goto(`/?clock=${test_clock_id}`)
  await page.getByText('No claim has a due time.').waitFor()
  await page.goto(`/claims/${id}`)
  await submit('answered', 'Event recorded. It continued the clock.')
  await state.getByText('Due', { exact: true }).waitFor()
  await timeline.getByText('continued the clock').waitFor()
  assert.deepEqual(pageErrors, [])
})

test('the live trial shows when the clock stops and continues (§2.1a)', async () => {
  const { page, pageErrors } = await newPage()
  const { id } = await createAs(page, '/v1/calendars', calendarWith())
  const clock = { calendar: { id }, pause_on: { event: 'asked' }, resume_on: { event: 'answered' } }
  await openSchema(page, contractWith({ activity_window: 28_800, clock }))
  for (const [type, effect] of [
    ['asked', 'stopped the clock'],
    ['answered', 'continued the clock'],
  ] as const) {
    await button(page, type).click()
    const timeline = page.getByRole('list', { name: 'Simulated timeline' })
    await timeline.getByRole('listitem').filter({ hasText: type }).getByText(effect).waitFor()
  }
  await page.getByLabel('Final state').getByText('FAILED').waitFor()
  assert.deepEqual(pageErrors, [])
})
