import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ClaimRun } from '../../src/core/claims/claim-run.ts'
import { remainingMsAt } from '../../src/core/claims/decide-at.ts'
import type { Contract } from '../../src/core/contracts/contract.ts'
import type { JsonObject } from '../../src/kernel/json.ts'
import { calendarWith, caseAround, transitionsOf } from '../support/calendars.ts'
import { all, any, contractWith } from '../support/contracts.ts'
import { workingTime } from '../support/source/calendars.ts'

const OPENED = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
const at = (hours: number) => new Date(OPENED + hours * HOUR)

/** A claim with an activity window of 10 hours and a review of 3, opened at hour 0. */
class Life {
  readonly run: ClaimRun
  #ids = 0

  constructor(contract: Partial<Contract>) {
    this.run = new ClaimRun(
      contractWith({ activity_window: 36_000, review_window: 10_800, ...contract }),
      at(0),
    )
  }

  /** What the event did at that hour, after the checks up to then. */
  submit(hour: number, type: string, payload: JsonObject = {}, id = `${type} ${++this.#ids}`) {
    this.run.advanceTo(at(hour))
    const decision = this.run.submit(
      { id, type, payload, payloadBytes: JSON.stringify(payload).length },
      at(hour),
    )
    return decision.kind === 'append' ? (decision.effect ?? 'nothing') : decision.kind
  }

  /** The status and the scheduled outcome at that hour. */
  at(hour: number): string {
    this.run.advanceTo(at(hour))
    return `${this.run.state.status} ${this.run.state.scheduledOutcome}`
  }

  get due(): number {
    return ((this.run.state.dueAt?.getTime() ?? Number.NaN) - OPENED) / HOUR
  }
}

const resolved = { fulfillment_condition: { event: 'resolved' } } as const
const reopening = { ...resolved, review: { reversal_condition: { event: 'reopened' } } } as const

describe('a review that can be lost (§2.1a)', () => {
  test('an event in review that satisfies the reversal condition schedules FAILED, and nothing else changes (§2.1a rule 10)', () => {
    const life = new Life(reopening)
    assert.equal(life.submit(1, 'resolved'), 'satisfied')
    const { statusSince, dueAt } = life.run.state
    assert.equal(life.submit(2, 'reopened'), 'reversed')
    assert.deepEqual(life.run.state, { status: 'PENDING', scheduledOutcome: 'FAILED', statusSince, dueAt })
    assert.equal(life.submit(3, 'resolved'), 'not-open')
    assert.equal(life.at(4), 'FAILED FAILED')
  })

  test('events before the review do not reverse it (§2.1a rule 9)', () => {
    const life = new Life(reopening)
    assert.equal(life.submit(1, 'reopened'), 'nothing')
    assert.equal(life.submit(2, 'resolved'), 'satisfied')
    assert.equal(life.at(5), 'CONFIRMED CONFIRMED')
  })

  test('a scheduled outcome of FAILED takes no events (§2.1a rule 8)', () => {
    const life = new Life({ ...reopening, timeout_outcome: 'fail' })
    assert.equal(life.at(10), 'PENDING FAILED')
    assert.equal(life.submit(11, 'reopened'), 'not-open')
  })

  test('an outcome that a timeout confirms can be reversed (§2.1a rule 8)', () => {
    const life = new Life({ ...reopening, timeout_outcome: 'confirm' })
    assert.equal(life.submit(9, 'reopened'), 'nothing')
    assert.equal(life.at(10), 'PENDING CONFIRMED')
    assert.equal(life.submit(11, 'reopened'), 'reversed')
  })

  test('an event at the end of the window that comes before its check still reverses', () => {
    const life = new Life({ ...reopening, review_window: 10_800.5 })
    life.submit(1, 'resolved')
    const late = 4 + 30 / 3600
    assert.equal(life.submit(late, 'reopened'), 'reversed')
  })

  test('a restart begins a whole new review window, within the longest review (§2.1a rule 11)', () => {
    const review = { restart_on: { event: 'message' }, max_duration: 5 * 3600 }
    const life = new Life({ ...resolved, review })
    life.submit(1, 'resolved')
    assert.equal(life.due, 4)
    assert.equal(life.submit(2, 'message'), 'restarted')
    assert.equal(life.due, 5)
    life.submit(4, 'message')
    assert.equal(life.due, 6)
    assert.equal(life.at(5.9), 'PENDING CONFIRMED')
    assert.equal(life.at(6), 'CONFIRMED CONFIRMED')
  })

  test('a late event does not restart the review (§2.1a rule 3)', () => {
    const review = { restart_on: { event: 'message' }, max_duration: 50 * 3600 }
    const life = new Life({ ...resolved, review, review_window: 10_800.5 })
    life.submit(1, 'resolved')
    assert.equal(life.submit(4 + 30 / 3600, 'message'), 'nothing')
    assert.equal(life.at(5), 'CONFIRMED CONFIRMED')
  })

  test('an event that reverses does not restart (§2.1a rule 5), and a restart forgets no event of the review', () => {
    const review = {
      reversal_condition: { event: 'complaint', aggregate: 'count', gte: 2 },
      restart_on: { event: 'complaint' },
      max_duration: 100_000,
    } as const
    const life = new Life({ ...resolved, review })
    life.submit(1, 'resolved')
    assert.equal(life.submit(2, 'complaint'), 'restarted')
    assert.equal(life.submit(3, 'complaint'), 'reversed')
    assert.equal(life.due, 5)
  })
})

