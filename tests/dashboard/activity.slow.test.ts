import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CONTRACT,
  createCandidates,
  liveness,
  rows,
  shownEntries,
  watchStreams,
} from '../support/activity-page.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { createCustomer, sendAs } from '../support/signed-in-page.ts'

const { newPage, openPage } = await dashboardTests()

test('the activity page shows new entries first, each with a link to its record', async () => {
  const { page, pageErrors } = await openPage()
  const schema = (await sendAs(page, 'POST', '/v1/schemas', { contract: CONTRACT, name: 'Delivery' })).body
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByText('Nothing has happened yet').waitFor()
  await liveness(page, 'Live')

  const customer = await createCustomer(page, 'acme')
  await createCandidates(page, 'live-0001')
  await page.getByRole('link', { name: 'live-0001' }).waitFor()
  const frozen = { name: 'January', frozen_time: '2026-01-01T00:00:00.000Z' }
  const clock = (await sendAs(page, 'POST', '/v1/test_clocks', frozen)).body.id
  const claim = { customer_id: customer, contract: CONTRACT, test_clock_id: clock }
  const { id } = (await sendAs(page, 'POST', '/v1/claims', claim)).body
  await sendAs(page, 'POST', `/v1/claims/${id}/events`, { type: 'done' })
  await sendAs(page, 'POST', `/v1/test_clocks/${clock}/advance`, { frozen_time: '2026-01-01T00:01:00.000Z' })
  const named = { customer_id: customer, schema_id: schema.id, reference: 'order-4711' }
  await sendAs(page, 'POST', '/v1/claims', named)

  await eventually(async () => (await rows(page).count()) === 6)
  await rows(page).first().getByText('Delivery').waitFor()
  const name = `${id.slice(0, 8)}…${id.slice(-6)}`
  assert.deepEqual(await shownEntries(page), [
    'Claim created order-4711',
    'Test clock advanced to 1 Jan 2026, 00:01:00 UTC January',
    `Claim confirmed ${name}`,
    `Claim became pending to be CONFIRMED ${name}`,
    `Claim created ${name}`,
    'Candidate created live-0001',
  ])
  const confirmed = rows(page).nth(2)
  assert.match(await confirmed.innerText(), /12\.50/)
  assert.equal(await confirmed.getByLabel('on a test clock').count(), 1)
  assert.doesNotMatch(await rows(page).nth(4).innerText(), /12\.50/)
  await confirmed.getByRole('link').click()
  await page.waitForURL(`**/claims/${id}`)
  assert.deepEqual(pageErrors, [])
})

test('earlier entries are shown, older ones on demand, and filters are in the URL', async () => {
  const { page, pageErrors } = await newPage()
  const acme = await createCustomer(page, 'acme')
  const globex = await createCustomer(page, 'globex')
  const aliases = Array.from({ length: 60 }, (_, n) => `list-${1000 + n}`)
  await createCandidates(page, ...aliases)
  const claim = { customer_id: globex, contract: CONTRACT }
  const { id } = (await sendAs(page, 'POST', '/v1/claims', claim)).body
  await sendAs(page, 'POST', `/v1/claims/${id}/events`, { type: 'done' })

  await page.goto('/activity')
  await eventually(async () => (await rows(page).count()) === 50)
  await liveness(page, 'Live')
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })
  const all = await shownEntries(page)
  assert.equal(all.length, 62)
  assert.deepEqual(all.slice(2), aliases.map((alias) => `Candidate created ${alias}`).toReversed())

  await page.getByLabel('What happened').selectOption('Claim became pending')
  await page.waitForURL('**/activity?type=claim.pending')
  await eventually(async () => (await rows(page).count()) === 1)
  await page.getByLabel('Customer').fill('acme')
  await page.waitForURL(`**/activity?type=claim.pending&customer=${acme}`)
  await page.getByText('Nothing matches the filters').waitFor()
  assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Customer')
  await liveness(page, 'Live')
  const another = { customer_id: acme, contract: CONTRACT }
  const other = (await sendAs(page, 'POST', '/v1/claims', another)).body.id
  await sendAs(page, 'POST', `/v1/claims/${other}/events`, { type: 'done' })
  await page.getByRole('link', { name: other.slice(-6) }).waitFor()
  assert.equal(await rows(page).count(), 1)
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.waitForURL('**/activity')
  await eventually(async () => (await rows(page).count()) === 50)
  assert.deepEqual(pageErrors, [])
})

test('a paused, hidden or left page has no stream and later shows the missed entries', async () => {
  const { page } = await newPage()
  const streams = watchStreams(page)
  await createCustomer(page, 'acme')
  await page.goto('/activity')
  await liveness(page, 'Live')
  await eventually(async () => streams.open() === 1)
  await page.getByRole('button', { name: 'Pause' }).click()
  await liveness(page, 'Paused')
  await eventually(async () => streams.open() === 0)
  await createCandidates(page, 'held-0001', 'held-0002')
  assert.equal(await rows(page).count(), 0)
  await page.getByRole('button', { name: 'Resume' }).click()
  await eventually(async () => (await rows(page).count()) === 2)
  await eventually(async () => streams.open() === 1)

  const setVisibility = (state: string) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      && document.dispatchEvent(new Event('visibilitychange'))`)
  await setVisibility('hidden')
  await eventually(async () => streams.open() === 0)
  await createCandidates(page, 'held-0003')
  await setVisibility('visible')
  await page.getByRole('link', { name: 'held-0003' }).waitFor()
  await eventually(async () => streams.open() === 1)

  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor()
  await eventually(async () => streams.open() === 0)
  assert.equal(streams.mostAtOnce(), 1)
})

test('recorded events are shown after event notifications are turned on', async () => {
  const { page, pageErrors } = await openPage()
  await createCustomer(page, 'acme')
  await createCandidates(page, 'eventful-1')
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByLabel('What happened').selectOption('Candidate event recorded')
  await page.getByText('Nothing matches the filters').waitFor()
  await page.getByRole('button', { name: 'Turn event notifications on' }).click()
  await page.getByText('Every recorded event creates a notification.').waitFor()
  await sendAs(page, 'POST', '/v1/candidates/eventful-1/events', { type: 'parcel_scanned' })
  await eventually(async () => (await rows(page).count()) === 1)
  assert.deepEqual(await shownEntries(page), ['Candidate event recorded parcel_scanned eventful-1'])

  await page.getByRole('button', { name: 'Turn event notifications off' }).click()
  await page.getByText('Recorded events create notifications only if').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await eventually(async () => (await shownEntries(page)).join() === 'Candidate created eventful-1')
  assert.deepEqual(pageErrors, [])
})
