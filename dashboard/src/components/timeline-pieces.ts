import { useEffect, useState } from 'react'

/** Events of a piece of a timeline: rendered at once, and again only together. */
const PIECE = 100

/** Pieces that are shown at first: a log may hold ten thousand events. */
const FIRST_SHOWN = 1
/** How many times more are shown when more are asked for. */
const GROWTH = 10

/** The items in pieces, counted from the first, so that what is added changes the last piece alone. */
export function piecesOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / PIECE)
  return Array.from({ length: count }, (_, i) => items.slice(i * PIECE, (i + 1) * PIECE))
}

/**
 * How many pieces to show, and how to ask for more. They come one at a time, each in a task of its own, so that the page
 * goes on answering meanwhile.
 */
export function useShownPieces(count: number) {
  const [wanted, setWanted] = useState(FIRST_SHOWN)
  const [shown, setShown] = useState(FIRST_SHOWN)
  // The last piece may have only begun: with the one before it there are enough.
  const most = Math.min(count, wanted + 1)
  const more = wanted * GROWTH
  useEffect(() => {
    if (shown >= most) return
    const timer = setTimeout(() => setShown(shown + 1))
    return () => clearTimeout(timer)
  }, [shown, most])
  return {
    shown: Math.min(shown, most),
    /** As many are shown once more are asked for. */
    next: Math.min(count, more + 1),
    isComing: shown < most,
    showMore: () => setWanted(more),
  }
}
