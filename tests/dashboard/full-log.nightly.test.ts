import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventRefusal } from '../../dashboard/src/claims/event-refusal.ts'
import { contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { sendAs } from '../support/signed-in-page.ts'

const { newPage, service } = await dashboardTests()
const { page, pageErrors } = await newPage()

const EVENTS = 10_000
const BATCH = 1000
const customer = (await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })).body.id
const claim = (await sendAs(page, 'POST', '/v1/claims', { customer_id: customer, contract: contractWith() }))
  .body.id
const submitUpTo = async (last: number) => {
  for (let from = 0; from < last; from += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, last - from) }, (_, i) => ({
      claim_id: claim,
      id: `event-${from + i}`,
      type: 'scanned',
      place: `gate ${i}`,
    }))
    assert.equal((await sendAs(page, 'POST', '/v1/events/batch', { events })).status, 200)
  }
}
await submitUpTo(EVENTS - 1)

test('the page of a claim with a full log explains it in place of the form', async () => {
  await page.goto(`/claims/${claim}`)
  const card = page.getByRole('region', { name: 'Submit an event' })
  await card.getByLabel('Type').fill('scanned')
  await card.getByRole('button', { name: 'Submit event' }).click()
  await card.getByText('The log has 10,000 events, the maximum.').waitFor()
  assert.equal(await card.getByRole('button').count(), 0)
  assert.equal(await card.getByLabel('Type').count(), 0)
})

/** The most that one payload may have. */
const LARGEST_BYTES = 256 * 1024

test('a log with 64 MiB of payloads is full, counted as in the service', async () => {
  const odd = (await sendAs(page, 'POST', '/v1/claims', { customer_id: customer, contract: contractWith() }))
    .body
  for (const payload of [{}, { value: 1.5e300 }, { note: 'ü🙂"\u2028\n', list: [{ 7: null }, true] }])
    await sendAs(page, 'POST', '/v1/events', { claim_id: odd.id, type: 'seen', ...payload })
  const { events } = (await sendAs(page, 'GET', `/v1/claims/${odd.id}`)).body
  const [stored] = await service.sql('SELECT log_bytes FROM claims WHERE id = $1', [odd.id])
  const event = (id: string, bytes: number) => {
    const note = 'x'.repeat(bytes - JSON.stringify({ note: '' }).length)
    return { id, type: 'seen', created_at: '2026-01-01T00:00:00.000Z', system: false, note }
  }
  const large = Array.from({ length: 255 }, (_, n) => event(`large-${n}`, LARGEST_BYTES))
  // With those, room for the least payload is left, and then not.
  const left = LARGEST_BYTES - Number(stored?.log_bytes)
  const after = (last: number) => eventRefusal({ ...odd, events: [...events, ...large, event('last', last)] })
  assert.equal(after(left - 2), null)
  assert.match(after(left - 1) ?? '', /^The log has 64 MiB of payloads/)
})

/** Of a hundred events each, and what stands around them. A task that renders all of them at once takes 3 s. */
const PAGE_SIZE = 210

test('ten thousand events are rendered a hundred per task, so that the page stays responsive', async () => {
  await page.addInitScript(`window.mostAtOnce = 0
    new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node instanceof Element)
      const items = added.flatMap((node) => [...node.querySelectorAll('li'), ...(node.matches('li') ? [node] : [])])
      window.mostAtOnce = Math.max(window.mostAtOnce, items.length)
    }).observe(document, { childList: true, subtree: true })`)
  await page.goto(`/claims/${claim}`)
  // By selectors of the browser's own: roles and texts are looked for in all of ten thousand items, each time.
  const items = page.locator('[aria-label="Timeline"] ol > li')
  const eventOf = (n: number) => page.locator(`#event-event-${n}`)
  const last = page.locator('[aria-label="Timeline"] ol > li:last-child')
  await eventOf(9998).getByText('id event-9998').waitFor()
  await last.getByRole('button', { name: /^Show/ }).click()
  await eventOf(9100).getByText('id event-9100').waitFor()
  await last.getByRole('button', { name: /^Show/ }).click()
  await last.getByText('Opened', { exact: true }).waitFor()
  const { events } = (await sendAs(page, 'GET', `/v1/claims/${claim}`)).body
  assert.ok(events.length >= EVENTS - 1)
  assert.equal(await items.count(), events.length + 1)
  // What is read anew is compared with what is there.
  const again = page.waitForResponse((response) => response.url().endsWith(claim))
  await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
  await (await again).finished()
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
  const most = await page.evaluate<number>('window.mostAtOnce')
  assert.ok(most > 90 && most <= PAGE_SIZE, `${most} items came at once`)
  assert.deepEqual(pageErrors, [])
})
