import { getRouteApi } from '@tanstack/react-router'
import { Activity as ActivityIcon, CloudOff, LoaderCircle, Pause, Play, Radio } from 'lucide-react'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { isNotifiedByDefault } from '../../../src/core/notification-types.ts'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { FormError } from '../components/form-error.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { type Activity, ActivityFeed, type Liveness as State } from './activity-feed.ts'
import { ActivityFilterBar } from './activity-filter-bar.tsx'
import { ActivityTable } from './activity-table.tsx'
import { EventSetting } from './event-setting.tsx'
import type { FeedFilters } from './notifications-api.ts'

export function ActivityPage() {
  const filters = getRouteApi('/shell/activity').useSearch()
  const shown = `${filters.type} ${filters.customer}`
  /** The filters when the page was paused. Other filters resume it. */
  const [paused, setPaused] = useState<string | null>(null)
  const isPaused = paused === shown
  const activity = useActivity(filters, isPaused)
  const { entries, isLoaded, liveness, error, retry } = activity
  return (
    <>
      <PageHeader
        title="Activity"
        description="Changes to claims, candidates and test clocks, live."
        actions={
          <>
            <Liveness state={liveness} />
            <Button onClick={() => setPaused(isPaused ? null : shown)}>
              {isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
              {isPaused ? 'Resume' : 'Pause'}
            </Button>
          </>
        }
      />
      <ActivityFilterBar filters={filters} />
      {filters.type && !isNotifiedByDefault(filters.type) ? <EventSetting /> : null}
      {isLoaded && liveness === 'lost' ? <LostNotice /> : null}
      <Card aria-label="Activity">
        {entries.length > 0 ? (
          <ActivityTable entries={entries} />
        ) : isLoaded ? (
          <NoActivity activity={activity} isFiltered={Object.keys(filters).length > 0} />
        ) : error ? (
          <ErrorState error={error} retry={retry} />
        ) : (
          <SkeletonRows rows={10} />
        )}
        <Older activity={activity} />
      </Card>
    </>
  )
}

const LostNotice = () => (
  <p className="mb-4 flex items-start gap-2 rounded-lg bg-pending-soft px-3.5 py-2.5 text-pending">
    <CloudOff aria-hidden className="mt-0.5 size-4 shrink-0" />
    This list may be out of date. Reconnecting automatically. Nothing will be missed.
  </p>
)

function NoActivity({ activity, isFiltered }: { activity: Activity; isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <EmptyState icon={ActivityIcon} title="Nothing has happened yet">
        Create a claim. It appears here immediately.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={ActivityIcon}
      title={activity.older === null ? 'Nothing matches the filters' : 'Nothing recent matches the filters'}
    >
      New matches appear here immediately.
    </EmptyState>
  )
}

/** Loads older entries. */
function Older({ activity }: { activity: ReturnType<typeof useActivity> }) {
  const { older, olderError, isLoadingOlder, showOlder } = activity
  if (older === null) return null
  return (
    <div className="grid justify-items-center gap-3 border-t px-5 py-3">
      <FormError error={olderError} />
      <Button size="sm" pending={isLoadingOlder} onClick={showOlder}>
        Show more
      </Button>
    </div>
  )
}

const LOOKS = {
  connecting: [LoaderCircle, 'text-muted', 'Connecting'],
  live: [Radio, 'text-confirmed', 'Live'],
  paused: [Pause, 'text-muted', 'Paused'],
  lost: [CloudOff, 'text-pending', 'Connection lost'],
} as const

/** Shows by icon and text whether the list is up to date. */
function Liveness({ state }: { state: State }) {
  const [Icon, tone, words] = LOOKS[state]
  return (
    <span role="status" className={`inline-flex items-center gap-1.5 px-1 font-medium ${tone}`}>
      <Icon aria-hidden className="size-4" />
      {words}
    </span>
  )
}

interface FollowedActivity extends Activity {
  showOlder: () => void
  /** Starts again after an error that is not retried. */
  retry: () => void
}

/** The feed, followed while the page is visible and not paused. */
function useActivity({ type, customer }: FeedFilters, isPaused: boolean): FollowedActivity {
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt needs a new feed
  const feed = useMemo(() => new ActivityFeed({ type, customer }), [type, customer, attempt])
  const isInSight = useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === 'visible')
  const isFollowed = isInSight && !isPaused
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
