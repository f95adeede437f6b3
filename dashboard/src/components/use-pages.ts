import { useRouterState } from '@tanstack/react-router'

declare module '@tanstack/history' {
  interface HistoryState {
    /** Cursors of the previous pages. */
    cursors?: string[]
  }
}

/** Pagination of a list. The URL has the cursor of the shown page, the history state has the cursors of the previous pages.
 * `go` opens the page after a cursor.
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
    // A shared link has no previous cursors: go to the first page.
    onPrevious: after ? () => go(cursors.at(-1), { cursors: cursors.slice(0, -1) }) : null,
  }
}
