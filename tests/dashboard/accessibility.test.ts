import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type DemoData, makeDemoData, type Send } from '../../scripts/screenshots/demo-data.ts'
import { type DemoEndpoints, makeDemoEndpoints } from '../../scripts/screenshots/demo-endpoints.ts'
import { invitationUrl } from '../../src/app/invitations/invitation-key.ts'
import { createInvitation } from '../../src/app/invitations/invitations.ts'
import { openPage, startBrowser } from '../support/browser.ts'
import { COLOURS, findAccessibilityFaults } from '../support/find-accessibility-faults.ts'
import { openSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { startWebhookService } from '../support/webhook-service.ts'

const service = await startWebhookService({ after })
const browser = await startBrowser({ after })
const { page, complaints } = await openSignedInPage(service, browser)
const send: Send = (method, path, body) => sendAs(page, method, path, body).then((answer) => answer.body)
const records = await makeDemoData(send)
const endpoints = await makeDemoEndpoints({ after }, send)
// A few deliveries: what axe takes grows with them.
for (const id of Object.values(endpoints))
  for (let i = 0; i < 5; i++) await send('POST', `/v1/webhook_endpoints/${id}/test`)
const data = { ...records, ...endpoints }
// Events that came late were refused, which the console tells.
complaints.length = 0

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

/** The page as it is once nothing is being loaded. */
async function settle(shown: Page): Promise<void> {
  await shown.getByRole('heading', { level: 1 }).first().waitFor()
  await shown.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
}

const THEMES = ['light', 'dark'] as const
/** The theme changes colours, and nothing else, and they are the same on a phone. */
const LOOKS = [
  { width: 1440, theme: 'dark', rules: COLOURS },
  { width: 1440, theme: 'light', rules: undefined },
  { width: 360, theme: 'light', rules: undefined },
] as const

test('axe finds nothing serious on any page, wide in both themes and on a phone; nothing is wider than the screen', async () => {
  for (const path of pathsOf(data)) {
    await page.goto(path)
    for (const { width, theme, rules } of LOOKS) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme: theme })
      await page.locator(`html[data-theme=${theme}]`).waitFor()
      await settle(page)
      assert.deepEqual(await findAccessibilityFaults(page, rules), [], `${path} at ${width} pixels, ${theme}`)
      const excess = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      assert.ok((await page.evaluate<number>(excess)) <= 0, `${path} at ${width} pixels is too wide`)
    }
  }
  assert.deepEqual(complaints, [])
})

for (const theme of THEMES) {
  test(`axe finds nothing serious on the pages before signing in, ${theme}`, async () => {
    const visitor = await openPage(browser, service.url, { colorScheme: theme })
    const { key } = await createInvitation(service.app, { email: null, invitedBy: null })
    for (const path of ['/sign-in', invitationUrl(service.url, key), '/welcome#key=unknown']) {
      await visitor.page.goto(path)
      await settle(visitor.page)
      assert.deepEqual(await findAccessibilityFaults(visitor.page), [], path)
    }
  })
}

test('dialogs, menus and the phone’s navigation have no serious fault either', async () => {
  await page.setViewportSize({ width: 1440, height: 800 })
  for (const [path, button] of [
    ['/claims', 'Create claim'],
    ['/tokens', 'Create token'],
    ['/settings', 'Invite'],
    ['/customers', 'Create customer'],
    [`/customers/${data.customer}`, 'Rename'],
    ['/test-clocks', 'Create test clock'],
    [`/test-clocks/${data.clock}`, 'Delete'],
    [`/schemas/${data.schema}`, 'Delete'],
    ['/webhooks', 'Create endpoint'],
    [`/webhooks/${data.failingEndpoint}`, 'Edit'],
    [`/webhooks/${data.endpoint}`, 'Rotate secret'],
    [`/webhooks/${data.endpoint}`, 'Send a range again'],
    [`/webhooks/${data.endpoint}`, 'Delete'],
  ] as const) {
    await page.goto(path)
    await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').waitFor()
    assert.deepEqual(await findAccessibilityFaults(page), [], `${button} of ${path}`)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Claims' }).waitFor()
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme })
    await page.locator(`html[data-theme=${theme}]`).waitFor()
    assert.deepEqual(await findAccessibilityFaults(page), [], `the navigation, ${theme}`)
  }
})

test('the schema editor has no serious fault either: with a menu, a trial, faults at fields, JSON that is none', async () => {
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`/schemas/${data.schema}`)
    await settle(page)
    await page.getByRole('button', { name: 'delivered', exact: true }).click()
    await page.getByRole('list', { name: 'Simulated timeline' }).getByText('accepted').waitFor()
    await page.getByLabel('Event type').first().fill('')
    await page.getByRole('button', { name: 'Move event', exact: true }).click()
    await page.getByRole('button', { name: 'Move down' }).waitFor()
    assert.deepEqual(await findAccessibilityFaults(page), [], `${width} pixels`)
    await page.getByLabel('Contract as JSON').fill('{')
    await page.getByText('Not valid JSON').waitFor()
    assert.deepEqual(await findAccessibilityFaults(page), [], `broken JSON, ${width} pixels`)
  }
})

test('a delivery that is opened has no serious fault either, and what a receiver answered widens nothing', async () => {
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
    const excess = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    assert.ok((await page.evaluate<number>(excess)) <= 0, `${width} pixels is too wide`)
  }
})

test('the keyboard goes to places, to the search, and shows its ways', async () => {
  await page.setViewportSize({ width: 1440, height: 800 })
  await page.goto('/')
  await settle(page)
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await page.getByRole('heading', { name: 'Claims', level: 1 }).waitFor()
  await page.keyboard.press('/')
  assert.equal(await page.evaluate('document.activeElement.type'), 'search')
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Claims', level: 1 }).click()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
})
