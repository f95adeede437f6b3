import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Clock } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { ApiError } from '../api/client.ts'
import type { Overview } from '../api/records.ts'
import { ClaimList } from '../claims/claim-list.tsx'
import type { AnyClaim } from '../claims/claims-api.ts'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { loadPage } from '../components/load-page.ts'
import { PageHeader } from '../components/page-header.tsx'
import { Segmented } from '../components/segmented.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { DateTime } from '../components/time.tsx'
import { NoLiveClaims } from '../demo/no-live-claims.tsx'
import { TestClockSelect } from '../test-clocks/test-clock-select.tsx'
import { OverdueNotice } from './overdue-notice.tsx'
import { overviewQuery } from './overview-api.ts'
import { ResultCard } from './result-card.tsx'
import { StatusCounts } from './status-counts.tsx'

/** In a chunk of its own, because it is large and the figures do not need it. */
const ResolutionsChart = lazy(() => loadPage(() => import('./resolutions-chart.tsx')))

const PERIODS = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const

export function OverviewPage() {
  const { days = 30, clock } = getRouteApi('/shell/').useSearch()
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(overviewQuery({ days, test_clock_id: clock }))
  const show = (search: { days: 7 | 30 | 90; clock: string | undefined }) =>
    void navigate({
      to: '/',
      search: {
        ...(search.days === 30 ? {} : { days: search.days }),
        ...(search.clock ? { clock: search.clock } : {}),
      },
      replace: true,
    })
  return (
    <>
      <PageHeader
        title="Overview"
        description="Did the promised outcomes happen?"
        actions={
          <>
            <TestClockSelect
              aria-label="Live or test clock"
              className="w-56"
              none="Live"
              value={clock ?? ''}
              onChange={(chosen) => show({ days, clock: chosen || undefined })}
            />
            <Segmented
              label="Period"
              value={String(days) as '7' | '30' | '90'}
              options={PERIODS}
              onChange={(chosen) => show({ days: Number(chosen) as 7 | 30 | 90, clock })}
            />
          </>
        }
      />
      {data ? (
        <OverviewBody overview={data} days={days} clock={clock} />
      ) : error ? (
        <ErrorState
          error={error}
          retry={error instanceof ApiError && error.status < 500 ? undefined : refetch}
        />
      ) : (
        <OverviewSkeleton />
      )}
    </>
  )
}

interface OverviewBodyProps {
  overview: Overview
  days: number
  clock: string | undefined
}

function OverviewBody({ overview, days, clock }: OverviewBodyProps) {
  const count = Object.values(overview.statuses).reduce((sum, status) => sum + status.count, 0)
  const now = clock ? overview.as_of : undefined
  const ofClock = { clock: clock ?? 'live' }
  const scope = { claims: ofClock, candidates: ofClock }
  return (
    <div className="grid gap-5">
      {count === 0 && !clock ? <NoLiveClaims /> : null}
      {clock ? <ClockNotice clock={clock} asOf={overview.as_of} /> : null}
      <OverdueNotice overdue={overview.overdue} now={now} scope={scope} asOf={overview.as_of} />
      <StatusCounts statuses={overview.statuses} pendingOutcomes={overview.pending_outcomes} scope={scope} />
      <div className="grid items-stretch gap-5 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Card aria-label="Resolutions by day">
          <CardHeader
            title="Resolutions by day"
            description={`The last ${days} days, in ${overview.time_zone}.`}
          />
          <CardBody>
            <Suspense fallback={<Skeleton className="h-64 rounded-lg" />}>
              <ResolutionsChart days={overview.resolutions_by_day} />
            </Suspense>
          </CardBody>
        </Card>
        <ResultCard overview={overview} days={days} scope={scope} />
      </div>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <ClaimList
          title="Due next"
          all={{ scope, filters: { sort: 'due' } }}
          claims={overview.due_next as AnyClaim[]}
          now={now}
          emptyText="No claim has a due time."
        />
        <ClaimList
          title="Recent activity"
          all={{ scope, filters: { sort: 'changed' } }}
          claims={overview.recent as AnyClaim[]}
          now={now}
          moment="since"
          emptyText="Nothing has happened yet."
        />
      </div>
    </div>
  )
}

/** The time of the test clock, and a link to advance it. */
const ClockNotice = ({ clock, asOf }: { clock: string; asOf: string }) => (
  <p className="-mb-2 flex flex-wrap items-center gap-x-2 gap-y-1 rounded-xl bg-accent-soft px-4 py-2.5 text-accent">
    <Clock aria-hidden className="size-4 shrink-0" />
    <span>
      These figures are for a test clock at <DateTime at={asOf} />.
    </span>
    <Link to="/test-clocks/$id" params={{ id: clock }} className="font-medium underline underline-offset-4">
      Advance it
    </Link>
  </p>
)

const OverviewSkeleton = () => (
  <div role="status" aria-label="Loading" className="grid gap-5">
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4 lg:gap-5">
      {['OPEN', 'PENDING', 'CONFIRMED', 'FAILED'].map((status) => (
        <Skeleton key={status} className="h-[7.5rem] rounded-xl" />
      ))}
    </div>
    <div className="grid gap-5 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <Skeleton className="h-[22rem] rounded-xl" />
      <Skeleton className="h-[22rem] rounded-xl" />
    </div>
  </div>
)