describe('a clock that events stop (§2.1a)', () => {
  const waiting = {
    ...resolved,
    clock: { pause_on: { event: 'asked' }, resume_on: { event: 'answered' } },
  } as const

  test('stops the activity window, and continues it with what remains (§2.1a rule 16)', () => {
    const life = new Life(waiting)
    assert.equal(life.submit(4, 'asked'), 'paused')
    assert.equal(life.run.state.dueAt, null)
    assert.equal(life.submit(100, 'asked'), 'nothing')
    assert.equal(life.at(1_000_000), 'OPEN null')
    assert.equal(life.submit(1_000_000, 'answered'), 'resumed')
    assert.equal(life.due, 1_000_006)
    assert.equal(life.submit(1_000_001, 'answered'), 'nothing')
    assert.equal(life.submit(1_000_002, 'asked'), 'paused')
    assert.equal(life.submit(1_000_003, 'answered'), 'resumed')
    assert.equal(life.due, 1_000_007)
    assert.equal(life.at(1_000_007), 'PENDING FAILED')
  })

  test('a paused claim is settled by its condition, and the review is not paused (§2.1a rule 17)', () => {
    const life = new Life(waiting)
    life.submit(4, 'asked')
    assert.equal(life.submit(50, 'resolved'), 'satisfied')
    assert.equal(life.due, 53)
  })

  test('a late event does not stop it (§2.1a rule 3)', () => {
    const life = new Life({ ...waiting, activity_window: 36_000.5 })
    assert.equal(life.submit(10 + 30 / 3600, 'asked'), 'nothing')
    assert.equal(life.at(11), 'PENDING FAILED')
  })

  test('an event that resumes is not one that stops as well (§2.1a rule 5)', () => {
    const both = { event: 'message' }
    const life = new Life({ ...resolved, clock: { pause_on: both, resume_on: both } })
    const effects = [1, 2, 3, 4].map((hour) => life.submit(hour, 'message'))
    assert.deepEqual(effects, ['paused', 'resumed', 'paused', 'resumed'])
    assert.equal(life.due, 12)
  })

  test('of working time is used up only in it, over Easter and a change of clocks', () => {
    const calendar = workingTime(calendarWith({ holidays: ['2026-04-03', '2026-04-06'] }))
    const clock = { ...waiting.clock, calendar: { id: randomUUID(), version: 1 } }
    const contract = contractWith({ ...waiting, activity_window: 16 * 3600, clock })
    // Friday 15:00 at UTC+1: two hours, and six on Monday at UTC+2.
    const run = new ClaimRun(contract, new Date('2026-03-27T14:00Z'), calendar)
    const send = (type: string, time: string) => {
      run.advanceTo(new Date(time))
      run.submit({ id: time, type, payload: {}, payloadBytes: 2 }, new Date(time))
    }
    send('asked', '2026-03-30T13:00Z')
    assert.equal(run.state.clock?.remainingMs, 8 * HOUR)
    send('answered', '2026-04-02T13:00Z')
    assert.deepEqual(run.state.dueAt, new Date('2026-04-07T13:00Z'))
  })

  test('has no negative rest if new time zone data count more time than the old', () => {
    const contract = contractWith({ clock: { calendar: { id: randomUUID(), version: 1 } } })
    const state = {
      status: 'OPEN' as const,
      dueAt: at(9),
      clock: { remainingMs: 8 * HOUR, since: at(0) },
      contract,
    }
    const calendar = { endOfBudget: Number, workingMsBetween: () => 9 * HOUR }
    assert.equal(remainingMsAt(state, at(8), calendar), 0)
  })

  test('consumed and remaining time are the whole window, for any sequence of events and changes of clocks (§2.1a rule 18)', () => {
    const aCase = fc
      .constantFrom('Europe/Berlin', 'Australia/Lord_Howe', 'Africa/Casablanca', 'UTC')
      .chain((zone) =>
        fc
          .constantFrom(...transitionsOf(zone, 2020, 2030), Date.UTC(2026, 6))
          .chain((transition) => caseAround(zone, transition)),
      )
    const types = fc.array(fc.constantFrom('asked', 'answered'), { maxLength: 6 })
    fc.assert(
      fc.property(aCase, types, ({ calendar: hours, times, budgetMs }, events) => {
        const calendar = workingTime(hours)
        const clock = { ...waiting.clock, calendar: { id: randomUUID(), version: 1 } }
        const contract = contractWith({ ...waiting, activity_window: (budgetMs + 1) / 1000, clock })
        const opened = times[0] as number
        const run = new ClaimRun(contract, new Date(opened), calendar)
        let [worked, last, isRunning] = [0, opened, true]
        for (const [i, type] of events.entries()) {
          const time = Math.max(times[(i + 1) % times.length] as number, last)
          run.advanceTo(new Date(time))
          if (run.state.status !== 'OPEN' || (run.state.dueAt?.getTime() ?? Infinity) <= time) return
          run.submit({ id: `${i}`, type, payload: {}, payloadBytes: 2 }, new Date(time))
          if (isRunning) worked += calendar.workingMsBetween(last, time)
          isRunning = type === 'answered'
          last = time
          const remaining = remainingMsAt({ ...run.state, contract }, new Date(time), calendar)
          assert.equal(worked + remaining, budgetMs + 1)
          assert.ok(worked >= 0 && remaining >= 0)
          const due = run.state.dueAt?.getTime()
          assert.equal(due === undefined, !isRunning)
          if (due !== undefined) assert.equal(calendar.workingMsBetween(time, due), remaining)
        }
      }),
    )
  })
})

