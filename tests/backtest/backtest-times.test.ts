import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseTimeFormat } from '../../src/backtest/time/time-format.ts'
import { contractWith } from '../support/contracts.ts'
import { TimeReader } from '../support/source/backtest.ts'
import { backtestOf, filesIn } from './backtest-files.ts'

const reader = (format: string | null = null, zone: string | null = null) =>
  new TimeReader({ format: format === null ? null : parseTimeFormat(format), zone })
const MOMENT = '2026-03-02T07:05:00Z'

describe('times (§10 rule 5)', () => {
  test('are read in the forms that logs use, independently of the machine’s time zone', () => {
    for (const text of [
      MOMENT,
      '2026-03-02T07:05:00.000Z',
      ' 2026-03-02 07:05:00 ',
      '2026/03/02 07:05',
      '2026-03-02T08:05:00+01:00',
      '2026-03-02T08:05+01',
      '2026-03-02 07:05:00 UTC',
      '2026-03-02T08:05+01:00[Europe/Berlin]',
      '2026-03-02T07:05:00Z[UTC]',
      '1772435100',
      '1772435100.000',
      '1772435100000',
      '2026-03-02T01:05:00-0600',
    ])
      assert.equal(reader().read(text), Date.parse(MOMENT), text)
    for (let day = 0; day < 376_200; day += 1237) {
      const time = day * 86_400_000 + 45_296_789
      const text = new Date(time).toISOString()
      assert.equal(reader().read(text), time, text)
    }
  })

  test('are truncated to milliseconds, so none becomes the next second', async (t) => {
    for (const [format, text, read] of [
      [null, '2026-01-01T23:59:59.9999999Z', '2026-01-01T23:59:59.999Z'],
      [null, '2026-01-01 23:59:59,999999999', '2026-01-01T23:59:59.999Z'],
      [null, '2999-12-31T23:59:59.999999999Z', '2999-12-31T23:59:59.999Z'],
      [null, '1767311999.9999999', '2026-01-01T23:59:59.999Z'],
      [null, '1767311999999.9999', '2026-01-01T23:59:59.999Z'],
      ['yyyyMMdd HHmmss.S', '20260101 235959.999999999', '2026-01-01T23:59:59.999Z'],
      ['unix-s', '1767311999.9999999', '2026-01-01T23:59:59.999Z'],
      ['unix-ms', '1767311999999.99999', '2026-01-01T23:59:59.999Z'],
      ['unix-us', '1767311999999999.9', '2026-01-01T23:59:59.999Z'],
      ['unix-us', '5', '1970-01-01T00:00:00.000Z'],
      ['unix-ns', '1767311999999999999', '2026-01-01T23:59:59.999Z'],
      ['unix-ns', '1767640304122000000', '2026-01-05T19:11:44.122Z'],
    ] as const)
      assert.equal(new Date(reader(format).read(text)).toISOString(), read, text)
    const later = reader().read('2026-01-01T00:00:01.0012Z') > reader().read('2026-01-01T00:00:01.0011Z')
    assert.ok(later, 'the digits below a millisecond order events')

    const rows = ['a,opened,2026-01-01T00:00:00Z', 'a,done,2026-01-01T23:59:59.9999999Z']
    const path = await filesIn(t, { 'log.csv': ['case_id,type,occurred_at', ...rows].join('\n') })
    const contract = contractWith({ activity_window: 86_400, fulfillment_condition: { event: 'done' } })
    const { json } = await backtestOf(path('log.csv'), [contract])
    assert.equal(json.contracts[0].confirmed, 1, 'the event comes before the check of midnight')
  })

  test('that are not valid are refused with the reason', () => {
    const refused: [text: string, reason: RegExp][] = [
      ['2026-02-29T00:00:00Z', /names a day that does not exist, 2026-02-29$/],
      ['2026-13-01', /names a day that does not exist, 2026-13-01$/],
      ['2026-03-02T24:00:00Z', /names the hour 24/],
      ['2026-03-02T07:60:00Z', /names a minute or second beyond 59$/],
      ['2026-03-02T07:05:00+25:00', /has an offset that does not exist, \+25:00$/],
      ['2016-12-31T23:59:60Z', /leap seconds are not accepted$/],
      ['0001-01-01T00:00:00Z', /outside of the times that the service takes, 1970 to 2999$/],
      ['1899-12-30', /1970 to 2999$/],
      ['3000-01-01T00:00:00Z', /1970 to 2999$/],
      ['02-03-2026', /is not a time such as 2026-01-31T09:30:00Z .*--time-format/],
      ['now', /is not a time such as/],
      ['2026-0a-02T07:05:00Z', /is not a time/],
      ['2026-03-02T07:05:00.0x0Z', /is not a time/],
      [
        '46023.2083333',
        /of 10 digits \(Unix seconds\) or 13 \(milliseconds\); for other numbers give --time-format excel, unix-s/,
      ],
      ['177243510', /of 10 digits/],
      ['2026013114', /may be Unix seconds or a date with an hour; give --time-format unix-s or yyyyMMddHH$/],
      [
        '2026-01-31-14',
        /may be an offset or a time of day; give --time-format, for example yyyy-MM-ddZ or yyyy-MM-dd-HH$/,
      ],
      ['2026-01-31-14:30', /may be an offset or a time of day/],
      ['2026/01/31 +0100', /may be an offset or a time of day/],
      ['20260302070500', /of 10 digits/],
      ['1772435100000000', /of 10 digits/],
      ['"2026-03-02T07:05:00Z" ', /the quotes belong to the cell, because a space precedes or follows them$/],
      [
        '2026-03-02 08:05:00 CET',
        /CET is not an offset: write one such as \+01:00, because .* have several meanings$/,
      ],
      ['2026-03-02T08:05:00[Europe/Berlin]', /is not a time/],
    ]
    for (const [text, reason] of refused) {
      assert.ok(Number.isNaN(reader().read(text)), text)
      assert.match(reader().explain(text), reason)
    }
  })

  test('of other forms are read with --time-format', () => {
    const cases: [format: string, text: string][] = [
      ['dd.MM.yyyy HH:mm', '02.03.2026 07:05'],
      ['d.M.yyyy H:mm', '2.3.2026 7:05'],
      ['M/d/yyyy h:mm a', '3/2/2026 7:05 AM'],
      ['M/d/yy h:mm:ss a', '3/2/26 7:05:00 a.m.'],
      ['dd-MMM-yyyy HH:mm:ss.SSS', '02-Mar-2026 07:05:00.000'],
      ["yyyyMMdd'T'HHmmssZ", '20260302T080500+0100'],
      ['yyyyMMddHHmmss', '20260302070500'],
      ['yyyy-dd-MM HH:mm', '2026-02-03 07:05'],
      ['excel', '46083.2951389'],
      ['excel', '46083,2951388889'],
      ['excel-1904', '44621.2951389'],
      ['unix-s', '1772435100'],
      ['unix-us', '1772435100000000'],
      ['unix-ns', '1772435100000000000'],
    ]
    for (const [format, text] of cases) {
      const read = reader(format)
      assert.equal(read.read(text), Date.parse(MOMENT), `${format}: ${text}`)
      assert.equal(read.read(MOMENT), Date.parse(MOMENT), `${format}: ISO 8601 is read too`)
    }
    assert.equal(reader('yyyyMMddHH').read('2026030207'), Date.parse('2026-03-02T07:00:00Z'))
    assert.equal(reader('unix-s').read('2026013114'), 2_026_013_114_000)
    assert.equal(reader().read('1767011512'), 1_767_011_512_000, 'Unix seconds before 2032 look like no date')
    for (const [format, text] of [
      ['dd.MM.yyyy', '02.03.2026'],
      ['excel', '46083'],
      ['dd.MM.yyyy', '2026-03-02'],
    ] as const) {
      const days = reader(format)
      assert.equal(days.read(text), Date.parse('2026-03-02T00:00:00Z'))
      assert.equal(days.datesAlone, 1, `${format}: ${text}`)
    }
    const midnight = reader('M/d/yyyy h:mm a')
    assert.equal(midnight.read('3/2/2026 12:00 AM'), Date.parse('2026-03-02T00:00:00Z'))
    assert.equal(midnight.read('3/2/2026 12:00 PM'), Date.parse('2026-03-02T12:00:00Z'))
    for (const text of ['3/2/2026 13:00 PM', '2/30/2026 1:00 PM', '1/1/1960 1:00 PM'])
      assert.ok(Number.isNaN(midnight.read(text)), text)
    assert.match(midnight.explain('tomorrow'), /is not a time in the format "M\/d\/yyyy h:mm a", or such as/)
    for (const [format, message] of [
      ['HH:mm', /must name a year, a month and a day/],
      ['dd.MM.YYYY', /"YYYY" is not known; known are yyyy/],
      ['dd.MM.yyyy dd', /"dd" repeats a part of the time/],
      [
        'dd.MM.yyyy hh:mm',
        /"hh" is an hour from 1 to 12, which needs "a" for a\.m\. or p\.m\.; .*"HH" is one from 0 to 23/,
      ],
      ['d.M.yyyy h:mm', /"h" or "hh" is an hour from 1 to 12/],
      ['M/d/yyyy HH:mm a', /"a" stands for a\.m\. or p\.m\., which needs an hour from 1 to 12, "h" or "hh"/],
      ['M/d/yyyy HH:hh a', /names the hour twice/],
      ['dd.MM.yyyy yy', /names the year twice/],
      ['dd MM MMM yyyy', /names the month twice/],
    ] as const)
      assert.throws(() => parseTimeFormat(format), message)
  })

  test('without a zone are read in the zone of --time-zone; a local time that occurs twice is the first occurrence', () => {
    const berlin = reader(null, 'Europe/Berlin')
    assert.equal(berlin.read('2026-03-02 08:05'), Date.parse(MOMENT))
    assert.equal(berlin.read('2026-07-02T08:05:30.5'), Date.parse('2026-07-02T06:05:30.500Z'))
    assert.equal(berlin.read(MOMENT), Date.parse(MOMENT), 'the zone of the time')
    assert.equal(berlin.read('2026-10-25 02:30'), Date.parse('2026-10-25T00:30:00Z'))
    assert.equal(berlin.read('2026-03-29 02:30'), Date.parse('2026-03-29T01:30:00Z'))
    assert.deepEqual([berlin.withoutZone, berlin.repeated, berlin.skipped], [4, 1, 1])
  })

  test('without a zone, before 2000, in the future and more than 20 years apart get notes (§10 rule 8)', async (t) => {
    const log = (...times: string[]) =>
      ['case_id,type,occurred_at', ...times.map((time) => `a,done,${time}`)].join('\n')
    const path = await filesIn(t, {
      'zone.csv': log('2026-01-01 00:00:00', '2026-01-01', '1899-12-30', '2026-01-01T00:00:00Z'),
      'local.csv': log('2026-01-01 00:00:00', '2026-01-01T02:00:00Z'),
      'utc.csv': log('2026-01-01T00:00:00Z'),
      'zero.csv': log('1970-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
      'late.csv': log('2026-01-01T00:00:00Z', '2029-01-01T00:00:00Z'),
    })
    const notes = async (name: string, zone: string | null = null) =>
      (await backtestOf(path(name), [contractWith()], { times: { format: null, zone } })).json.warnings
    assert.deepEqual(await notes('zone.csv'), [
      '1 time is a date without a time of day and was read as 00:00',
      '2 times have no zone and were read as UTC; --time-zone names the zone of such times, for example Europe/Berlin',
    ])
    assert.deepEqual(await notes('zone.csv', 'Europe/Berlin'), [
      '1 time is a date without a time of day and was read as 00:00',
    ])
    assert.deepEqual(await notes('local.csv', 'Etc/GMT+2'), [
      '1 time has no zone and was read in Etc/GMT+2, which is UTC-02:00 at all times; UTC+02:00 is Etc/GMT-2',
    ])
    assert.deepEqual(await notes('local.csv', 'EST'), [
      '1 time has no zone and was read in EST, which is UTC-05:00 at all times; America/New_York has daylight saving time',
    ])
    assert.deepEqual(await notes('utc.csv', 'Etc/GMT+2'), [])
    assert.deepEqual(await notes('zero.csv'), [
      'the earliest event is of 1970-01-01 (line 2): check the column of --time',
      'the events span 56 years, from 1970-01-01 to 2026-01-01',
    ])
    assert.deepEqual(await notes('late.csv'), [
      'the latest event is of 2029-01-01, in the future (line 3): check the column of --time',
    ])
  })
})
