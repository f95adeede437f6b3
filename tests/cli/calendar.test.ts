import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { calendarWith } from '../support/calendars.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { newCalendar } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { runSharedCli } from '../support/shared-cli.ts'

const { api } = await sharedService()
const BERLIN = ['--country', 'de', '--state', 'be', '--years', '2026-2027']

test('calendar holidays prints the public holidays of a state', async () => {
  const { status, stdout } = await runSharedCli(['calendar', 'holidays', ...BERLIN])
  assert.equal(status, 0)
  assert.match(stdout, /2026-03-08 │ Internationaler Frauentag/)
  const json = JSON.parse((await runSharedCli(['calendar', 'holidays', ...BERLIN, '--json'])).stdout)
  assert.deepEqual(json[0], { date: '2026-01-01', name: 'Neujahr' })
  assert.equal(json.at(-1).date, '2027-12-26')
})

test('calendar fill prints a calendar with public holidays added, which the service takes', async (t) => {
  const file = `${await newDataFolder(t)}.json`
  await writeFile(file, JSON.stringify(calendarWith({ holidays: ['2026-10-31', '2026-12-25'] })))
  const { status, stdout } = await runSharedCli(['calendar', 'fill', file, ...BERLIN])
  assert.equal(status, 0)
  const calendar = await newCalendar(api, JSON.parse(stdout))
  const { data, holidays_until } = (
    await api.get(`/v1/calendars/${calendar.id}/preview?from=2026-10-31&days=1`)
  ).body
  assert.deepEqual([data[0].holiday, holidays_until], [true, '2027-12-26'])
  assert.equal(new Set(calendar.holidays).size, calendar.holidays.length)
})

test('an unknown place is refused with the known ones, and wrong years and calendars with the reason', async (t) => {
  const refused = async (args: string[], status: number, reason: RegExp) => {
    const run = await runSharedCli(['calendar', ...args])
    assert.deepEqual([run.status, run.stdout], [status, ''])
    assert.match(run.stderr, reason)
  }
  await refused(
    ['holidays', '--country', 'XX', '--years', '2026'],
    1,
    /--country: XX is not known. Known: .*DE \(Germany\)/,
  )
  await refused(
    ['holidays', '--country', 'DE', '--state', 'XX', '--years', '2026'],
    1,
    /--state: XX .*BE \(Berlin\)/,
  )
  await refused(
    ['holidays', '--country', 'DE', '--region', 'A', '--years', '2026'],
    1,
    /--region: A is not known/,
  )
  for (const years of ['26', '2028-2026', '2026-2100', '1969'])
    await refused(['holidays', '--country', 'DE', '--years', years], 2, /It must/)
  const file = `${await newDataFolder(t)}.json`
  await refused(['fill', file, ...BERLIN], 1, /cannot read .*no such file/)
  await writeFile(file, '{"name": ')
  await refused(['fill', file, ...BERLIN], 1, /is not JSON/)
  await writeFile(file, JSON.stringify(calendarWith({ time_zone: 'Mars' })))
  await refused(['fill', file, ...BERLIN], 1, /time_zone must be a name of the IANA time zone database/)
})
