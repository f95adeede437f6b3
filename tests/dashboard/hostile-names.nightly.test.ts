import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { settle } from '../support/find-accessibility-faults.ts'
import { createAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()
const { page, pageErrors } = await newPage()

const MARK = 'مكتبة'
/** Without a place to break, in letters that are written from right to left, and with one that turns the line around. */
const NAME = `${MARK}\u202e${'W'.repeat(120)}`
const METADATA = { [`${MARK}\u202e${'W'.repeat(30)}`]: NAME, 'two\nlines': `${NAME}\n${NAME}` }
const BY_METADATA = new URLSearchParams(
  Object.entries(METADATA).map(([key, value]) => [`metadata[${key}]`, value]),
)

const customer = await createAs(page, '/v1/customers', { external_id: NAME, name: NAME, metadata: METADATA })
const clock = await createAs(page, '/v1/test_clocks', { name: NAME, frozen_time: '2026-01-01T00:00:00Z' })
// What is hidden is escaped in a contract's words, so that its events have none.
const type = `${MARK}${'w'.repeat(120)}`
const contract = contractWith({
  fulfillment_condition: {
    op: 'AND',
    conditions: [{ event: type }, { event: 'later', match: { by: NAME } }],
  },
})
const schema = await createAs(page, '/v1/schemas', { contract })
const claim = await createAs(page, '/v1/claims', {
  customer_id: customer.id,
  schema_id: schema.id,
  metadata: METADATA,
})
await createAs(page, '/v1/claims', { customer_id: customer.id, contract, test_clock_id: clock.id })
const alias = `${NAME}${process.pid}`
await createAs(page, '/v1/candidates', { candidate_alias: alias, customer_uuid: NAME, contract })
for (const path of [`/v1/claims/${claim.id}`, `/v1/candidates/${encodeURIComponent(alias)}`])
  await createAs(page, `${path}/events`, { id: NAME, type, value: NAME })
const endpoint = await createAs(page, '/v1/webhook_endpoints', {
  url: 'http://127.0.0.1:1024/',
  description: NAME,
})
await createAs(page, '/v1/tokens', { name: NAME })

const PATHS = [
  '/',
  `/?clock=${clock.id}`,
  '/activity',
  '/claims',
  `/claims?${BY_METADATA}`,
  `/claims/${claim.id}`,
  '/candidates',
  `/candidates/${encodeURIComponent(alias)}`,
  '/schemas',
  '/schemas/new',
  `/schemas/${schema.id}`,
  '/customers',
  `/customers?${BY_METADATA}`,
  `/customers/${customer.id}`,
  '/test-clocks',
  `/test-clocks/${clock.id}`,
  '/webhooks',
  `/webhooks/${endpoint.id}`,
  '/tokens',
  '/settings',
]

/** A function of the page, as the source that it runs. */
const TEXTS = `(filter) => {
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  const texts = []
  while (walker.nextNode()) {
    const text = walker.currentNode
    if (text.data.trim() && text.parentElement.checkVisibility() && !text.parentElement.closest('.sr-only, svg') && filter(text)) texts.push(text.parentElement.outerHTML.slice(0, 300))
  }
  return texts
}`

/** Texts that reach out of what they are in. Within what scrolls, or ends in an ellipsis, they may. */
const outgrown = (shown: Page) =>
  shown.evaluate<string[]>(`(${TEXTS})((text) => {
    const range = document.createRange()
    range.selectNodeContents(text)
    const { left, right } = range.getBoundingClientRect()
    if (right - left <= 2) return false
    for (let box = text.parentElement; box; box = box.parentElement) {
      const style = getComputedStyle(box)
      if (style.overflowX === 'auto' || style.overflowX === 'scroll' || style.textOverflow === 'ellipsis') return false
      if (style.display === 'inline' || style.display === 'contents') continue
      const bounds = box.getBoundingClientRect()
      if (left < bounds.left - 1 || right > bounds.right + 1) return true
    }
    return false
  })`)

/** Texts of users that can turn around what stands beside them. */
const notIsolated = (shown: Page) =>
  shown.evaluate<string[]>(`(${TEXTS})((text) => text.data.includes('${MARK}')
    && !text.parentElement.closest('bdi, pre, option, textarea'))
    .concat([...document.querySelectorAll('main select option')].map(({ text }) => text)
      .filter((text) => text.includes('${MARK}') && !/\\u2068[^\\u2069]*${MARK}[^\\u2068]*\\u2069/.test(text)))`)

/** Buttons, and links that look like them, of which not all is to be seen. */
const clipped = (shown: Page) =>
  shown.evaluate<string[]>(`[...document.querySelectorAll('button, a')].filter((control) => {
    if (!control.checkVisibility() || getComputedStyle(control).display === 'inline') return false
    const { left, right, width } = control.getBoundingClientRect()
    if (width <= 1) return false
    for (let box = control.parentElement; box; box = box.parentElement) {
      if (box.tagName === 'HTML') return left < -1 || right > innerWidth + 1
      const bounds = box.getBoundingClientRect()
      if (getComputedStyle(box).overflowX !== 'visible' && (left < bounds.left - 1 || right > bounds.right + 1)) return true
    }
  }).map((control) => control.outerHTML.slice(0, 300))`)

/** Fields that reach into the padding of what they are in. */
const overhanging = (shown: Page) =>
  shown.evaluate<
    string[]
  >(`[...document.querySelectorAll('main :is(input, select, textarea)')].filter((field) => {
    if (!field.checkVisibility() || field.closest('.sr-only')) return false
    const { right } = field.getBoundingClientRect()
    for (let box = field.parentElement; box && box.tagName !== 'MAIN'; box = box.parentElement) {
      const style = getComputedStyle(box)
      if (style.overflowX !== 'visible') return false
      if (style.display === 'contents') continue
      if (right > box.getBoundingClientRect().right - parseFloat(style.paddingRight) + 1) return true
    }
    return false
  }).map((field) => field.outerHTML.slice(0, 300))`)

test('on every page, at 1280 and 320 pixels, long words wrap, names are isolated, and no button or field is cut off', async () => {
  const faults: Record<string, string[]> = {}
  for (const path of PATHS) {
    await page.goto(path)
    await settle(page)
    await page.locator('.animate-pulse').first().waitFor({ state: 'detached' })
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 })
      const looks = [outgrown, notIsolated, clipped, overhanging]
      const found = (await Promise.all(looks.map((look) => look(page)))).flat()
      if (found.length > 0) faults[`${path} at ${width}`] = found
    }
  }
  assert.deepEqual(faults, {})
  assert.deepEqual(pageErrors, [])
})

test('dialogs with long names are not wider than the screen', async () => {
  await page.setViewportSize({ width: 320, height: 800 })
  for (const [path, opener] of [
    ['/tokens', /^Revoke/],
    [`/customers/${customer.id}`, 'Rename'],
    [`/claims/${claim.id}`, 'Edit metadata'],
    ['/claims', 'Create claim'],
    [`/webhooks/${endpoint.id}`, 'Edit'],
  ] as const) {
    await page.goto(path)
    await page.getByRole('button', { name: opener }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    assert.deepEqual(await clipped(page), [], path)
    const excess = await page.evaluate<number>(
      '[document.querySelector("dialog")].map((dialog) => dialog.scrollWidth - dialog.clientWidth)[0]',
    )
    assert.equal(excess, 0, path)
    await page.keyboard.press('Escape')
  }
})
