/* Scheduled checks run at each whole minute (§3 rule 1). */

export const MINUTE_MS = 60_000

/** The first check at this time or after it. */
export const checkAtOrAfter = (time: Date): Date =>
  new Date(Math.ceil(time.getTime() / MINUTE_MS) * MINUTE_MS)

/** The first check after this time. */
export const checkAfter = (time: Date): Date =>
  new Date((Math.floor(time.getTime() / MINUTE_MS) + 1) * MINUTE_MS)

/** So many checks earlier. */
export const checksBefore = (check: Date, count: number): Date =>
  new Date(check.getTime() - count * MINUTE_MS)
