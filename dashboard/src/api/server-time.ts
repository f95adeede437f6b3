/** How far the service's clock is ahead of this device's, in milliseconds. */
let aheadMs = 0

/** Takes the `Date` header of a response. It has whole seconds, so differences below 2 s are ignored. */
export function updateServerTime(header: string | null): void {
  if (!header) return
  const difference = Date.parse(header) + 500 - Date.now()
  if (Number.isFinite(difference)) aheadMs = Math.abs(difference) < 2000 ? 0 : difference
}

/** The current time of the service's clock, by which windows elapse. */
export const serverNow = (): number => Date.now() + aheadMs
