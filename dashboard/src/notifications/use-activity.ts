import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { type Activity, ActivityFeed } from './activity-feed.ts'
import type { FeedFilters } from './notifications-api.ts'

interface FollowedActivity extends Activity {
  showOlder: () => void
  /** Starts again after an error that is not retried. */
  retry: () => void
}

/** The feed, followed while the page is visible and not paused. */
export function useActivity({ type, customer }: FeedFilters, isHeld: boolean): FollowedActivity {
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt needs a new feed
  const feed = useMemo(() => new ActivityFeed({ type, customer }), [type, customer, attempt])
  const isInSight = useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === 'visible')
  const isFollowed = isInSight && !isHeld
  useEffect(() => (isFollowed ? feed.start() : undefined), [feed, isFollowed])
  const activity = useSyncExternalStore(feed.subscribe, feed.shown)
  return {
    ...activity,
    showOlder: () => void feed.showOlder(),
    retry: () => setAttempt((before) => before + 1),
  }
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}