test('a time inside an event decides nothing: the log decides in its order of recording (§2.1a rule 1)', () => {
  const life = new Life({ ...resolved, activity_window: 36_000.5, strict_deadline: true })
  const early = at(1).toISOString()
  assert.equal(life.submit(10 + 30 / 3600, 'resolved', { at: early, occurred_at: early }), 'nothing')
  assert.equal(life.at(11), 'PENDING FAILED')
})

describe('a strict deadline (§2.1a rule 4)', () => {
  test('a late event is stored and decides nothing, while OPEN', () => {
    const life = new Life({ ...resolved, activity_window: 36_000.5, strict_deadline: true })
    assert.equal(life.submit(10 + 30 / 3600, 'resolved'), 'nothing')
    assert.equal(life.at(11), 'PENDING FAILED')
  })

  test('without it a late event satisfies the condition', () => {
    const life = new Life({ ...resolved, activity_window: 36_000.5 })
    assert.equal(life.submit(10 + 30 / 3600, 'resolved'), 'satisfied')
  })

  test('a late event in review does not reverse', () => {
    const life = new Life({ ...reopening, review_window: 10_800.5, strict_deadline: true })
    life.submit(1, 'resolved')
    assert.equal(life.submit(4 + 30 / 3600, 'reopened'), 'nothing')
    assert.equal(life.at(5), 'CONFIRMED CONFIRMED')
  })
})

