import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, NetworkError } from './client.ts'

export const session = {
  /** What to do when it has ended: the router sets it. */
  onEnd: () => {},
  /** Something is under way that can go on once one has signed in again in another tab: the page stays. */
  isHeld: false,
}

function onError(error: unknown): void {
  if (error instanceof ApiError && error.code === 'TOKEN_INVALID') session.onEnd()
}

/** Again after a lost connection and 503, by and by; other answers stay what they are. */
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
      // The service may be on this machine: reachable when the browser says that it is offline.
      networkMode: 'always',
      // A page whose service is away asks on, and comes back by itself.
      refetchInterval: (query) => (query.state.error instanceof NetworkError ? 5_000 : false),
    },
    mutations: { networkMode: 'always' },
  },
})
