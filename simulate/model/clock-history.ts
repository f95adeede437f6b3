import { assert, Finding } from './finding.ts'
import { findDisorder, type Observation } from './real-time-order.ts'

/** An advance of a test clock. */
export interface Advance {
  to: number
  sentAt: number
  answeredAt: number
  outcome: 'done' | 'refused' | 'unknown'
  /** As the response says. */
  transitions: number | null
}

/** All advances and observations of a test clock. */
export interface ClockHistory {
  name: string
  advances: Advance[]
  /** The observed times, in milliseconds. */
  times: Observation[]
  /** 0: the clock existed, 1: it did not. */
  deletion: Observation[]
}

export function observeTime(
  clock: ClockHistory,
  what: string,
  sentAt: number,
  answeredAt: number,
  time: number,
): void {
  clock.times.push({ what, sentAt, answeredAt, atMostBefore: time, atLeastAfter: time })
}

export function observeExisting(clock: ClockHistory, what: string, sentAt: number, answeredAt: number): void {
  clock.deletion.push({ what, sentAt, answeredAt, atMostBefore: 0, atLeastAfter: 0 })
}

export function observeDeleted(clock: ClockHistory, what: string, sentAt: number, answeredAt: number): void {
  clock.deletion.push({ what, sentAt, answeredAt, atMostBefore: 1, atLeastAfter: 1 })
}

/** The span of real time in which the clock reached or passed this time. */
export function whenPassed({ advances }: ClockHistory, at: number): { from: number; until: number } {
  const eligible = advances.filter(({ to, outcome }) => to >= at && outcome !== 'refused')
  const done = eligible.filter(({ outcome }) => outcome === 'done')
  return {
    from: Math.min(...eligible.map(({ sentAt }) => sentAt)),
    until: Math.min(...done.map(({ answeredAt }) => answeredAt)),
  }
}

/** §4.6: the time only grows, and a deleted clock stays deleted. */
export function verifyClock(clock: ClockHistory): void {
  const seen = clock.advances.flatMap(({ to, sentAt, answeredAt, outcome }): Observation[] =>
    outcome === 'done'
      ? [{ what: `advanced to ${iso(to)}`, sentAt, answeredAt, atMostBefore: to, atLeastAfter: to }]
      : [],
  )
  assertOrder(clock, [...clock.times, ...seen], iso)
  assertOrder(clock, clock.deletion, (deletedIds) => (deletedIds === 0 ? 'there' : 'gone'))
}

/**
 * The advances must make exactly the transitions of the minutes between, according to the times of all system events on
 * the clock.
 */
export function verifyTransitions(clock: ClockHistory, systemTimes: readonly number[]): void {
  const done = clock.advances.filter(({ outcome }) => outcome !== 'refused')
  if (done.some(({ outcome }) => outcome === 'unknown')) return
  let from = -Infinity
  const byTime = Map.groupBy(done, ({ to }) => to)
  for (const to of [...byTime.keys()].sort((a, b) => a - b)) {
    const reported = (byTime.get(to) ?? []).reduce((sum, { transitions }) => sum + (transitions ?? 0), 0)
    const made = systemTimes.filter((time) => time > from && time <= to).length
    assert(
      reported === made,
      () => `${clock.name}: the advance to ${iso(to)} reports ${reported} transitions, the logs have ${made}`,
    )
    from = to
  }
}

const iso = (time: number) => (Number.isFinite(time) ? new Date(time).toISOString() : `${time}`)

function assertOrder(
  { name }: ClockHistory,
  observations: readonly Observation[],
  words: (value: number) => string,
): void {
  const disorder = findDisorder(observations)
  if (!disorder) return
  const { earlier, later } = disorder
  throw new Finding(
    `${name}: ${earlier.what}: ${words(earlier.atLeastAfter)}; sent after its response, ${later.what}: ${words(later.atMostBefore)}`,
    disorder,
  )
}
