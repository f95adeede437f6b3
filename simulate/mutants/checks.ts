import { edit, editWithin, type Mutant } from './mutant.ts'

/** Windows, scheduled checks, test clocks, totals, reminders. */
export const SCHEDULED_CHECK_MUTANTS: readonly Mutant[] = [
  {
    name: 'on a test clock the check is a minute late if the window ends on a whole minute',
    edits: [edit('[checkAtOrAfter(dueAt), ', '[checkAfter(dueAt), ')],
  },
  {
    name: 'the live check is a minute early',
    edits: [
      edit('return checksBefore(next, 1)', 'return checksBefore(next, 0)'),
      edit('const MAX_HOST_CLOCK_LEAD_MS = 5_000', 'const MAX_HOST_CLOCK_LEAD_MS = -1'),
    ],
  },
  {
    name: 'a timeout schedules the opposite outcome',
    edits: [edit("terms.timeout_outcome === 'confirm'", "terms.timeout_outcome !== 'confirm'")],
  },
  {
    name: 'a check applies the transition of the previous group to a claim',
    edits: [
      edit('new Array<number>(count).fill(number)', 'new Array<number>(count).fill(Math.max(number - 1, 0))'),
    ],
  },
  {
    name: 'a check moves a claim that an event has satisfied meanwhile',
    edits: [
      editWithin(
        'guardedWrite',
        'c.status = d.seen_status AND c.event_count = d.seen',
        'c.event_count >= d.seen',
      ),
    ],
  },
  {
    name: 'a transition is recorded at the minute of the check even if the last event is later',
    edits: [edit('lastEventAt > checkTime ?', 'lastEventAt < checkTime ?')],
    clients: 32,
  },
  {
    name: 'several servers move a claim in the same minute',
    edits: [
      edit('due_at <= $2::timestamptz AND status_since < $2::timestamptz', 'due_at <= $2::timestamptz'),
      edit(' || state.statusSince >= checkTime', ''),
    ],
    servers: 3,
  },
  {
    name: 'on a test clock a claim makes both transitions at one check',
    edits: [
      edit(' || state.statusSince >= checkTime', ''),
      edit('checkAfter(statusSince)]', 'checkAtOrAfter(statusSince)]'),
    ],
  },
  {
    name: 'an advance past both windows makes only the first transition',
    edits: [
      edit(
        'const { state } = transitions.at(-1) as Transition',
        'const { state } = transitions[0] as Transition',
      ),
    ],
  },
  {
    name: 'an advance skips claims that are due at the same time as the last of a batch',
    edits: [
      edit('(due_at, id) > ($3, $4)', 'due_at > $3 AND $4::uuid IS NOT NULL'),
      edit('const MOVE_BATCH_SIZE = 1_000', 'const MOVE_BATCH_SIZE = 3'),
    ],
  },
  {
    name: 'a check skips every other batch',
    edits: [
      edit(
        '    batches = next\n',
        '    batches = next.length > 0 ? await nextBatches(context, source) : []\n',
      ),
      edit('export const MOVE_BATCH_SIZE = 1_000', 'export const MOVE_BATCH_SIZE = 2'),
    ],
  },
  {
    name: 'a check skips claims that are due at the same time as the last of a list',
    edits: [
      edit('(due_at, id) > ($2, $3)', 'due_at > $2 AND $3::uuid IS NOT NULL'),
      edit('const LIST_BATCH_SIZE = 10_000', 'const LIST_BATCH_SIZE = 3'),
    ],
  },
  {
    name: 'claims on test clocks are also moved by the live check',
    edits: [
      edit(
        'WHERE due_at IS NOT NULL AND test_clock_id IS NULL AND due_at <= $1',
        'WHERE due_at IS NOT NULL AND due_at <= $1',
      ),
    ],
  },
  {
    name: 'an advance moves claims outside of its transaction',
    edits: [
      edit(
        'return moveLockedClock(connection, app.calendarTimes, clock, frozenTime)',
        'return moveLockedClock(app.db.writes.for(userId), app.calendarTimes, clock, frozenTime)',
      ),
    ],
    faults: 'advance-struck',
  },
  {
    name: 'an event is recorded during an advance of its test clock',
    edits: [edit('+ 1}::uuid[]) FOR SHARE SKIP LOCKED', '+ 1}::uuid[])')],
  },
  {
    name: 'a claim is created during an advance of its test clock',
    edits: [
      editWithin(
        'ON_TEST_CLOCK',
        'WHERE user_id = ($2::uuid[])[1] AND id = $${parameter} FOR SHARE SKIP LOCKED',
        'WHERE user_id = ($2::uuid[])[1] AND id = $${parameter}',
      ),
    ],
    clients: 32,
  },
  {
    name: 'the logs of a deleted test clock remain',
    edits: [
      edit(
        'DELETE FROM claim_events WHERE claim_id IN (SELECT id FROM claims WHERE test_clock_id = $1)',
        'DELETE FROM claim_events WHERE system AND claim_id IN (SELECT id FROM claims WHERE test_clock_id = $1)',
      ),
    ],
  },
  {
    name: 'the overview counts claims on test clocks',
    edits: [edit("null ? 'test_clock_id IS NULL' :", "null ? 'true' :")],
  },
  {
    name: 'a total omits a resolution that is recorded before the time of the total',
    edits: [
      edit('WHERE up_to >= $1 RETURNING', 'WHERE false AND up_to >= $1 RETURNING'),
      edit('WHERE up_to < $1 FOR SHARE', 'WHERE $1::timestamptz IS NOT NULL FOR SHARE'),
      edit("TOTALS_DELAY = '5 minutes'", "TOTALS_DELAY = '5 seconds'"),
      edit(
        "name: 'sums of resolutions',\n  every: RESOLUTION_TOTALS_INTERVAL_SECONDS",
        "name: 'sums of resolutions',\n  every: 2",
      ),
    ],
    faults: 'database-clock-stepped',
  },
  {
    name: 'two servers add the same resolutions to the totals',
    edits: [
      edit(
        'if (await tryLockChecks(connection)) await addResolutionsToTotals(connection)',
        'void (await tryLockChecks(connection))\n    await addResolutionsToTotals(connection)',
      ),
      edit('FROM resolution_mark FOR UPDATE', 'FROM resolution_mark'),
      edit("TOTALS_DELAY = '5 minutes'", "TOTALS_DELAY = '5 seconds'"),
      edit(
        "name: 'sums of resolutions',\n  every: RESOLUTION_TOTALS_INTERVAL_SECONDS",
        "name: 'sums of resolutions',\n  every: 10",
      ),
    ],
    servers: 3,
  },
  {
    name: 'a reminder is sent twice',
    edits: [edit('number > locked.reminders_passed AND t <= $2::timestamptz', 't <= $2::timestamptz')],
  },
  {
    name: 'a reminder is sent while the clock is paused',
    edits: [
      edit(`"status = 'OPEN' AND due_at IS NOT NULL"`, `"status = 'OPEN'"`),
      edit('test_clock_id IS NULL AND due_at >', "test_clock_id IS NULL AND coalesce(due_at, 'infinity') >"),
      edit('WHERE found.checked_at <', 'WHERE locked.due_at IS NULL OR found.checked_at <'),
    ],
  },
  {
    name: 'a reminder counts the time in which the clock was paused',
    edits: [edit('if (!this.#continuesClock || !reminders', 'if (this.#continuesClock || !reminders')],
  },
  {
    name: 'a check sends all due reminders of a claim, not only the last',
    edits: [
      edit(
        'max(number) AS number FROM unnest(locked.reminder_times)',
        'number FROM unnest(locked.reminder_times)',
      ),
      edit('GROUP BY 1 ) AS found', 'GROUP BY 1, 2 ) AS found'),
    ],
  },
  {
    name: 'a reminder ignores the calendar',
    edits: [editWithin('reminderTimes', "timeOfWindow(contract, 'activity', calendar)", 'ELAPSED_TIME')],
  },
]
