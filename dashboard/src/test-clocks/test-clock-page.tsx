import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { POLL_MS } from '../api/query-client.ts'
import type { TestClock } from '../api/records.ts'
import { ClaimList } from '../claims/claim-list.tsx'
import { ClaimSection } from '../claims/claim-section.tsx'
import type { AnyClaim } from '../claims/claims-api.ts'
import { CreateClaimButton } from '../claims/create-claim-button.tsx'
import { Button, buttonVariants } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { shortId } from '../format/short-id.ts'
import { overviewQuery } from '../overview/overview-api.ts'
import { StatusFigures } from '../overview/status-counts.tsx'
import { AdvanceCard } from './advance-card.tsx'
import { DeleteClockDialog } from './delete-clock-dialog.tsx'
import { testClockQuery } from './test-clocks-api.ts'

export function TestClockPage() {
  const { id } = getRouteApi('/shell/test-clocks/$id').useParams()
  const { data, error, refetch } = useQuery({ ...testClockQuery(id), refetchInterval: POLL_MS })
  if (error && !data) return <ErrorState error={error} retry={refetch} isPage />
  return data ? <ClockDetails key={id} clock={data} /> : <ClockSkeleton />
}

function ClockDetails({ clock }: { clock: TestClock }) {
  const { id, name } = clock
  const [isDeleting, setDeleting] = useState(false)
  const filters = { clock: id }
  return (
    <>
      <PageHeader
        documentTitle={name ?? `Test clock ${shortId(id)}`}
        title={
          <span className="inline-flex max-w-full items-center gap-1">
            <bdi className="min-w-0">{name ?? `Test clock ${shortId(id)}`}</bdi>
            <CopyButton text={id} label="Copy id" />
          </span>
        }
        description="Claims on this clock use its time instead of the real time."
        actions={
          <>
            <CreateClaimButton begin={{ clock: id }} />
            <Link to="/" search={{ clock: id }} className={buttonVariants()}>
              Overview
            </Link>
            <Button onClick={() => setDeleting(true)}>Delete</Button>
          </>
        }
      />
      <div className="grid gap-5">
        <AdvanceCard clock={clock} />
        <ClockFigures clock={clock} />
        <ClaimSection
          kind="claims"
          filters={filters}
          empty="No claim is on this clock yet. Create one above, or set test_clock_id in the API."
        />
        <ClaimSection kind="candidates" filters={filters} empty="No candidate is on this clock." />
      </div>
      <DeleteClockDialog clock={clock} open={isDeleting} onOpenChange={setDeleting} />
    </>
  )
}

const DAYS = 30

function ClockFigures({ clock }: { clock: TestClock }) {
  const { data, error, refetch } = useQuery(overviewQuery({ days: DAYS, test_clock_id: clock.id }))
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  if (!data) return <Skeleton className="h-40 rounded-xl" />
  const ofClock = { clock: clock.id }
  const scope = { claims: ofClock, candidates: ofClock }
  return (
    <>
      <StatusFigures statuses={data.statuses} pendingOutcomes={data.pending_outcomes} scope={scope} />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <ClaimList
          title="Due next"
          all={{ scope, filters: { sort: 'due' } }}
          claims={data.due_next as AnyClaim[]}
          now={clock.frozen_time}
          empty="Nothing is due: no claim on this clock is OPEN or PENDING."
        />
        <ClaimList
          title="Latest changes"
          all={{ scope, filters: { sort: 'changed' } }}
          claims={data.recent as AnyClaim[]}
          now={clock.frozen_time}
          moment="since"
          empty="Nothing has happened on this clock yet."
        />
      </div>
    </>
  )
}

const ClockSkeleton = () => (
  <div role="status" aria-label="Loading" className="grid gap-5">
    <Skeleton className="h-12 w-64" />
    <Skeleton className="h-48 rounded-xl" />
    <Skeleton className="h-40 rounded-xl" />
  </div>
)
