import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseTimeFormat } from '../../src/backtest/time/time-format.ts'
import { all, contractWith, not } from '../support/contracts.ts'
import { backtestOf, filesIn } from './backtest-files.ts'

const [NINE, TEN, NOON] = ['2026-01-01T09:00:00Z', '2026-01-01T10:00:00Z', '2026-01-01T12:00:00Z']
const csv = (...rows: string[]) => `case_id,type,occurred_at\n${rows.join('\n')}\n`
/** CONFIRMED only if "done" comes before "cancelled". */
const contract = contractWith({
  activity_window: 86_400,
  fulfillment_condition: all({ event: 'done' }, not({ event: 'cancelled' })),
})

describe('events of a case with the same time (§10 rule 11)', () => {
  const reversed =
    /^the log is written newest first, so events of a case with the same time run from the last row to the first: 1 case has such events: "a" \(line \d\)$/

  test('run from the last row to the first in a log that is newest first', async (t) => {
    const logs = {
      'adjacent.csv': csv(`a,cancelled,${TEN}`, `a,done,${TEN}`, `a,x,${NINE}`, `b,x,${NOON}`, `b,y,${TEN}`),
      'interleaved.csv': csv(`b,x,${NOON}`, `a,cancelled,${TEN}`, `b,y,${TEN}`, `a,done,${TEN}`),
      'one time a case.csv': csv(`b,x,${NOON}`, `a,cancelled,${NINE}`, `a,done,${NINE}`),
      'log.ndjson': [
        `cancelled","occurred_at":"${TEN}`,
        `done","occurred_at":"${TEN}`,
        `x","occurred_at":"${NINE}`,
      ]
        .map((rest) => `{"case_id":"a","type":"${rest}"}`)
        .join('\n'),
    }
    const path = await filesIn(t, logs)
    for (const name of Object.keys(logs)) {
      const { json } = await backtestOf(path(name), [contract], { format: null })
      assert.equal(json.contracts[0].confirmed, 1, name)
      assert.match(json.warnings[0], reversed, name)
      assert.equal(json.warnings.length, 1, name)
    }
  })

  test('are noted in a log with digits below a microsecond: the times may differ (§10 rule 8)', async (t) => {
    const note =
      '1 case has events whose times are equal or less than 250 nanoseconds apart; such events run in the order of the log, because further digits are not read: "a" (line 2)'
    for (const [first, second, isNoted, format] of [
      ['2026-01-01T09:00:00.088249088Z', '2026-01-01T09:00:00.088249000Z', true, null],
      ['1767258000.088249088', '1767258000.088249000', true, null],
      ['1767258000088.249088', '1767258000088.249', true, null],
      ['1767258000088249088', '1767258000088249000', true, 'unix-ns'],
      ['2026-01-01T09:00:00.088249Z', '2026-01-01T09:00:00.088249Z', false, null],
      ['2026-01-01T09:00:00.088249000Z', '2026-01-01T09:00:00.088250088Z', false, null],
    ] as const) {
      const path = await filesIn(t, { log: csv(`a,cancelled,${first}`, `a,done,${second}`) })
      const times = { format: format === null ? null : parseTimeFormat(format), zone: null }
      const { json } = await backtestOf(path('log'), [contract], { times })
      assert.deepEqual(json.warnings, isNoted ? [note] : [], first)
    }
  })

  test('run in the order of the log otherwise; a note names them if the log is mostly newest first', async (t) => {
    const ties = [`z,cancelled,${TEN}`, `z,done,${TEN}`]
    const [newest, oldest] = [
      [NOON, TEN, NINE],
      [NINE, TEN, NOON],
    ].map((times) => (id: string) => times.map((time) => `${id},x,${time}`)) as [
      (id: string) => string[],
      (id: string) => string[],
    ]
    const path = await filesIn(t, {
      'oldest.csv': csv(...oldest('a'), ...ties),
      'mostly.csv': csv(...[...'abcdefghij'].flatMap(newest), `k,x,${NINE}`, `k,x,${TEN}`, ...ties),
      'a case.csv': csv(...oldest('a'), ...ties, `z,x,${NINE}`),
      'in between.csv': csv(`z,cancelled,${TEN}`, `z,x,${NINE}`, `z,done,${TEN}`),
    })
    const run = async (name: string) => {
      const { json } = await backtestOf(path(name), [contract])
      assert.equal(json.contracts[0].confirmed, 0, name)
      return json.warnings
    }
    assert.deepEqual(await run('oldest.csv'), [])
    assert.deepEqual(await run('in between.csv'), [])
    assert.deepEqual(await run('mostly.csv'), [
      '1 case has events with the same time, and the log is mostly written newest first; such events run in the order of the log: "z" (line 34); sort the log so that older events come first',
    ])
    assert.deepEqual(await run('a case.csv'), [
      '1 case has events with the same time, in a case written newest first; such events run in the order of the log: "z" (line 6); sort the log so that older events come first',
    ])
  })
})

