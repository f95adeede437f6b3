import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calendarWith } from '../support/calendars.ts'
import { any, contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import {
  COLOURS,
  findAccessibilityFaults,
  isTooWide,
  setTheme,
  settle,
} from '../support/find-accessibility-faults.ts'
import { menuOf } from '../support/schema-form.ts'
import { createAs, createCustomer } from '../support/signed-in-page.ts'

const { newPage, openPage } = await dashboardTests()

const CONTRACT = contractWith({
  review_window: 3_600,
  fulfillment_condition: { event: 'done', aggregate: 'count', gte: 2 },
  review: {
    reversal_condition: any(
      { event: 'complaint' },
      { event: 'outage', field: 'minutes', aggregate: 'sum', gt: 43 },
    ),
    restart_on: { op: 'OR', conditions: [{ event: 'message' }, { event: 'comment' }] },
    max_duration: 7_200,
  },
  strict_deadline: true,
})

test('the largest pages have no serious accessibility fault and are not wider than the screen, on a phone and in the dark theme', async () => {
  const { page, pageErrors } = await newPage()
  const customer_id = await createCustomer(page, 'acme')
  const calendar = { id: (await createAs(page, '/v1/calendars', calendarWith())).id }
  const contract = {
    ...CONTRACT,
    clock: { calendar, pause_on: { event: 'asked' }, resume_on: { event: 'answered' } },
  }
  const schema_id = (await createAs(page, '/v1/schemas', { contract, name: 'Delivery' })).id
  const metadata = { order: 'A-1' }
  const claim = (await createAs(page, '/v1/claims', { customer_id, schema_id, metadata })).id
  for (const [id, type] of ['done', 'done', 'message', 'outage'].entries())
    await createAs(page, `/v1/claims/${claim}/events`, { id: `${id}`, type, minutes: 20 })
  const width = (pixels: number) => page.setViewportSize({ width: pixels, height: 800 })
  for (const path of [`/claims/${claim}`, `/schemas/${schema_id}`]) {
    await width(360)
    await page.goto(path)
    await settle(page)
    assert.deepEqual(await findAccessibilityFaults(page), [], path)
    assert.equal(await isTooWide(page), false, `${path} is too wide`)
    await width(1440)
    await setTheme(page, 'dark')
    assert.deepEqual(await findAccessibilityFaults(page, COLOURS), [], `${path}, dark`)
    await setTheme(page, 'light')
  }
  await menuOf(page, 'event complaint')
  assert.deepEqual(await findAccessibilityFaults(page), [], 'the menu of a node')
  await width(360)
  assert.equal(await isTooWide(page), false, 'the menu of a node is too wide')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'API tokens' }).click()
  await page.getByRole('heading', { name: 'API tokens', level: 1 }).waitFor()
  assert.deepEqual(pageErrors, [])
})

test('keyboard shortcuts open pages, focus the search and list the shortcuts', async () => {
  const { page } = await openPage()
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await page.getByRole('heading', { name: 'Claims', level: 1 }).waitFor()
  await page.keyboard.press('/')
  await page.locator('[type=search]:focus').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Claims', level: 1 }).click()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
})
