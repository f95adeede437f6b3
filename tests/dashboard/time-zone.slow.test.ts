import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardTests } from '../support/dashboard.ts'
import { newSignedInPage, sendAs } from '../support/signed-in-page.ts'

/* The account's time zone in a browser of another one (decision 0049). */

const { browser, service } = await dashboardTests()

async function openInKathmandu() {
  const { page, pageErrors } = await newSignedInPage(service, browser, {
    timezoneId: 'America/Los_Angeles',
  })
  await sendAs(page, 'PATCH', '/v1/me', { time_zone: 'Asia/Kathmandu' })
  return { page, pageErrors }
}

test('the overview and its links use days in the account’s time zone', async () => {
  const { page } = await openInKathmandu()
  await page.goto('/?days=7')
  await page.getByText('The last 7 days, in Asia/Kathmandu.').waitFor()
  const { body } = await sendAs(page, 'GET', '/v1/overview?days=7')
  assert.equal(body.time_zone, 'Asia/Kathmandu')
  const link = page.getByRole('link', { name: 'Claims Money failed' })
  const search = new URL((await link.getAttribute('href')) ?? '', service.url).searchParams
  const midnight = new Date(Date.parse(`${body.resolutions_by_day[0].day}T00:00Z`) - 345 * 60_000)
  assert.equal(search.get('resolved_from'), midnight.toISOString())
})

test('links of the overview use the service’s days even if the browser has other time zone rules', async () => {
  const { page } = await openInKathmandu()
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

test('links of the overview of a clock at 1970 have no start time, because lists accept no earlier time', async () => {
  const { page } = await openInKathmandu()
  const { body } = await sendAs(page, 'POST', '/v1/test_clocks', { frozen_time: '1970-01-02T00:00:00Z' })
  await page.goto(`/?clock=${body.id}`)
  await page.getByRole('link', { name: 'Claims Money failed' }).click()
  await page.getByText('No claims match the filters').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('resolved_from'), null)
})

test('the last day of a token is in the account’s time zone and is shown in UTC if the browser does not know the zone', async () => {
  const { page, pageErrors } = await openInKathmandu()
  await page.goto('/tokens')
  await page.getByRole('button', { name: 'Create token' }).first().click()
  await page.getByLabel('Name').fill('until-june')
  await page.getByLabel('Last day').fill('2031-06-30')
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('cell', { name: '30 Jun 2031, 23:59:59 GMT+5:45' }).waitFor()
  assert.deepEqual(pageErrors, [])

  const { id } = (await sendAs(page, 'GET', '/v1/me')).body
  await service.sql("UPDATE users SET time_zone = 'Moon/Tranquility' WHERE id = $1", [id])
  await page.goto('/settings')
  await page.getByText('This browser does not know this zone. Times are shown in UTC.').waitFor()
  assert.equal(await page.getByLabel('Time zone of the account').inputValue(), 'Moon/Tranquility')
  await page.goto('/tokens')
  await page.getByRole('cell', { name: '30 Jun 2031, 18:14:59 UTC' }).waitFor()
})