test('an hour without a.m. and p.m. is noted, if it puts rows of a case in the wrong order (§10 rule 8)', async (t) => {
  const rows = (from: number, to: number) =>
    Array.from({ length: 12 }, (_, i) => {
      const day = `2026-01-${String(i + 10)}`
      const time = (hour: number) => `${day}T${String(hour).padStart(2, '0')}:30:00Z`
      return [`c${i},open,${time(from)}`, `c${i},done,${time(to)}`]
    }).flat()
  const path = await filesIn(t, {
    'half.csv': csv(...rows(9, 3)),
    'whole.csv': csv(...rows(9, 15)),
    'morning.csv': csv(...rows(8, 11)),
  })
  const notes = async (name: string) => (await backtestOf(path(name), [contract])).json.warnings
  assert.deepEqual(await notes('half.csv'), [
    'no time is before 01:00 or after 12:59, and rows of a case go back in time: the log may have hours from 1 to 12 without a.m. and p.m.',
  ])
  assert.deepEqual(await notes('whole.csv'), [])
  assert.deepEqual(await notes('morning.csv'), [])
})

describe('an event and the opening of its case (§10 rule 12)', () => {
  const columns = { case: 'case_id', type: 'type', time: 'occurred_at', openedAt: 'begun' }
  const run = async (t: Parameters<typeof filesIn>[0], ...rows: string[]) => {
    const path = await filesIn(t, { 'log.csv': `case_id,type,occurred_at,begun\n${rows.join('\n')}\n` })
    return (await backtestOf(path('log.csv'), [contract], { columns })).json
  }

  test('are compared in whole milliseconds, which a note says', async (t) => {
    const json = await run(
      t,
      'a,done,2026-01-01T09:00:00.0001Z,2026-01-01T09:00:00.0009Z',
      'b,done,2026-01-01T09:00:00.0010Z,2026-01-01T09:00:00.0010Z',
    )
    assert.equal(json.contracts[0].confirmed, 2)
    assert.deepEqual(json.warnings, [
      '1 event comes before the opening of the case, but in the same millisecond, and counts as after it: "a" (line 2)',
    ])
  })

  test('have a note if the times of events have fewer digits than the opening', async (t) => {
    const json = await run(
      t,
      'a,done,2026-01-01T09:00:01Z,2026-01-01T09:00:01.734Z',
      'a,x,2026-01-01T09:00:07Z,2026-01-01T09:00:01.734Z',
    )
    assert.equal(json.contracts[0].events.refused.before_opening, 1)
    assert.deepEqual(json.warnings, [
      '1 event was refused as before the opening of the case, but may be after it: their times have fewer digits than those in "begun" (--opened-at): "a" (line 2)',
    ])
    const days = await run(t, 'a,done,2026-01-01,2026-01-01T08:15:00Z', 'a,x,2026-01-03,2026-01-01T08:15:00Z')
    assert.match(
      days.warnings[0],
      /^1 event was refused as before the opening of the case, but may be after it/,
    )
  })

  test('have a note if every event of a case is before the opening', async (t) => {
    const json = await run(t, `a,done,${NINE},${NOON}`, `a,x,${TEN},${NOON}`)
    assert.deepEqual(json.warnings, [
      'all events of 1 case are before the opening and were refused: "a" (line 3); check the column "begun" (--opened-at)',
    ])
  })
})