describe('an aggregate (§2.1a)', () => {
  test('count: the condition holds with the last of the matching events (§2.1a rule 13)', () => {
    const leaf = { event: 'delivered', match: { on_time: true }, aggregate: 'count', gte: 2 } as const
    const life = new Life({ fulfillment_condition: leaf })
    assert.equal(life.submit(1, 'delivered', { on_time: true }), 'nothing')
    assert.equal(life.submit(1, 'delivered', { on_time: false }), 'nothing')
    assert.equal(life.submit(1, 'delivered', { on_time: true }), 'satisfied')
  })

  test('an event whose id is repeated counts once (§2.1a rule 2)', () => {
    const life = new Life({ fulfillment_condition: { event: 'delivered', aggregate: 'count', gte: 2 } })
    life.submit(1, 'delivered', {}, 'same')
    assert.equal(life.submit(1, 'delivered', {}, 'same'), 'replay')
    assert.equal(life.at(2), 'OPEN null')
  })

  test('sum: decimals are added as they are written (§2.1a rule 14)', () => {
    const leaf = { event: 'paid', field: 'amount', aggregate: 'sum', eq: 0.3 } as const
    const life = new Life({ fulfillment_condition: leaf })
    life.submit(1, 'paid', { amount: 0.1 })
    life.submit(1, 'paid', { amount: 'much' })
    assert.equal(life.submit(1, 'paid', { amount: 0.2 }), 'satisfied')
  })

  test('distinct: values are different if they are different in JSON (§2.1a rule 14)', () => {
    const leaf = { event: 'review', field: 'author', aggregate: 'distinct', gte: 4 } as const
    const life = new Life({ fulfillment_condition: leaf })
    for (const author of ['1', 1, '1', 1, null, true]) life.submit(1, 'review', { author })
    assert.equal(life.submit(1, 'review', { author: 'true' }), 'satisfied')
  })

  test('is judged when an event comes, and neither at the end of a window nor in review (§2.1a rule 15)', () => {
    const outage = { event: 'outage', field: 'minutes', aggregate: 'sum' } as const
    const atMost = new Life({ fulfillment_condition: all({ event: 'opened' }, { ...outage, lte: 43 }) })
    atMost.submit(1, 'outage', { minutes: 40 })
    assert.equal(atMost.at(11), 'PENDING FAILED', 'nothing judged the condition at the timeout')

    const settled = new Life({ fulfillment_condition: all({ event: 'opened' }, { ...outage, lte: 43 }) })
    assert.equal(settled.submit(1, 'opened'), 'satisfied')
    assert.equal(settled.submit(2, 'outage', { minutes: 44 }), 'not-open')
    assert.equal(settled.at(5), 'CONFIRMED CONFIRMED')

    const month = new Life({
      fulfillment_condition: { event: 'opened' },
      review: { reversal_condition: { ...outage, gt: 43 } },
    })
    month.submit(1, 'opened')
    assert.equal(month.submit(2, 'outage', { minutes: 43 }), 'nothing')
    assert.equal(month.submit(3, 'outage', { minutes: 0.5 }), 'reversed')
  })

  test('an upper bound holds over no event', () => {
    const leaf = { event: 'outage', field: 'minutes', aggregate: 'sum', lte: 43 } as const
    const life = new Life({ fulfillment_condition: any(leaf) })
    assert.equal(life.submit(1, 'month_opened'), 'satisfied')
  })
})

test('the last two places of the log are kept for an event that reverses (§2.1a rule 6)', () => {
  const life = new Life({ ...reopening, activity_window: 360_000, review_window: 360_000 })
  life.submit(1, 'resolved')
  for (let i = 1; i < 9_998; i++) assert.equal(life.submit(2, 'note'), 'nothing')
  assert.equal(life.submit(2, 'note'), 'log-full')
  assert.equal(life.submit(3, 'reopened'), 'reversed')
})

test('the last two places of the log are kept for an event that continues the clock (§2.1a rule 6)', () => {
  const clock = { pause_on: { event: 'asked' }, resume_on: { event: 'answered' } }
  const life = new Life({ ...resolved, activity_window: 360_000, clock })
  life.submit(1, 'asked')
  for (let i = 1; i < 9_998; i++) assert.equal(life.submit(2, 'note'), 'nothing')
  assert.equal(life.submit(2, 'note'), 'log-full')
  assert.equal(life.submit(3, 'answered'), 'resumed')
})

test('an event that continues the clock leaves a place for one that reverses (§2.1a rule 6)', () => {
  const clock = { pause_on: { event: 'asked' }, resume_on: { event: 'answered' } }
  const life = new Life({ ...reopening, timeout_outcome: 'confirm', clock })
  life.submit(1, 'asked')
  for (let i = 1; i < 9_998; i++) life.submit(2, 'note')
  assert.equal(life.submit(2, 'note'), 'log-full')
  assert.equal(life.submit(3, 'answered'), 'resumed')
  assert.equal(life.at(12), 'PENDING CONFIRMED')
  assert.equal(life.submit(13, 'reopened'), 'reversed')
})

test('an event that satisfies a stopped claim may take a kept place: it could not continue the clock either (§2.1a rule 6)', () => {
  const clock = { pause_on: { event: 'asked' }, resume_on: { event: 'resolved' } }
  const life = new Life({ ...resolved, clock })
  life.submit(1, 'asked')
  for (let i = 1; i < 9_998; i++) life.submit(2, 'note')
  assert.equal(life.submit(2, 'note'), 'log-full')
  assert.equal(life.submit(3, 'resolved'), 'satisfied')
})
