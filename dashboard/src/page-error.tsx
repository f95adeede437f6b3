import { useEffect } from 'react'
import { NetworkError } from './api/client.ts'
import { ErrorState } from './components/ui/error-state.tsx'
import { isServiceReachable } from './load-page.ts'

/** A page that could not be had asks this often whether the service answers again. */
const ASK_MS = 5_000

/** In place of a page that could not be loaded or shown. With the service it comes back by itself. */
export function PageError({ error }: { error: unknown }) {
  const isAway = error instanceof NetworkError
  useEffect(() => {
    if (!isAway) return
    const timer = setInterval(reloadOnceReachable, ASK_MS)
    return () => clearInterval(timer)
  }, [isAway])
  return <ErrorState error={error} retry={isAway ? reloadOnceReachable : () => location.reload()} isPage />
}

/**
 * With the whole page, since the router keeps a chunk that failed. Not while the service is away: then the browser would
 * show a page of its own, from which nothing comes back.
 */
async function reloadOnceReachable(): Promise<void> {
  if (await isServiceReachable()) location.reload()
}
