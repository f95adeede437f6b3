import { whenPassed } from '../model/clock-story.ts'
import type { Witnesses } from '../model/judge-claim.ts'
import type { ClaimRecord } from './records.ts'

/** Tolerated difference between the clocks of the simulator and the service. */
const SLACK_MS = 1_000

const BY_CLOCK: Witnesses = {
  checkMoment: (at) => ({ from: at - SLACK_MS, until: Infinity }),
  recordedWithin: (sentAt, answeredAt, at) => at >= sentAt - SLACK_MS && at <= answeredAt + SLACK_MS,
}

/** When clocks are stepped, their times show nothing. */
const BY_NO_CLOCK: Witnesses = {
  checkMoment: () => ({ from: -Infinity, until: Infinity }),
  recordedWithin: () => true,
}

/** A claim on a test clock uses only that clock. @param sawAt receives the clock's times in events */
export function witnessesOf(
  { clock }: ClaimRecord,
  clocksAreRight: boolean,
  sawAt: (sentAt: number, answeredAt: number, at: number) => void = () => {},
): Witnesses {
  if (!clock) return clocksAreRight ? BY_CLOCK : BY_NO_CLOCK
  return {
    checkMoment: (at) => whenPassed(clock, at),
    recordedWithin: (sentAt, answeredAt, at) => {
      sawAt(sentAt, answeredAt, at)
      return true
    },
  }
}
