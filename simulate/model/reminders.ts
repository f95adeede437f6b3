import { firstCheckOf, isWholeMinute, passingOf, type State, windowMs } from './contract.ts'
import { Course } from './course.ts'
import { demand } from './finding.ts'
import { type LogItem, type Terms, toEvidence } from './replay.ts'

/* §2.16: which reminders of a claim the scheduled checks send, by its log. */

/** A reminder as a notification tells it. */
export interface Reminded {
  reminder: number
  checkedAt: number
  state: State
}

/** A period in which the claim was OPEN and its clock ran. */
interface Run {
  from: number
  /** Null: it runs still. */
  until: number | null
  state: State
  /** Of the activity window, in milliseconds, before. */
  usedUp: number
}

function runsOf({ contract, hours, createdAt }: Terms, log: readonly LogItem[]): Run[] {
  const course = new Course(contract, createdAt, hours)
  const runs: Run[] = []
  const isRunning = ({ status, due_at }: State) => status === 'OPEN' && due_at !== null
  let open: Run | null = { from: createdAt, until: null, state: course.state, usedUp: 0 }
  runs.push(open)
  for (const item of log) {
    const at = Date.parse(item.created_at)
    if (item.system) course.elapse(at)
    else course.submit(toEvidence(item), at)
    if (open !== null && !isRunning(course.state)) {
      open.until = at
      open = null
    } else if (open === null && isRunning(course.state)) {
      const usedUp = windowMs(contract.activity_window) - course.left
      open = { from: at, until: null, state: course.state, usedUp }
      runs.push(open)
    }
  }
  return runs
}

/** The simulator's reminders are whole thousandths, so that there is nothing to round but what the rule rounds. */
function reachedAt({ contract, hours }: Terms, { from, usedUp }: Run, reminder: number): number {
  const ms = Math.ceil((windowMs(contract.activity_window) * Math.round(reminder * 1000)) / 1000)
  return passingOf(contract, 'activity', hours).end(from, Math.max(0, ms - usedUp))
}

/** On a test clock that has come to this time: just these, since nothing happens between the checks. */
export function remindersOnClock(
  terms: Terms,
  log: readonly LogItem[],
  reminders: readonly number[],
  clockAt: number,
): Reminded[] {
  const passed = new Set<number>()
  const sent: Reminded[] = []
  for (const run of runsOf(terms, log)) {
    const { from, until, state } = run
    const end = Math.min(until ?? Infinity, clockAt)
    const checks = Map.groupBy(
      reminders.filter((reminder) => !passed.has(reminder)),
      (reminder) => firstCheckOf({ status_since: from, due_at: reachedAt(terms, run, reminder) }),
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
const MOST_BEHIND_MS = 10_000
/** So long a check may be late, and what comes meanwhile may take the reminder's place. */
const LATEST_MS = 180_000

/**
 * By the real time: each that was sent was reached and not yet due at its check.
 * @param isCalm whether nothing was done to the service between these times
 */
export function judgeReminders(
  terms: Terms,
  log: readonly LogItem[],
  reminders: readonly number[],
  sent: readonly Reminded[],
  { now, isCalm }: { now: number; isCalm: (from: number, until: number) => boolean },
): void {
  const runs = runsOf(terms, log)
  const about = () => ({ terms, reminders, sent, runs })
  for (const { reminder, checkedAt, state } of sent) {
    const isRight = runs.some(
      (run) =>
        run.state.due_at === state.due_at &&
        reachedAt(terms, run, reminder) <= checkedAt &&
        checkedAt < (run.state.due_at as number) &&
        (run.until === null || run.until >= checkedAt - MOST_BEHIND_MS),
    )
    demand(
      isRight,
      () => `the reminder ${reminder} was sent by the check of ${checkedAt}, and not reached`,
      about,
    )
  }
  for (const run of runs) {
    const end = Math.min(run.until ?? now, run.state.due_at as number, now)
    for (const reminder of reminders) {
      const at = reachedAt(terms, run, reminder)
      const isSent = sent.some((one) => one.reminder >= reminder)
      const isSurelyChecked = at + LATEST_MS < end && isCalm(at, at + LATEST_MS)
      demand(isSent || !isSurelyChecked, () => `the reminder ${reminder} was reached, and never sent`, about)
    }
  }
}

/** §2.16 rule 2, and each at a whole minute. */
export function demandOnce(reminders: readonly number[], sent: readonly Reminded[]): void {
  const about = () => ({ reminders, sent })
  const numbers = sent.map(({ reminder }) => reminder)
  demand(new Set(numbers).size === numbers.length, () => 'a reminder was sent twice', about)
  demand(
    sent.every(({ reminder, checkedAt }) => reminders.includes(reminder) && isWholeMinute(checkedAt)),
    () => 'a reminder was sent that the claim does not have, or at no check',
    about,
  )
}
