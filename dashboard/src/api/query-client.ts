import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, NetworkError } from './client.ts'

/** How often a visible page with live figures refetches. */
export const POLL_MS = 4_000

export const session = {
  /** Called when the session has ended. The router sets it. */
  onEnd: () => {},
  /** A task is running that can continue after a sign-in in another tab, so the page must stay. */
  isHeld: false,
}

function onError(error: unknown): void {
  if (error instanceof ApiError && error.code === 'TOKEN_INVALID') session.onEnd()
}

/** Retries after a lost connection and 503. */
const isWorthRetrying = (failures: number, error: unknown): boolean =>
  error instanceof NetworkError
    ? failures < 1
    : error instanceof ApiError && error.status === 503 && failures < 2

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      retry: isWorthRetrying,
      retryDelay: (attempt) => 500 * 2 ** attempt,
      staleTime: 2_000,
      // The service may run on this machine and be reachable while the browser is offline.
      networkMode: 'always',
      // A page recovers by itself when the service is reachable again.
      refetchInterval: (query) => (query.state.error instanceof NetworkError ? 5_000 : false),
    },
    mutations: { networkMode: 'always' },
  },
})
