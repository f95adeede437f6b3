import { ELAPSED_TIME } from '../calendars/working-time.ts'
import { type Contract, timeOfWindow, windowMs } from '../contracts/contract.ts'
import type { ActivityClock } from './lifecycle.ts'

/** In ascending order; null for none. */
export const sortReminders = (reminders: readonly number[]): number[] | null =>
  reminders.length === 0 ? null : reminders.toSorted((a, b) => a - b)

/** Milliseconds of the activity window that are used up when the reminder is reached. */
export const reminderMs = (contract: Pick<Contract, 'activity_window'>, reminder: number): number =>
  windowMs(contract.activity_window * reminder)

/**
 * The time at which each reminder is reached if the clock does not stop. A reminder that was reached before the clock last
 * started gets the time of that start.
 * @param calendar the working time of the contract's calendar, if it has one
 */
export function reminderTimes(
  reminders: readonly number[],
  contract: Contract,
  { remainingMs, since }: ActivityClock,
  calendar = ELAPSED_TIME,
): Date[] {
  const time = timeOfWindow(contract, 'activity', calendar)
  const usedMs = windowMs(contract.activity_window) - remainingMs
  const timeOf = (reminder: number) =>
    time.endOfBudget(since.getTime(), Math.max(0, reminderMs(contract, reminder) - usedMs))
  return reminders.map((reminder) => new Date(timeOf(reminder)))
}
