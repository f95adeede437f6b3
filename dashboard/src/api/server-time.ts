/** How far the service's clock is ahead of this device's, in milliseconds. */
let aheadMs = 0

/** From an answer's `Date` header, which has whole seconds: small differences are its rounding, not the clock's. */
export function noteServerTime(header: string | null): void {
  if (!header) return
  const difference = Date.parse(header) + 500 - Date.now()
  if (Number.isFinite(difference)) aheadMs = Math.abs(difference) < 2000 ? 0 : difference
}

/** The present by the service's clock, by which windows elapse. */
export const serverNow = (): number => Date.now() + aheadMs
