import { useRouterState } from '@tanstack/react-router'

declare module '@tanstack/history' {
  interface HistoryState {
    /** Cursors of the pages before the shown one. */
    cursors?: string[]
  }
}

/**
 * To a list's next page and back: the URL has the shown page's cursor, the browser's history those before it. `go` goes
 * to the page after a cursor, with the state given.
 */
export function usePages(
  after: string | undefined,
  next: string | null,
  go: (after: string | undefined, state: { cursors: string[] }) => void,
) {
  const cursors = useRouterState({ select: ({ location }) => location.state.cursors }) ?? []
  return {
    page: after ? cursors.length + 2 : 1,
    onNext: next ? () => go(next, { cursors: after ? [...cursors, after] : [] }) : null,
    // A link from elsewhere comes without the pages before it: then back to the first.
    onPrevious: after ? () => go(cursors.at(-1), { cursors: cursors.slice(0, -1) }) : null,
  }
}
