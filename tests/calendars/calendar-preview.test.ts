import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { calendarWith } from '../support/calendars.ts'
import { newCalendar } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { dayAt } from '../support/source/contracts.ts'

const { api } = await sharedService()

const pathOf = ({ id }: { id: string }) => `/v1/calendars/${id}/preview`

describe('the preview of a calendar (§4.18)', () => {
  test('has the spans and instants of each date, and marks holidays and exceptions', async () => {
    const calendar = await newCalendar(api, {
      holidays: ['2026-12-24', '2026-12-25', '2026-12-26'],
      exceptions: {
        '2026-12-24': [
          ['10:00', '12:00'],
          ['09:00', '11:00'],
        ],
        '2026-12-28': [],
      },
    })
    const { status, body } = await api.get(`${pathOf(calendar)}?from=2026-12-23&days=6`)
    assert.equal(status, 200)
    const { data, ...rest } = body
    assert.deepEqual(rest, {
      calendar_id: calendar.id,
      version: 1,
      time_zone: 'Europe/Berlin',
      time_zone_data: process.versions.tz,
      holidays_until: '2026-12-26',
    })
    const off = { holiday: false, exception: false, spans: [], working_time: [], seconds: 0 }
    assert.deepEqual(data, [
      {
        date: '2026-12-23',
        weekday: 'wednesday',
        holiday: false,
        exception: false,
        spans: [['09:00', '17:00']],
        working_time: [{ start: '2026-12-23T08:00:00.000Z', end: '2026-12-23T16:00:00.000Z' }],
        seconds: 28_800,
      },
      {
        date: '2026-12-24',
        weekday: 'thursday',
        holiday: true,
        exception: true,
        spans: [['09:00', '12:00']],
        working_time: [{ start: '2026-12-24T08:00:00.000Z', end: '2026-12-24T11:00:00.000Z' }],
        seconds: 10_800,
      },
      { ...off, date: '2026-12-25', weekday: 'friday', holiday: true },
      { ...off, date: '2026-12-26', weekday: 'saturday', holiday: true },
      { ...off, date: '2026-12-27', weekday: 'sunday' },
      { ...off, date: '2026-12-28', weekday: 'monday', exception: true },
    ])
  })

  test('counts a time that clocks show twice twice, and one that they skip not at all', async () => {
    const calendar = await newCalendar(api, { weekly: { sunday: [['01:00', '04:00']] } })
    const of = async (date: string) => (await api.get(`${pathOf(calendar)}?from=${date}&days=1`)).body.data[0]
    const spring = await of('2026-03-29')
    assert.deepEqual(spring.working_time, [
      { start: '2026-03-29T00:00:00.000Z', end: '2026-03-29T02:00:00.000Z' },
    ])
    assert.deepEqual([spring.spans, spring.seconds], [[['01:00', '04:00']], 7_200])
    const autumn = await of('2026-10-25')
    assert.deepEqual(autumn.working_time, [
      { start: '2026-10-24T23:00:00.000Z', end: '2026-10-25T03:00:00.000Z' },
    ])
    assert.deepEqual([autumn.spans, autumn.seconds], [[['01:00', '04:00']], 14_400])
  })

  test('begins today in the time zone of the calendar, and has four weeks', async () => {
    const calendar = await newCalendar(api, { time_zone: 'Pacific/Kiritimati' })
    const today = () => dayAt(new Date(), 'Pacific/Kiritimati')
    const before = today()
    const { data, holidays_until } = (await api.get(pathOf(calendar))).body
    assert.ok([before, today()].includes(data[0].date), data[0].date)
    assert.deepEqual([data.length, holidays_until], [28, null])
  })

  test('shows the current version, or the one that is asked for', async () => {
    const calendar = await newCalendar(api)
    await api.patch(`/v1/calendars/${calendar.id}`, { weekly: { monday: [['10:00', '11:00']] } })
    const seconds = async (more: string) => {
      const { version, data } = (await api.get(`${pathOf(calendar)}?from=2026-06-01&days=1${more}`)).body
      return [version, data[0].seconds]
    }
    assert.deepEqual(await seconds(''), [2, 3_600])
    assert.deepEqual(await seconds('&version=1'), [1, 28_800])
  })

  test('ends with 2999', async () => {
    const calendar = await newCalendar(api, calendarWith())
    const { data } = (await api.get(`${pathOf(calendar)}?from=2999-12-30&days=366`)).body
    assert.deepEqual(
      data.map(({ date }: { date: string }) => date),
      ['2999-12-30', '2999-12-31'],
    )
  })

  test('of wrong dates or numbers answers 400', async () => {
    const path = pathOf(await newCalendar(api))
    for (const from of ['2026-02-29', '1969-12-31', '3000-01-01', 'today', '2026-01-01T00:00Z', ''])
      assertError(await api.get(`${path}?from=${from}`), 400, 'VALIDATION_ERROR', 'from')
    for (const days of ['0', '367', '1.5', 'x'])
      assertError(await api.get(`${path}?days=${days}`), 400, 'VALIDATION_ERROR', 'days')
    assertError(await api.get(`${path}?version=0`), 400, 'VALIDATION_ERROR', 'version')
    assertError(await api.get(`${path}?until=2027-01-01`), 400, 'VALIDATION_ERROR', 'until')
  })
})
