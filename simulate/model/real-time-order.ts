/**
 * An observation or a change of a monotonic value (a log's length, a clock's time), at some time between two times.
 * @see findDisorder
 */
export interface Observation {
  what: string
  /** By the clock of the client. Infinite without a response. */
  sentAt: number
  answeredAt: number
  /** The largest value before and the smallest value after. */
  atMostBefore: number
  atLeastAfter: number
}

/**
 * Linearizability: an operation that ended before another began precedes it. For a monotonic value it is sufficient that
 * each pair is in order: then a total order exists. Returns the first pair that is not in order.
 */
export function findDisorder(
  observations: readonly Observation[],
): { earlier: Observation; later: Observation } | null {
  const bySending = observations.toSorted((a, b) => a.sentAt - b.sentAt)
  const byAnswer = observations.toSorted((a, b) => a.answeredAt - b.answeredAt)
  let highest: Observation | null = null
  let next = 0
  for (const later of bySending) {
    for (; (byAnswer[next]?.answeredAt ?? Infinity) < later.sentAt; next++) {
      const answered = byAnswer[next] as Observation
      if (!highest || answered.atLeastAfter > highest.atLeastAfter) highest = answered
    }
    if (highest && highest.atLeastAfter > later.atMostBefore) return { earlier: highest, later }
  }
  return null
}
