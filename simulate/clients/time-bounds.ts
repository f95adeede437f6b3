import { whenPassed } from '../model/clock-history.ts'
import type { TimeBounds } from '../model/verify-claim.ts'
import type { ClaimRecord } from './records.ts'

/** Tolerated difference between the clocks of the simulator and the service. */
const CLOCK_TOLERANCE_MS = 1_000

const CLIENT_CLOCK: TimeBounds = {
  checkTime: (at) => ({ from: at - CLOCK_TOLERANCE_MS, until: Infinity }),
  recordedWithin: (sentAt, answeredAt, at) =>
    at >= sentAt - CLOCK_TOLERANCE_MS && at <= answeredAt + CLOCK_TOLERANCE_MS,
}

/** Stepped clocks bound nothing. */
const NO_CLOCK: TimeBounds = {
  checkTime: () => ({ from: -Infinity, until: Infinity }),
  recordedWithin: () => true,
}

/** A claim on a test clock uses only that clock. @param sawAt receives the clock's times in events */
export function timeBoundsOf(
  { clock }: ClaimRecord,
  clocksAreRight: boolean,
  sawAt: (sentAt: number, answeredAt: number, at: number) => void = () => {},
): TimeBounds {
  if (!clock) return clocksAreRight ? CLIENT_CLOCK : NO_CLOCK
  return {
    checkTime: (at) => whenPassed(clock, at),
    recordedWithin: (sentAt, answeredAt, at) => {
      sawAt(sentAt, answeredAt, at)
      return true
    },
  }
}
