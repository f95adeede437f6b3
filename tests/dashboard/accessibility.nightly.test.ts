import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type DemoData, makeDemoData, type Send } from '../../scripts/screenshots/demo-data.ts'
import { type DemoEndpoints, makeDemoEndpoints } from '../../scripts/screenshots/demo-endpoints.ts'
import { invitationUrl } from '../../src/accounts/invitations/invitations.ts'
import { openPage as openVisitor } from '../support/browser.ts'
import { all, contractWith, not } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import {
  COLOURS,
  findAccessibilityFaults,
  isTooWide,
  setTheme,
  settle,
} from '../support/find-accessibility-faults.ts'
import { sendAs } from '../support/signed-in-page.ts'
import { createInvitation } from '../support/source/accounts.ts'

const { browser, newPage, service } = await dashboardTests()
const { page, pageErrors } = await newPage()
const send: Send = (method, path, body) => sendAs(page, method, path, body).then((answer) => answer.body)
// Few weeks, and a few deliveries: what axe takes grows with them. There are two pages of claims all the same.
const records = await makeDemoData(send, 14)
const endpoints = await makeDemoEndpoints({ after }, send)
for (const id of Object.values(endpoints))
  for (let i = 0; i < 5; i++) await send('POST', `/v1/webhook_endpoints/${id}/test`)
const data = { ...records, ...endpoints }

const pathsOf = (demo: DemoData & DemoEndpoints): string[] => [
  '/',
  `/?clock=${demo.clock}&days=90`,
  '/activity',
  '/activity?type=candidate.failed',
  '/claims',
  '/claims?status=FAILED&search=00000000',
  `/claims/${demo.openClaim}`,
  `/claims/${demo.pendingClaim}`,
  '/candidates',
  `/candidates/${demo.candidate}`,
  '/schemas',
  '/schemas/new',
  `/schemas/${demo.schema}`,
  '/customers',
  `/customers/${demo.customer}`,
  '/test-clocks',
  `/test-clocks/${demo.clock}`,
  '/webhooks',
  `/webhooks/${demo.endpoint}`,
  `/webhooks/${demo.failingEndpoint}`,
  '/tokens',
  '/settings',
  '/no-such-page',
]

/** The theme changes colours, and nothing else, and they are the same on a phone. */
const LOOKS = [
  { width: 360, theme: 'light', rules: undefined },
  { width: 1440, theme: 'dark', rules: COLOURS },
  { width: 1440, theme: 'light', rules: undefined },
] as const

/** Buttons that open dialogs. */
const dialogsOf = (path: string): string[] =>
  ({
    '/claims': ['Create claim'],
    '/tokens': ['Create token'],
    '/settings': ['Invite'],
    '/customers': ['Create customer'],
    [`/customers/${data.customer}`]: ['Rename'],
    '/test-clocks': ['Create test clock'],
    [`/test-clocks/${data.clock}`]: ['Delete'],
    [`/schemas/${data.schema}`]: ['Delete'],
    '/webhooks': ['Create endpoint'],
    [`/webhooks/${data.failingEndpoint}`]: ['Edit'],
    [`/webhooks/${data.endpoint}`]: ['Rotate secret', 'Send a period again', 'Delete'],
  })[path] ?? []

