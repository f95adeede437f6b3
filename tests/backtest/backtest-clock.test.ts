import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { reportPage } from '../../src/backtest/report/page.ts'
import { calendarWith } from '../support/calendars.ts'
import { contractWith } from '../support/contracts.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { resultTable } from '../support/source/backtest.ts'
import type { Contract } from '../support/source/contracts.ts'
import { backtestOf, filesIn } from './backtest-files.ts'

const HOURS = calendarWith({ holidays: ['2026-04-03', '2026-04-06'] })

/** Resolved within 16 working hours, without those in which the customer is asked. */
const working: Contract = contractWith({
  price: 0.1,
  activity_window: 16 * 3_600,
  review_window: 0,
  fulfillment_condition: { event: 'resolved' },
  clock: {
    calendar: { id: randomUUID() },
    pause_on: { event: 'asked' },
    resume_on: { event: 'answered' },
  },
})

const LOG = [
  'case_id,type,occurred_at',
  // Friday 15:00 in Berlin; due on Tuesday at 15:00, after a change of clocks.
  'in time,opened,2026-03-27T14:00:00Z',
  'in time,resolved,2026-03-31T12:59:00Z',
  'late,opened,2026-03-27T14:00:00Z',
  'late,resolved,2026-03-31T13:10:00Z',
  'waited,opened,2026-03-27T14:00:00Z',
  'waited,asked,2026-03-30T13:00:00Z',
  'waited,answered,2026-04-02T13:00:00Z',
  'waited,resolved,2026-04-07T12:59:00Z',
  'waits,opened,2026-03-27T14:00:00Z',
  'waits,asked,2026-03-30T13:00:00Z',
].join('\n')

