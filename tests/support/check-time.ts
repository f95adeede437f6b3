const MINUTE_MS = 60_000

/** The first scheduled check at or after this time: a whole minute. */
export function firstCheckFrom(time: string | Date): Date {
  return new Date(Math.ceil(new Date(time).getTime() / MINUTE_MS) * MINUTE_MS)
}

/** A check at which all claims that are due now are due. A minute later, because the rounding of the database's clock may differ. */
export const inAMinute = (): Date => firstCheckFrom(new Date(Date.now() + MINUTE_MS))

/** An ISO time some seconds later. */
export function secondsAfter(time: string, seconds: number): string {
  return new Date(new Date(time).getTime() + Math.round(seconds * 1000)).toISOString()
}
