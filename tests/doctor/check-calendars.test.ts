import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCalendars } from '../../src/doctor/check-calendars.ts'
import { newCalendar } from '../support/new-records.ts'
import { startTestService } from '../support/test-service.ts'

const dateIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

test('the doctor names calendars whose holidays end, and time zones that the server does not know', async (t) => {
  const { api, app, sql } = await startTestService(t)
  const reads = app.db.reads.for('')
  assert.deepEqual(await checkCalendars(reads), {
    what: 'Calendars',
    status: 'ok',
    found: 'none',
    advice: null,
  })
  await newCalendar(api)
  await newCalendar(api, { holidays: [dateIn(1), dateIn(90)] })
  const deleted = await newCalendar(api, { holidays: ['2020-01-01'] })
  await api.delete(`/v1/calendars/${deleted.id}`)
  const well = await checkCalendars(reads)
  assert.deepEqual([well.status, well.found], ['ok', '2, whose holidays do not end within 60 days'])

  const last = dateIn(30)
  const ending = await newCalendar(api, { holidays: ['2020-01-01', last] })
  const found = await checkCalendars(reads)
  assert.equal(found.status, 'warning')
  assert.ok(found.found.endsWith(`or have ended: ${ending.id} on ${last}`), found.found)

  await sql("UPDATE calendars SET time_zone = 'Mars/Olympus_Mons' WHERE id = $1", [ending.id])
  const unknown = await checkCalendars(reads)
  assert.equal(unknown.status, 'fault')
  assert.match(unknown.found, /does not know the time zones Mars\/Olympus_Mons$/)
})
