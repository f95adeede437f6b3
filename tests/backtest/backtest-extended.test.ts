import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { reportPage } from '../../src/backtest/report/page.ts'
import { contractWith } from '../support/contracts.ts'
import { type BacktestOptions, resultTable } from '../support/source/backtest.ts'
import type { Contract } from '../support/source/contracts.ts'
import type { Scope } from '../support/test-database.ts'
import { backtestOf, filesIn } from './backtest-files.ts'

const at = (time: string) => `2026-01-01T${time}:00Z`

/** Rows are "case type time" and more cells, separated by blanks; the header names the further ones. */
function csv(more: string, ...rows: string[]): string {
  const cells = (row: string) => {
    const [id, type, time, ...rest] = row.split(' ')
    return [id, type, at(time as string), ...rest].join(',')
  }
  return [`case_id,type,occurred_at${more}`, ...rows.map(cells)].join('\n')
}

async function tested(
  t: Scope,
  log: string,
  contracts: Contract | Contract[],
  options: Partial<BacktestOptions> = {},
) {
  const file = await filesIn(t, { log })
  const done = await backtestOf(file('log'), [contracts].flat(), options)
  return { ...done, contract: done.json.contracts[0] }
}

const withIds = { case: 'case_id', type: 'type', time: 'occurred_at', eventId: 'event_id' }

/** Resolved, and not reopened within an hour; a message restarts the review, up to three hours. */
const reopening: Contract = contractWith({
  price: 0.1,
  activity_window: 6 * 3600,
  review_window: 3600,
  fulfillment_condition: { event: 'resolved' },
  review: {
    reversal_condition: { event: 'reopened' },
    restart_on: { event: 'message' },
    max_duration: 3 * 3600,
  },
})

describe('the back-test of a contract with a review that can be lost (§2.1a, §10 rule 10)', () => {
  const LOG = csv(
    '',
    'kept resolved 08:00',
    'lost resolved 08:00',
    'lost reopened 08:30',
    'lost resolved 08:40',
    'later resolved 08:00',
    'later reopened 09:30',
    'restarted resolved 08:00',
    'restarted message 08:50',
    'restarted message 09:10',
    'restarted reopened 10:05',
    'never opened 08:00',
  )

  test('counts cases that were reversed, cases that were restarted, and what they would have cost', async (t) => {
    const { contract } = await tested(t, LOG, reopening)
    assert.deepEqual(
      [contract.cases, contract.confirmed, contract.failed, contract.price_sums.confirmed],
      [5, 2, 3, '0.2'],
    )
    assert.deepEqual(contract.review, { reversed: 2, reversed_price_sum: '0.2', restarted: 1 })
    assert.equal(contract.reasons.reversed_in_review, 2)
    assert.equal(contract.events.refused.claim_not_open, 2)
    assert.deepEqual(contract.unnamed_event_types, [{ type: 'opened', count: 1 }])
  })

  test('saves what the same contract without the review would have paid in addition', async (t) => {
    const { review, ...withoutReview } = reopening
    const { json, contract } = await tested(t, LOG, [reopening, withoutReview])
    assert.equal(json.comparison.price_difference, contract.review.reversed_price_sum)
    assert.equal(json.comparison.changed_cases, contract.review.reversed)
    assert.equal(json.contracts[1].review, null)
  })

  test('a case that is reversed and still PENDING at the end is one of them', async (t) => {
    const { contract } = await tested(t, LOG, reopening, { until: Date.parse(at('08:35')) })
    assert.deepEqual(contract.still_open, { open: 1, pending: 4 })
    assert.equal(contract.review.reversed, 1)
    assert.equal(contract.reasons.still_pending, 4)
  })

  test('the table and the page show both, and the nearest losers say what reversed them', async (t) => {
    const { result, contract } = await tested(t, LOG, reopening)
    assert.deepEqual(
      contract.nearest_losers.map((loser: { case_id: string; missing: string }) => [
        loser.case_id,
        loser.missing,
      ]),
      [
        ['lost', 'had “reopened”, which it must not'],
        ['restarted', 'had “reopened”, which it must not'],
        ['never', 'no “resolved”'],
      ],
    )
    const table = resultTable(result)
    assert.match(table, /reversed in review[ │]+2/)
    assert.match(table, /price not paid because of the review[ │]+0\.2/)
    assert.match(table, /cases whose review restarted[ │]+1/)
    assert.match(reportPage(result), /Reversed in review<\/small><b>2<\/b><small>0\.2 not paid, 1 restarted/)
  })

  test('without a review none of these is shown', async (t) => {
    const { review, ...withoutReview } = reopening
    const { result } = await tested(t, LOG, withoutReview)
    assert.doesNotMatch(resultTable(result) + reportPage(result), /review restarted|[Rr]eversed/)
  })

  test('compared fields and types of the reversal condition and of restart_on are read and checked', async (t) => {
    const contract: Contract = {
      ...reopening,
      review: {
        reversal_condition: { event: 'reopened', match: { severity: 2 } },
        restart_on: { event: 'message', field: 'length', gte: 10 },
        max_duration: 7200,
      },
    }
    const log = csv(
      ',severity',
      'a resolved 08:00 ',
      'a reopened 08:10 1',
      'b resolved 08:00 ',
      'b message 08:10 ',
      'b reopened 08:20 2.0',
    )
    const { backtest, contract: result } = await tested(t, log, contract)
    assert.equal(result.review.reversed, 1)
    assert.ok(
      backtest.notes.includes(
        'no event has "length" of "message", which the contract compares: the log has no such column',
      ),
      backtest.notes.join('\n'),
    )
    const { contract: absent } = await tested(t, csv('', 'a resolved 08:00'), contract)
    assert.deepEqual(absent.named_types_not_in_log, ['reopened', 'message'])
  })
})