test('no page or dialog has a serious accessibility fault or is wider than the screen, on a desktop in both themes and on a phone', async () => {
  const opened = new Set<string>()
  for (const path of pathsOf(data)) {
    await page.goto(path)
    for (const { width, theme, rules } of LOOKS) {
      await page.setViewportSize({ width, height: 800 })
      await setTheme(page, theme)
      await settle(page)
      assert.deepEqual(await findAccessibilityFaults(page, rules), [], `${path} at ${width} pixels, ${theme}`)
      assert.equal(await isTooWide(page), false, `${path} at ${width} pixels is too wide`)
    }
    for (const button of dialogsOf(path)) {
      await page.getByRole('button', { name: button }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      assert.deepEqual(await findAccessibilityFaults(dialog), [], `${button} of ${path}`)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      opened.add(`${button} of ${path}`)
    }
  }
  assert.equal(opened.size, 13)
  assert.deepEqual(pageErrors, [])
})

test('the pages before sign-in have no serious accessibility fault in either theme', async () => {
  const visitor = await openVisitor(browser, service.url, { colorScheme: 'light' })
  const { key } = await createInvitation(service.app.db, { email: null, invitedBy: null })
  for (const path of ['/sign-in', invitationUrl(service.url, key), '/welcome#key=unknown']) {
    await visitor.page.goto(path)
    await settle(visitor.page)
    await setTheme(visitor.page, 'light')
    assert.deepEqual(await findAccessibilityFaults(visitor.page), [], path)
    await setTheme(visitor.page, 'dark')
    assert.deepEqual(await findAccessibilityFaults(visitor.page, COLOURS), [], `${path}, dark`)
  }
})

test('the navigation on a phone has no serious accessibility fault', async () => {
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/tokens')
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Claims' }).waitFor()
  assert.deepEqual(await findAccessibilityFaults(page), [], 'the navigation')
  await setTheme(page, 'dark')
  assert.deepEqual(await findAccessibilityFaults(page, COLOURS), [], 'the navigation, dark')
  await setTheme(page, 'light')
})

test('the schema editor with a menu, a trial, field errors or invalid JSON has no serious accessibility fault', async () => {
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`/schemas/${data.schema}`)
    await settle(page)
    await page.getByRole('button', { name: 'delivered', exact: true }).click()
    await page.getByRole('list', { name: 'Simulated timeline' }).getByText('accepted').waitFor()
    await page.getByLabel('Event type').first().fill('')
    await page.getByRole('button', { name: 'Edit event', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Move down' }).waitFor()
    assert.deepEqual(await findAccessibilityFaults(page), [], `${width} pixels`)
    await page.getByLabel('Contract as JSON').fill('{')
    await page.getByText('Not valid JSON').waitFor()
    assert.deepEqual(await findAccessibilityFaults(page), [], `broken JSON, ${width} pixels`)
  }
})

test('an open delivery has no serious accessibility fault, and a long response does not widen the page', async () => {
  for (const [width, theme] of [
    [1440, 'dark'],
    [320, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme: theme })
    // What comes after the second, newest first, is the first: that one has been sent.
    await page.goto(`/webhooks/${data.failingEndpoint}?after=${data.failingEndpoint}.2`)
    await page.getByText('#1', { exact: true }).click()
    await page.getByText('The answer is 502.').first().waitFor()
    assert.deepEqual(await findAccessibilityFaults(page), [], `${width} pixels`)
    assert.equal(await isTooWide(page), false, `${width} pixels is too wide`)
  }
})

test('hints, history, list menus, filters and metadata have no serious accessibility fault', async () => {
  await page.setViewportSize({ width: 1440, height: 800 })
  const faultsOf = async (what: string) => assert.deepEqual(await findAccessibilityFaults(page), [], what)
  const fulfillment_condition = all({ event: 'delivered' }, not({ event: 'delivered' }))
  const contract = contractWith({ activity_window: 24, fulfillment_condition })
  const schema = (await send('POST', '/v1/schemas', { contract })).id
  await send('PATCH', `/v1/schemas/${schema}`, { contract: { ...contract, price: 11 } })
  await page.goto(`/schemas/${schema}`)
  await page.getByRole('region', { name: 'Hints' }).getByText('No events satisfy this').waitFor()
  await page.getByRole('listitem', { name: 'Version 2' }).waitFor()
  await faultsOf('hints and history')
  await page.getByLabel('Event type').first().fill('deliverd')
  await page
    .getByRole('region', { name: 'Hints' })
    .getByText(/Perhaps "delivered" is meant/)
    .waitFor()
  await faultsOf('a hint to a type that no event has had')

  await page.goto('/claims?metadata[order]=A-1&metadata[region]=emea')
  await settle(page)
  await page.getByRole('group', { name: 'Metadata' }).waitFor()
  await faultsOf('filters by metadata')
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Price' }).waitFor()
  await faultsOf('columns')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Saved filters/ }).click()
  await page.getByRole('button', { name: 'Save these filters' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Of one order')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: /^Saved filters/ }).click()
  await page.getByRole('list', { name: 'Saved filters' }).getByRole('link').waitFor()
  await faultsOf('saved filters')

  const claim = `/claims/${data.openClaim}`
  await send('PATCH', `/v1${claim}`, { metadata: { order: 'A-1', region: 'emea' } })
  await page.goto(claim)
  await page.getByRole('button', { name: 'Edit metadata' }).click()
  const form = page.getByRole('dialog', { name: 'Edit metadata' })
  await form.getByLabel('Value 1', { exact: true }).fill('mine')
  await faultsOf('the form of metadata')
  await send('PATCH', `/v1${claim}`, { metadata: { order: 'theirs' } })
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog', { name: 'The metadata has changed' }).waitFor()
  await faultsOf('a conflict of metadata')
})
