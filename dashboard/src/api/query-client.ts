import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, NetworkError } from './client.ts'

/** How often a visible page with live figures refetches. */
export const POLL_MS = 4_000
/** A page recovers by itself when the service is reachable again. */
const UNREACHABLE_POLL_MS = 5_000
const FIRST_RETRY_DELAY_MS = 500
/** A newer answer is shown without a request, for example after a navigation. */
const FRESH_MS = 2_000

export const session = {
  /** Called when the session has ended. The router sets it. */
  onEnd: () => {},
  /** Set while a task runs that must not be lost. It can continue after a sign-in in another tab. */
  mustStayOnPage: false,
}

function onError(error: unknown): void {
  if (error instanceof ApiError && error.code === 'TOKEN_INVALID') session.onEnd()
}

/** Retries once after a lost connection, and twice after 503. */
const shouldRetry = (failures: number, error: unknown): boolean =>
  error instanceof NetworkError
    ? failures < 1
    : error instanceof ApiError && error.status === 503 && failures < 2

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      retry: shouldRetry,
      retryDelay: (attempt) => FIRST_RETRY_DELAY_MS * 2 ** attempt,
      staleTime: FRESH_MS,
      // The service may run on this machine and be reachable while the browser is offline.
      networkMode: 'always',
      refetchInterval: (query) => (query.state.error instanceof NetworkError ? UNREACHABLE_POLL_MS : false),
    },
    mutations: { networkMode: 'always' },
  },
})
