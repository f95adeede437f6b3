/**
 * An observation or a change of a value that only grows (a log's length, a clock's time), somewhere between two
 * moments.
 * @see inOrder
 */
export interface Sighting {
  what: string
  /** By the clock of the client. Infinite without a response. */
  sentAt: number
  answeredAt: number
  /** The largest value before and the smallest value after. */
  atMostBefore: number
  atLeastAfter: number
}

/**
 * Real time: a response before another request was sent comes before it, for all clients. For a value that only grows
 * this is sufficient: if each pair is in order, a total order exists. Returns the first pair that is not in order.
 */
export function inOrder(sightings: readonly Sighting[]): { earlier: Sighting; later: Sighting } | null {
  const bySending = sightings.toSorted((a, b) => a.sentAt - b.sentAt)
  const byAnswer = sightings.toSorted((a, b) => a.answeredAt - b.answeredAt)
  let highest: Sighting | null = null
  let next = 0
  for (const later of bySending) {
    for (; (byAnswer[next]?.answeredAt ?? Infinity) < later.sentAt; next++) {
      const answered = byAnswer[next] as Sighting
      if (!highest || answered.atLeastAfter > highest.atLeastAfter) highest = answered
    }
    if (highest && highest.atLeastAfter > later.atMostBefore) return { earlier: highest, later }
  }
  return null
}