describe('the back-test of a late event (§2.1a rules 3 and 4)', () => {
  const LOG = `case_id,type,occurred_at
a,opened,2026-01-01T00:00:00Z
a,done,2026-01-01T00:00:45Z`
  const contract = contractWith({ activity_window: 30 })

  test('decides, and is counted', async (t) => {
    const { contract: json, result } = await tested(t, LOG, contract)
    assert.equal(json.confirmed, 1)
    assert.equal(json.events.accepted_late, 1)
    assert.match(resultTable(result), /events accepted late[ │]+1/)
  })

  test('with strict_deadline is stored and decides nothing, and the result says that it came late', async (t) => {
    const { contract: json } = await tested(t, LOG, { ...contract, strict_deadline: true })
    assert.equal(json.failed, 1)
    assert.deepEqual(
      [json.events.accepted, json.events.accepted_late, json.reasons.window_elapsed_events_late],
      [2, 1, 1],
    )
    const [loser] = json.nearest_losers
    assert.deepEqual([loser.missing, loser.late_by_seconds, loser.late_event.line], ['no “done”', 15, 3])
  })
})

describe('aggregates in the back-test (§2.1a)', () => {
  const counting = (leaf: object) =>
    contractWith({ activity_window: 6 * 3600, fulfillment_condition: leaf as { event: string } })

  test('count reads no field', async (t) => {
    const contract = counting({ event: 'delivered', match: { on_time: true }, aggregate: 'count', gte: 2 })
    const log = csv(
      ',on_time',
      'a delivered 08:00 TRUE',
      'a delivered 08:10 false',
      'a delivered 08:20 true',
      'b delivered 08:00 true',
    )
    const { contract: json } = await tested(t, log, contract)
    assert.deepEqual([json.confirmed, json.failed], [1, 1])
    assert.deepEqual(json.nearest_losers[0].leaves[0].closest_value, 1)
    assert.match(json.nearest_losers[0].missing, /; it was 1, off by 1$/)
    const { backtest } = await tested(
      t,
      csv('', 'a delivered 08:00'),
      counting({ event: 'delivered', aggregate: 'count', gte: 1 }),
    )
    assert.deepEqual(backtest.notes, [])
  })

  test('sum adds cells as exact decimals, and a cell that is no number is left out with a note', async (t) => {
    const contract = counting({ event: 'outage', field: 'minutes', aggregate: 'sum', eq: 0.3 })
    const log = csv(
      ',minutes',
      'a outage 08:00 0.10',
      'a outage 08:10 .2',
      'b outage 08:00 0.1',
      'b outage 08:10 soon',
    )
    const { contract: json, backtest } = await tested(t, log, contract)
    assert.equal(json.confirmed, 1)
    assert.deepEqual(json.nearest_losers[0].leaves[0].closest_value, 0.1)
    assert.deepEqual(backtest.notes, [
      '"minutes" of "outage" is compared with a number, but is a text in 1 of 4 events: "soon" (line 5)',
    ])
  })

  test('distinct counts cells as they stand, and values of NDJSON by their types', async (t) => {
    const contract = counting({ event: 'review', field: 'author', aggregate: 'distinct', gte: 3 })
    const log = csv(
      ',author',
      'a review 08:00 5',
      'a review 08:10 5.0',
      'a review 08:20 true',
      'b review 08:00 5',
      'b review 08:10 5',
      'b review 08:20 ',
      'b review 08:30 6',
    )
    const { contract: json, backtest } = await tested(t, log, contract)
    assert.deepEqual([json.confirmed, json.failed], [1, 1])
    const similar = (value: string) =>
      `"author" of "review" counts different values, and 1 event has a value that is almost equal to another one, but counts as another: ${value}`
    assert.deepEqual(backtest.notes, [similar('"5.0" (line 3)')])
    assert.equal(json.nearest_losers[0].leaves[0].closest_value, 2)

    // The same column as a number: the distinct values stay texts.
    const both = counting({
      op: 'AND',
      conditions: [{ event: 'review', field: 'author', gte: 5 }, contract.fulfillment_condition],
    })
    assert.equal((await tested(t, log, both)).contract.confirmed, 1)

    const event = (minute: number, author: unknown) =>
      JSON.stringify({ case_id: 'a', type: 'review', occurred_at: at(`08:0${minute}`), author })
    const lines = [event(1, 5), event(2, 5.0), event(3, '5'), event(4, [5]), event(5, true)].join('\n')
    const typed = await tested(t, lines, contract, { format: 'ndjson' })
    assert.equal(typed.contract.confirmed, 1)
    assert.deepEqual(typed.backtest.notes, [
      '"author" of "review" is counted if it is a text, a number, or true or false, but is an array in 1 of 5 events: "[5]" (line 4)',
      similar('"5" (line 3)'),
    ])
  })
})

