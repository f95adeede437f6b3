/**
 * A look at, or a change of, what only ever grows (a log's length, a clock's time), somewhere between two moments.
 * @see inOrder
 */
export interface Sighting {
  what: string
  /** By the clock of the one who asks; infinite where no answer came. */
  sentAt: number
  answeredAt: number
  /** What it had at most before, and at least after. */
  atMostBefore: number
  atLeastAfter: number
}

/**
 * Real time: what was answered before something else was sent came before it, for all clients. For what only grows that
 * is all that can be demanded, and all of it: if each pair is in order, there is an order of everything.
 * Returns the first pair that is not.
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
