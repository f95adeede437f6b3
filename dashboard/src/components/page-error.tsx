import { useEffect } from 'react'
import { NetworkError } from '../api/client.ts'
import { ErrorState } from './error-state.tsx'
import { isServiceReachable } from './load-page.ts'

/** How often a page that failed to load checks whether the service is reachable. */
const CHECK_INTERVAL_MS = 5_000

/** Replaces a page that failed to load or render. It reloads when the service is reachable again. */
export function PageError({ error }: { error: unknown }) {
  const isAway = error instanceof NetworkError
  useEffect(() => {
    if (!isAway) return
    const timer = setInterval(reloadOnceReachable, CHECK_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isAway])
  return <ErrorState error={error} retry={isAway ? reloadOnceReachable : () => location.reload()} isPage />
}

/** Reloads the whole page, because the router keeps a failed chunk. Not while the service is unreachable: the browser's own
 * error page would not come back.
 */
async function reloadOnceReachable(): Promise<void> {
  if (await isServiceReachable()) location.reload()
}
