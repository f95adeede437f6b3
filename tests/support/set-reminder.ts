/** SQL that gives a claim one reminder, which is reached at this time. */
export const setReminder = (time: string): string =>
  `reminders = '{0.5}', reminder_times = ARRAY[${time}], reminders_passed = 0, next_reminder_at = ${time}`
