import { edit, editWithin, type Mutant } from './mutant.ts'

/** Extended contracts (§2.1a): reviews, late events, aggregates, clocks. */
export const EXTENDED_CONTRACT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a reversal is lost',
    edits: [edit("return { ...state, scheduledOutcome: 'FAILED' }", 'return state')],
  },
  {
    name: 'a reversal has no notification',
    edits: [
      edit(
        "if (effect === 'reversed') this.#notifications.push",
        'if (effect === null) this.#notifications.push',
      ),
    ],
  },
  {
    name: 'a claim accepts events after its reversal',
    edits: [
      edit(
        "(status === 'PENDING' && scheduledOutcome === 'CONFIRMED' && contract.review !== undefined)",
        "(status === 'PENDING' && scheduledOutcome !== null && contract.review !== undefined)",
      ),
    ],
  },
  {
    name: 'a reversal condition counts events from before the review',
    edits: [
      edit(
        'return ({ seq, isLate }) => seq > start &&',
        'return ({ seq, isLate }) => seq > Math.min(start, 0) &&',
      ),
      edit(
        'if (!acceptsEvents(this.#claim)) return false',
        "if (this.#claim.status !== 'OPEN') return false",
      ),
    ],
  },
  {
    name: 'a late event restarts the review',
    edits: [
      editWithin('effectOf', 'if (isLate) return null', "if (isLate && status === 'OPEN') return null"),
    ],
  },
  {
    name: 'a restart extends a review beyond its maximum duration',
    edits: [edit('Math.max(Math.min(end, latest), (dueAt as Date).getTime())', 'Math.max(end, latest)')],
  },
  {
    name: 'an event that satisfies the reversal condition restarts the review',
    edits: [
      edit(
        "if (log.satisfiesCondition) return status === 'OPEN' ? 'satisfied' : 'reversed'\n",
        "if (log.satisfiesCondition && !(status === 'PENDING' && triggers(contract.review?.restart_on, event)))\n    return status === 'OPEN' ? 'satisfied' : 'reversed'\n",
      ),
    ],
  },
  {
    name: 'a late event counts under a strict deadline',
    edits: [
      edit(
        'lateMs !== null && contract.strict_deadline === true',
        'lateMs === 0 && contract.strict_deadline === true',
      ),
    ],
  },
  {
    name: 'an event without a required id is accepted',
    edits: [
      edit(
        'request.hasMadeId && needsEventIds(before.contract)',
        'request.hasMadeId && !needsEventIds(before.contract)',
      ),
    ],
  },
  {
    name: 'a repeat is counted twice under an extended contract',
    edits: [
      editWithin(
        'ExtendedDecision',
        'super(snapshot, recordedIds, maxAdded)',
        'super(snapshot, new Set(), maxAdded)',
      ),
    ],
  },
  {
    name: 'a sum is computed in floating point',
    edits: [
      edit(
        'sum: plus(value.sum, toDecimal(contribution as number))',
        'sum: toDecimal(Number(value.sum.units) / 10 ** value.sum.scale + (contribution as number))',
      ),
    ],
  },
  {
    name: 'a distinct value is counted twice',
    edits: [edit('if ((this.#indexes.get(value) ?? this.size) < this.size) return this\n', '')],
  },
  {
    name: 'late_by is missing without an extended contract',
    edits: [edit('return lateMs >= 0 ? lateMs : null', 'return null')],
  },
  {
    name: 'a claim times out while its clock is paused',
    edits: [editWithin('stateAfter', 'return { ...state, dueAt: null, clock:', 'return { ...state, clock:')],
  },
  {
    name: 'a resumed clock starts with the whole window',
    edits: [
      editWithin(
        'stateAfter',
        'const remainingMs = remainingMsAt(claim, at, calendar)',
        'const remainingMs = windowMs(contract.activity_window)',
      ),
    ],
  },
  {
    name: 'a pause counts time that is not working time',
    edits: [
      editWithin('remainingMsAt', "timeOfWindow(claim.contract, 'activity', calendar)", 'ELAPSED_TIME'),
    ],
  },
  {
    name: 'a late event pauses the clock',
    edits: [
      editWithin('effectOf', 'if (isLate) return null', "if (isLate && status === 'PENDING') return null"),
    ],
  },
  {
    name: 'a holiday is working time',
    edits: [edit('holidays.map((date) => [dayOf(date), []])', '[]')],
  },
  {
    name: 'an exception is not working time on a holiday',
    edits: [
      edit(
        'for (const [date, spans] of Object.entries(exceptions)) byDay.set(',
        'for (const [date, spans] of Object.entries(exceptions)) if (!holidays.includes(date)) byDay.set(',
      ),
    ],
  },
  {
    name: 'working time ignores a time zone transition',
    edits: [editWithin('readNext', 'offsetMs: offsetOf(next)', 'offsetMs: periodAt(zone, 0).offsetMs')],
  },
  {
    name: 'the calendar is used for a window to which it does not apply',
    edits: [edit('return windows.includes(window)', 'return windows.length > 0')],
  },
]