describe('the back-test of a contract with a clock (§2.1a, §10 rule 13)', () => {
  test('counts working time, and the cases whose clock stopped', async (t) => {
    const path = await filesIn(t, { log: LOG })
    const { json, result } = await backtestOf(path('log'), [working], { calendar: HOURS })
    const [contract] = json.contracts
    assert.deepEqual([contract.confirmed, contract.failed, contract.still_open.open], [2, 1, 1])
    assert.deepEqual(contract.clock, { paused: 2, still_paused: 1 })
    assert.deepEqual(json.calendar, { file: 'calendar.json', name: 'Support', time_zone: 'Europe/Berlin' })
    const [loser] = contract.nearest_losers
    assert.deepEqual([loser.case_id, loser.late_by_seconds], ['late', 600])
    const table = resultTable(result)
    assert.match(table, /cases whose clock stopped[ │]+2/)
    assert.match(table, /cases whose clock is stopped at the end[ │]+1/)
    const page = reportPage(result)
    assert.match(page, /Clock stopped<\/small><b>2<\/b><small>1 still at the end/)
    for (const words of [page, contract.words])
      assert.match(words, /working time of the calendar “Support” counts/)
  })

  test('compares with a contract that counts every second', async (t) => {
    const path = await filesIn(t, { log: LOG })
    const { clock, ...plain } = working
    const { json } = await backtestOf(path('log'), [working, plain], { calendar: HOURS })
    const [, always] = json.contracts
    assert.deepEqual([always.confirmed, always.failed, always.clock], [0, 4, null])
    assert.equal(json.comparison.price_difference, '-0.2')
  })

  test('has a note on spans that end at 23:59: the last minute of the day does not count', async (t) => {
    const path = await filesIn(t, { log: LOG })
    for (const [hours, days] of [
      [{ weekly: { monday: [['00:00', '23:59']], tuesday: [['00:00', '24:00']] } }, 'monday'],
      [{ exceptions: { '2026-04-03': [['09:00', '23:59']] } }, '2026-04-03'],
      [{ weekly: { monday: [['09:00', '17:59']] } }, null],
    ] as const) {
      const calendar = calendarWith(hours)
      const { json } = await backtestOf(path('log'), [working], { calendar })
      assert.deepEqual(
        json.warnings,
        days === null
          ? []
          : [
              `the calendar has spans that end at 23:59, so the minute from 23:59 to midnight is no working time: ${days}; write 24:00 for the end of a day`,
            ],
      )
    }
  })

  test('has a note on a zone of the calendar whose name misleads: Etc/GMT+2 is UTC-02:00', async (t) => {
    const path = await filesIn(t, { log: LOG })
    for (const [zone, words] of [
      ['Etc/GMT+2', 'UTC-02:00 at all times; UTC+02:00 is Etc/GMT-2'],
      ['etc/gmt-10', 'UTC+10:00 at all times; UTC-10:00 is Etc/GMT+10'],
      // There is no Etc/GMT+14.
      ['Etc/GMT-14', 'UTC+14:00 at all times'],
      ['MST', 'UTC-07:00 at all times; America/Denver has daylight saving time'],
      ['Etc/GMT+0', null],
      ['America/New_York', null],
    ] as const) {
      const { json } = await backtestOf(path('log'), [working], {
        calendar: calendarWith({ time_zone: zone }),
      })
      assert.deepEqual(
        json.warnings,
        words === null ? [] : [`the time zone of the calendar is ${zone}, which is ${words}`],
      )
    }
  })

  test('has a note on years of the log in which the calendar has no holidays, but has them in others', async (t) => {
    const path = await filesIn(t, {
      log: `${LOG}\nlater,opened,2026-12-31T22:30:00Z\nlater,resolved,2027-01-04T12:00:00Z`,
      '2026': `${LOG}\nlater,opened,2026-12-31T22:30:00Z`,
    })
    const notes = async (name: string, changes: Parameters<typeof calendarWith>[0]) => {
      const options = { calendar: calendarWith(changes), now: Date.UTC(2028) }
      return (await backtestOf(path(name), [working], options)).json.warnings
    }
    const note = (known: string, missing: string) => [
      `the calendar has holidays in ${known}, but none in ${missing} of the log: a missing holiday counts as working time`,
    ]
    assert.deepEqual(await notes('log', { holidays: ['2026-04-03'] }), note('2026', 'the year 2027'))
    assert.deepEqual(await notes('log', { exceptions: { '2027-01-01': [] } }), note('2027', 'the year 2026'))
    assert.deepEqual(
      await notes('log', { holidays: ['2024-12-25', '2025-12-25'] }),
      note('2024, 2025', 'the years 2026, 2027'),
    )
    assert.deepEqual(await notes('log', { holidays: ['2026-04-03', '2027-01-01'] }), [])
    assert.deepEqual(await notes('log', {}), [])
    assert.deepEqual(await notes('2026', { holidays: ['2026-04-03'] }), [])
  })

  test('takes the calendar from a file, which the contract must name', async (t) => {
    const { clock, ...plain } = working
    const { exceptions, ...form } = HOURS
    const path = await filesIn(t, {
      'log.csv': LOG,
      'contract.json': JSON.stringify(working),
      'plain.json': JSON.stringify(plain),
      'calendar.json': JSON.stringify(form),
      'invalid.json': JSON.stringify({ ...form, time_zone: 'Mars' }),
    })
    const backtest = (contract: string, ...more: string[]) =>
      runSharedCli(['backtest', '--log', path('log.csv'), '--contract', path(contract), ...more])
    const done = await backtest('contract.json', '--calendar', path('calendar.json'), '--json')
    assert.equal(done.status, 0, done.stderr)
    const { contracts, calendar } = JSON.parse(done.stdout)
    assert.equal(contracts[0].confirmed, 2)
    assert.equal(calendar.time_zone, 'Europe/Berlin')

    for (const [args, message] of [
      [['contract.json'], /the contract names a calendar: give its file with --calendar/],
      [['plain.json', '--calendar', path('calendar.json')], /no contract names a calendar/],
      [['contract.json', '--calendar', path('invalid.json')], /is not a calendar: time_zone must be a name/],
      [['contract.json', '--calendar', path('none.json')], /there is no calendar/],
    ] as const) {
      const [contract, ...more] = args
      const refused = await backtest(contract, ...more)
      assert.notEqual(refused.status, 0)
      assert.match(refused.stderr, message)
    }
  })
})
