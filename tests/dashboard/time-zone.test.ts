import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { startTestBrowser } from '../support/browser.ts'
import { contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { openSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

/* The account's time zone in a browser of another one (decision 0049). */

const service = await startTestService({ after })
const browser = await startTestBrowser()
const { page, complaints } = await openSignedInPage(service, browser, { timezoneId: 'America/Los_Angeles' })
const zone = async () => (await sendAs(page, 'GET', '/v1/me')).body.time_zone

test('the account’s time zone is chosen in the settings, which say what it does not change', async () => {
  await page.goto('/settings')
  const card = page.getByRole('region', { name: 'Time zone' })
  await card.getByText(/It changes no decision, .* no stored time/).waitFor()
  await card.getByText(/It is now .*\sUTC\./).waitFor()
  await card.getByText('This browser is in America/Los_Angeles.').waitFor()
  await card.getByRole('button', { name: 'Use that' }).click()
  await card.getByText(/It is now .*\sGMT-[78]\./).waitFor()
  assert.equal(await zone(), 'America/Los_Angeles')
  await card.getByLabel('Time zone of the account').selectOption('Asia/Kathmandu')
  await card.getByText(/It is now .*\sGMT\+5:45\./).waitFor()
  assert.equal(await zone(), 'Asia/Kathmandu')
})

test('times are shown in it, with the zone, and in UTC as their title', async () => {
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

test('a date that is picked is the account’s day, from its beginning to its end', async () => {
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
  await page.getByText('Days and times are those of Asia/Kathmandu.').waitFor()
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
})

test('the overview’s days are the account’s, and its links lead to what was resolved in them', async () => {
  await page.goto('/?days=7')
  await page.getByText('Of the last 7 days, in Asia/Kathmandu.').waitFor()
  const { body } = await sendAs(page, 'GET', '/v1/overview?days=7')
  assert.equal(body.time_zone, 'Asia/Kathmandu')
  const link = page.getByRole('link', { name: 'Claims Money failed' })
  const search = new URL((await link.getAttribute('href')) ?? '', service.url).searchParams
  const midnight = new Date(Date.parse(`${body.resolutions_by_day[0].day}T00:00Z`) - 345 * 60_000)
  assert.equal(search.get('resolved_from'), midnight.toISOString())
})

test('they lead there from a browser too that knows other rules of the time zone', async () => {
  const other = await page.context().newPage()
  // Kathmandu's clocks were a quarter of an hour behind until 1986.
  await other.addInitScript(() => {
    Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
      construct: (known, [locales, options]) =>
        new known(
          locales,
          options?.timeZone === 'Asia/Kathmandu' ? { ...options, timeZone: 'Asia/Kolkata' } : options,
        ),
    })
  })
  await other.goto('/?days=7')
  const link = other.getByRole('link', { name: 'Claims Money failed' })
  const search = new URL((await link.getAttribute('href')) ?? '', service.url).searchParams
  const { body } = await sendAs(page, 'GET', '/v1/overview?days=7')
  assert.equal(search.get('resolved_from'), body.resolutions_by_day[0].begins_at)
  await other.close()
})

test('of a clock at the beginning of all times they lead to everything: lists take no earlier time', async () => {
  const { body } = await sendAs(page, 'POST', '/v1/test_clocks', { frozen_time: '1970-01-02T00:00:00Z' })
  await page.goto(`/?clock=${body.id}`)
  await page.getByRole('link', { name: 'Claims Money failed' }).click()
  await page.getByText('No claims fit the filters').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('resolved_from'), null)
})

test('a token’s last day is the account’s', async () => {
  await page.goto('/tokens')
  await page.getByRole('button', { name: 'Create token' }).first().click()
  await page.getByLabel('Name').fill('until-june')
  await page.getByLabel('Last day').fill('2031-06-30')
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('cell', { name: '30 Jun 2031, 23:59:59 GMT+5:45' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('a time zone that this browser does not know is told of, and UTC is shown', async () => {
  const { id } = (await sendAs(page, 'GET', '/v1/me')).body
  await service.sql("UPDATE users SET time_zone = 'Moon/Tranquility' WHERE id = $1", [id])
  await page.goto('/settings')
  await page.getByText('This browser does not know it, and shows times in UTC.').waitFor()
  assert.equal(await page.getByLabel('Time zone of the account').inputValue(), 'Moon/Tranquility')
  await page.goto('/tokens')
  await page.getByRole('cell', { name: '30 Jun 2031, 18:14:59 UTC' }).waitFor()
})
