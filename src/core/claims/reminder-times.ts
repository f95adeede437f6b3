import { PLAIN_TIME } from '../calendars/working-time.ts'
import { type Contract, timeOfWindow, windowMs } from '../contracts/contract.ts'
import type { ActivityClock } from './lifecycle.ts'

/** Sorts reminders by the time at which they are reached. Null for none. */
export const sortReminders = (reminders: readonly number[]): number[] | null =>
  reminders.length === 0 ? null : reminders.toSorted((a, b) => a - b)

/** Milliseconds of the activity window that are used up when the reminder is reached. */
export const reminderMs = (contract: Pick<Contract, 'activity_window'>, reminder: number): number =>
  windowMs(contract.activity_window * reminder)

/**
 * The time at which each reminder is reached if the clock keeps running. A reminder that was reached earlier gets the time
 * at which the clock started.
 * @param calendar the working time of the contract's calendar, if it has one
 */
export function reminderTimes(
  reminders: readonly number[],
  contract: Contract,
  { remainingMs, since }: ActivityClock,
  calendar = PLAIN_TIME,
): Date[] {
  const time = timeOfWindow(contract, 'activity', calendar)
  const usedMs = windowMs(contract.activity_window) - remainingMs
  const timeOf = (reminder: number) =>
    time.endOfBudget(since.getTime(), Math.max(0, reminderMs(contract, reminder) - usedMs))
  return reminders.map((reminder) => new Date(timeOf(reminder)))
}