describe('ids of events in the back-test (--event-id, §10 rule 9)', () => {
  const twoDone = contractWith({
    activity_window: 6 * 3600,
    fulfillment_condition: { event: 'done', aggregate: 'count', gte: 2 },
  })
  const LOG = csv(
    ',event_id',
    'a done 08:00 7',
    'a done 08:10 7',
    'b done 08:00 7',
    'b done 08:10 8',
    'c done 08:00 ',
    'c done 08:10 ',
  )

  test('a repeated id of a case decides nothing, and an event without one is new', async (t) => {
    const { contract, backtest, result } = await tested(t, LOG, twoDone, { columns: withIds })
    assert.deepEqual([contract.confirmed, contract.failed], [2, 1])
    assert.deepEqual([contract.events.accepted, contract.events.repeated], [5, 1])
    assert.deepEqual(backtest.notes, [
      '2 events have no ids in "event_id" (--event-id), so each is a new event',
      '1 event has the id of an earlier event of the case, but another type, time or compared field, and counts as repeated: "7" (line 3); check the column "event_id" (--event-id)',
    ])
    assert.match(resultTable(result), /events repeated[ │]+1/)
    assert.match(reportPage(result), /; 1 repeated/)
  })

  test('without --event-id each row is a new event', async (t) => {
    const { contract } = await tested(t, LOG, twoDone)
    assert.deepEqual([contract.confirmed, contract.events.repeated], [3, 0])
  })

  test('a log that is not sorted by case keeps its ids', async (t) => {
    const [header, ...rows] = LOG.split('\n') as [string, ...string[]]
    const shuffled = [header, ...rows.filter((_, i) => i % 2 === 0), ...rows.filter((_, i) => i % 2 === 1)]
    const { contract } = await tested(t, shuffled.join('\n'), twoDone, { columns: withIds })
    assert.deepEqual([contract.confirmed, contract.events.repeated], [2, 1])
  })

  test('JSON and XES have ids too, and numbers keep all digits', async (t) => {
    const event = (id: string) =>
      `{"case_id": "a", "type": "done", "occurred_at": "${at('08:00')}", "event_id": ${id}}`
    const lines = ['9007199254740993', '9007199254740992', '"9007199254740993"', 'null'].map(event).join('\n')
    const ndjson = await tested(t, lines, twoDone, { columns: withIds, format: 'ndjson' })
    assert.deepEqual(ndjson.contract.events, {
      accepted: 2,
      accepted_late: 0,
      repeated: 1,
      refused: { claim_not_open: 1, before_opening: 0, reserved_type: 0, log_full: 0 },
    })
    const bad = await tested(t, `${lines}\n${event('[1]')}`, twoDone, { columns: withIds, format: 'ndjson' })
    assert.equal(
      bad.json.bad_rows.first[0].detail,
      '"event_id" is an array ([1]), but an event id must be a string or a number',
    )

    const xml = (id: string) =>
      `<event><string key="concept:name" value="done"/><date key="time:timestamp" value="${at('08:00')}"/><id key="identity:id" value="${id}"/></event>`
    const xes = `<log><trace><string key="concept:name" value="a"/>${xml('x')}${xml('x')}</trace></log>`
    const read = await tested(t, xes, twoDone, {
      columns: { ...withIds, eventId: 'identity:id' },
      format: 'xes',
    })
    assert.deepEqual([read.contract.failed, read.contract.events.repeated], [1, 1])
  })

  test('an id that the service would refuse makes a bad row, and a missing column stops the run', async (t) => {
    const { json } = await tested(t, `${LOG}\nd,done,${at('08:00')},${'x'.repeat(256)}`, twoDone, {
      columns: withIds,
    })
    assert.deepEqual(json.bad_rows.first, [
      {
        line: 8,
        reason: 'bad event id',
        detail: 'the event id has 256 characters; at most 255 are allowed',
      },
    ])
    const columns = { ...withIds, eventId: 'event' }
    await assert.rejects(tested(t, LOG, twoDone, { columns }), /the log has no column "event" \(--event-id\)/)
  })
})
