import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { newSignedInPage, sendAs } from '../support/signed-in-page.ts'

/* The account's time zone in a browser of another one (decision 0049). */

const { browser, service } = await dashboardTests()
const { page, pageErrors } = await newSignedInPage(service, browser, { timezoneId: 'America/Los_Angeles' })
const zone = async () => (await sendAs(page, 'GET', '/v1/me')).body.time_zone
const setTimeZone = () => sendAs(page, 'PATCH', '/v1/me', { time_zone: 'Asia/Kathmandu' })

test('the settings change the account’s time zone and say what does not change', async () => {
  await sendAs(page, 'PATCH', '/v1/me', { time_zone: 'UTC' })
  await page.goto('/settings')
  const card = page.getByRole('region', { name: 'Time zone' })
  await card.getByText(/Decisions, prices and stored times do not change/).waitFor()
  await card.getByText(/It is now .*\sUTC\./).waitFor()
  await card.getByText('The time zone of this browser is America/Los_Angeles.').waitFor()
  await card.getByRole('button', { name: 'Use it' }).click()
  await card.getByText(/It is now .*\sGMT-[78]\./).waitFor()
  assert.equal(await zone(), 'America/Los_Angeles')
  await card.getByLabel('Time zone of the account').selectOption('Asia/Kathmandu')
  await card.getByText(/It is now .*\sGMT\+5:45\./).waitFor()
  assert.equal(await zone(), 'Asia/Kathmandu')
})

test('times are shown in the account’s time zone, with UTC as their title', async () => {
  await setTimeZone()
  const { body } = await sendAs(page, 'POST', '/v1/test_clocks', { frozen_time: '2026-01-30T18:15:00Z' })
  await page.goto(`/test-clocks/${body.id}`)
  const shown = page.getByText('31 Jan 2026, 00:00:00 GMT+5:45', { exact: true })
  assert.equal(await shown.getAttribute('title'), '2026-01-30T18:15:00.000Z')
  await page.getByLabel('To a chosen time').fill('2026-01-31T13:00')
  await page.getByRole('button', { name: 'Advance', exact: true }).click()
  await page.getByText('to 31 Jan 2026, 13:00:00 GMT+5:45.').waitFor()
  assert.equal(
    (await sendAs(page, 'GET', `/v1/test_clocks/${body.id}`)).body.frozen_time,
    '2026-01-31T07:15:00.000Z',
  )
})

test('a date filter means the whole day in the account’s time zone', async () => {
  await setTimeZone()
  const { body: customer } = await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })
  const times = ['30T18:14:59.999Z', '30T18:15:00.000Z', '31T18:14:59.999Z', '31T18:15:00.000Z']
  for (const time of times) {
    const reference = `at ${time}`
    const claim = { customer_id: customer.id, reference, contract: contractWith() }
    const { body } = await sendAs(page, 'POST', '/v1/claims', claim)
    await service.sql('UPDATE claims SET created_at = $2 WHERE id = $1', [body.id, `2026-01-${time}`])
  }
  // While another list is on its way, none is shown.
  const showsOnly = (...wanted: string[]) =>
    eventually(async () => {
      const names = await page.getByRole('link', { name: /^at / }).allInnerTexts()
      return isDeepStrictEqual(names, wanted)
    })
  await page.goto('/claims')
  await page.getByRole('button', { name: /^More/ }).click()
  await page.getByText('Days and times are in Asia/Kathmandu.').waitFor()
  await page.getByLabel('Created from', { exact: true }).fill('2026-01-31')
  await page.getByLabel('Created to', { exact: true }).fill('2026-01-31')
  const searched = (name: string) => new URL(page.url()).searchParams.get(name)
  await page.waitForURL(/created_from=.*created_before=/)
  assert.equal(searched('created_from'), '2026-01-30T18:15:00.000Z')
  assert.equal(searched('created_before'), '2026-01-31T18:15:00.000Z')
  await showsOnly(`at ${times[2]}`, `at ${times[1]}`)

  await page.reload()
  await page.getByRole('link', { name: `at ${times[2]}` }).waitFor()
  for (const edge of ['from', 'to']) {
    assert.equal(await page.getByLabel(`Created ${edge}`, { exact: true }).inputValue(), '2026-01-31')
    assert.equal(await page.getByLabel(`Time of the day for Created ${edge}`).inputValue(), '')
  }
  await page.getByLabel('Time of the day for Created from').fill('13:00')
  await page.waitForURL(/created_from=2026-01-31T07%3A15/)
  await showsOnly(`at ${times[2]}`)
  assert.deepEqual(pageErrors, [])
})
