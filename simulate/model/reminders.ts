import { ClaimModel } from './claim-model.ts'
import { firstCheckOf, isWholeMinute, type State, timeOfWindow, windowMs } from './contract.ts'
import { assert } from './finding.ts'
import { type LogItem, type Terms, toLoggedEvent } from './replay.ts'

/* §2.16: the reminders of a claim that the scheduled checks send, computed from its log. */

/** A reminder that a notification reports. */
export interface SentReminder {
  reminder: number
  checkedAt: number
  state: State
}

/** A period in which the claim was OPEN and its clock ran. */
interface RunningPeriod {
  from: number
  /** Null while the clock runs. */
  until: number | null
  state: State
  /** Milliseconds of the activity window that were used up before. */
  usedUp: number
}

function runningPeriodsOf({ contract, hours, createdAt }: Terms, log: readonly LogItem[]): RunningPeriod[] {
  const model = new ClaimModel(contract, createdAt, hours)
  const periods: RunningPeriod[] = []
  const isRunning = ({ status, due_at }: State) => status === 'OPEN' && due_at !== null
  let current: RunningPeriod | null = { from: createdAt, until: null, state: model.state, usedUp: 0 }
  periods.push(current)
  for (const item of log) {
    const at = Date.parse(item.created_at)
    if (item.system) model.elapse(at)
    else model.submit(toLoggedEvent(item), at)
    if (current !== null && !isRunning(model.state)) {
      current.until = at
      current = null
    } else if (current === null && isRunning(model.state)) {
      const usedUp = windowMs(contract.activity_window) - model.left
      current = { from: at, until: null, state: model.state, usedUp }
      periods.push(current)
    }
  }
  return periods
}

/** The simulator's reminders are whole thousandths, so the only rounding is that of §2.16 rule 1. */
function reachedAt({ contract, hours }: Terms, { from, usedUp }: RunningPeriod, reminder: number): number {
  const ms = Math.ceil((windowMs(contract.activity_window) * Math.round(reminder * 1000)) / 1000)
  return timeOfWindow(contract, 'activity', hours).end(from, Math.max(0, ms - usedUp))
}

/** Exactly the reminders that were sent when a test clock has this time: no event is recorded during an advance. */
export function remindersOnClock(
  terms: Terms,
  log: readonly LogItem[],
  reminders: readonly number[],
  clockAt: number,
): SentReminder[] {
  const passed = new Set<number>()
  const sent: SentReminder[] = []
  for (const period of runningPeriodsOf(terms, log)) {
    const { from, until, state } = period
    const end = Math.min(until ?? Infinity, clockAt)
    const checks = Map.groupBy(
      reminders.filter((reminder) => !passed.has(reminder)),
      (reminder) => firstCheckOf({ status_since: from, due_at: reachedAt(terms, period, reminder) }),
    )
    for (const [checkedAt, found] of [...checks].sort(([a], [b]) => a - b)) {
      if (checkedAt > end || checkedAt >= firstCheckOf(state)) continue
      for (const reminder of found) passed.add(reminder)
      // §2.16 rule 3
      sent.push({ reminder: Math.max(...found), checkedAt, state })
    }
  }
  return sent
}

/** A check may see a claim as it was before an event that was recorded a little earlier. */
const MAX_STALENESS_MS = 10_000
/** A check may be this late. Until then a later reminder may replace this one, or the period may end. */
const MAX_CHECK_DELAY_MS = 180_000

/**
 * On the real time: each sent reminder was reached at its check, and the claim was not due. Each reached reminder was sent, or a
 * later one, unless faults may have delayed the check.
 * @param isCalm whether there was no fault between these times
 */
export function verifyReminders(
  terms: Terms,
  log: readonly LogItem[],
  reminders: readonly number[],
  sent: readonly SentReminder[],
  { now, isCalm }: { now: number; isCalm: (from: number, until: number) => boolean },
): void {
  const periods = runningPeriodsOf(terms, log)
  const about = () => ({ terms, reminders, sent, periods })
  for (const { reminder, checkedAt, state } of sent) {
    const isExpected = periods.some(
      (period) =>
        period.state.due_at === state.due_at &&
        reachedAt(terms, period, reminder) <= checkedAt &&
        checkedAt < (period.state.due_at as number) &&
        (period.until === null || period.until >= checkedAt - MAX_STALENESS_MS),
    )
    assert(
      isExpected,
      () =>
        `the check of ${checkedAt} sent the reminder ${reminder}, although it was not reached or the claim was due`,
      about,
    )
  }
  for (const period of periods) {
    const end = Math.min(period.until ?? now, period.state.due_at as number, now)
    for (const reminder of reminders) {
      const at = reachedAt(terms, period, reminder)
      const isSent = sent.some((one) => one.reminder >= reminder)
      const latest = at + MAX_CHECK_DELAY_MS
      const isCheckCertain = latest < end && isCalm(at, latest)
      assert(isSent || !isCheckCertain, () => `the reminder ${reminder} was reached, but never sent`, about)
    }
  }
}

/** Each reminder is sent once at most (§2.16 rule 2), at a whole minute. */
export function assertOnce(reminders: readonly number[], sent: readonly SentReminder[]): void {
  const about = () => ({ reminders, sent })
  const numbers = sent.map(({ reminder }) => reminder)
  assert(new Set(numbers).size === numbers.length, () => 'a reminder was sent twice', about)
  assert(
    sent.every(({ reminder, checkedAt }) => reminders.includes(reminder) && isWholeMinute(checkedAt)),
    () => 'a sent reminder is not one of the claim, or its check is not at a whole minute',
    about,
  )
}
