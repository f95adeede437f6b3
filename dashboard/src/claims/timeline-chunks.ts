import { useEffect, useState } from 'react'

/** Events per chunk. A chunk is rendered and re-rendered as a whole. */
const PIECE = 100

/** Chunks shown initially. A log may hold 10,000 events. */
const FIRST_SHOWN = 1
/** Factor by which "show more" increases the number of chunks. */
const GROWTH = 10

/** Chunks counted from the first item, so that an added item changes only the last chunk. */
export function piecesOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / PIECE)
  return Array.from({ length: count }, (_, i) => items.slice(i * PIECE, (i + 1) * PIECE))
}

/** The number of chunks to show. Chunks are added one per task, so that the page stays responsive.
 */
export function useShownPieces(count: number) {
  const [wanted, setWanted] = useState(FIRST_SHOWN)
  const [shown, setShown] = useState(FIRST_SHOWN)
  // The last chunk may have few items, so one more chunk is shown.
  const most = Math.min(count, wanted + 1)
  const more = wanted * GROWTH
  useEffect(() => {
    if (shown >= most) return
    const timer = setTimeout(() => setShown(shown + 1))
    return () => clearTimeout(timer)
  }, [shown, most])
  return {
    shown: Math.min(shown, most),
    /** The number of chunks after "show more". */
    next: Math.min(count, more + 1),
    isComing: shown < most,
    showMore: () => setWanted(more),
  }
}
