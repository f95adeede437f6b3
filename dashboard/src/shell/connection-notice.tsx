import { useQueryClient } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { NetworkError } from '../api/client.ts'

/** Shown while the service is unreachable. */
export function ConnectionNotice() {
  const cache = useQueryClient().getQueryCache()
  const isDown = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () =>
      cache.findAll({ type: 'active' }).some(({ state }) => state.fetchFailureReason instanceof NetworkError),
  )
  return (
    <div role="status">
      {isDown ? (
        <p className="sticky top-0 z-20 flex items-center justify-center gap-2 bg-pending-soft px-4 py-2 text-pending">
          <CloudOff aria-hidden className="size-4 shrink-0" />
          The service cannot be reached. This page may be out of date.
        </p>
      ) : null}
    </div>
  )
}
