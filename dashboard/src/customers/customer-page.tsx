import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import type { Tagged } from '../api/client.ts'
import type { Customer } from '../api/records.ts'
import { ClaimList } from '../claims/claim-list.tsx'
import { ClaimSection } from '../claims/claim-section.tsx'
import type { AnyClaim } from '../claims/claims-api.ts'
import { CreateClaimButton } from '../claims/create-claim-dialog.tsx'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { DateTime } from '../components/time.tsx'
import { MetadataCard } from '../metadata/metadata-card.tsx'
import { overviewQuery } from '../overview/overview-api.ts'
import { ResultCard } from '../overview/result-card.tsx'
import { StatusCounts } from '../overview/status-counts.tsx'
import { customerQuery } from './customers-api.ts'
import { RenameCustomerDialog } from './rename-customer-dialog.tsx'

export function CustomerPage() {
  const { id } = getRouteApi('/shell/customers/$id').useParams()
  const { data, error, refetch } = useQuery(customerQuery(id))
  if (error && !data) return <ErrorState error={error} retry={refetch} isPage />
  return data ? <CustomerDetails key={id} customer={data} /> : <CustomerSkeleton />
}

function CustomerDetails({ customer }: { customer: Tagged<Customer> }) {
  const { id, external_id, name, created_at } = customer
  const [isRenaming, setRenaming] = useState(false)
  return (
    <>
      <PageHeader
        documentTitle={name ?? external_id}
        title={
          <span className="inline-flex max-w-full items-center gap-1">
            <bdi className="min-w-0">{name ?? external_id}</bdi>
            <CopyButton text={id} label="Copy id" />
          </span>
        }
        description={
          <>
            External id <bdi className="text-ink">{external_id}</bdi>, created <DateTime at={created_at} />
          </>
        }
        actions={
          <>
            <CreateClaimButton defaults={{ customer }} />
            <Button onClick={() => setRenaming(true)}>
              <Pencil aria-hidden /> Rename
            </Button>
          </>
        }
      />
      <div className="grid gap-5">
        <CustomerTotals customer={customer} />
        <MetadataCard kind="customers" name={id} record={customer} />
        <ClaimSection
          kind="claims"
          filters={{ customer: id }}
          emptyText="No claim belongs to this customer yet."
        />
        <ClaimSection
          kind="candidates"
          filters={{ customer: external_id }}
          emptyText="No candidate belongs to this customer yet."
        />
      </div>
      <RenameCustomerDialog customer={customer} open={isRenaming} onOpenChange={setRenaming} />
    </>
  )
}

const DAYS = 30
/** Fits beside the figures. */
const SHOWN_CHANGES = 4

/** Totals of live claims and candidates. */
function CustomerTotals({ customer }: { customer: Customer }) {
  const { data, error, refetch } = useQuery(overviewQuery({ days: DAYS, customer_id: customer.id }))
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  if (!data) return <TotalsSkeleton />
  const scope = {
    claims: { customer: customer.id, clock: 'live' },
    candidates: { customer: customer.external_id, clock: 'live' },
  }
  return (
    <>
      <p className="-mb-2 text-xs text-muted">
        Totals include live claims and candidates only, not those on test clocks.
      </p>
      <StatusCounts statuses={data.statuses} pendingOutcomes={data.pending_outcomes} scope={scope} />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <ResultCard overview={data} days={DAYS} scope={scope} />
        <ClaimList
          title="Recent activity"
          all={{ scope, filters: { sort: 'changed' } }}
          claims={(data.recent as AnyClaim[]).slice(0, SHOWN_CHANGES)}
          now={undefined}
          moment="since"
          emptyText="No live claim or candidate of this customer yet."
        />
      </div>
    </>
  )
}

const TotalsSkeleton = () => (
  <>
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4 lg:gap-5">
      {['OPEN', 'PENDING', 'CONFIRMED', 'FAILED'].map((status) => (
        <Skeleton key={status} className="h-36 rounded-xl" />
      ))}
    </div>
    <Skeleton className="h-72 rounded-xl" />
  </>
)

const CustomerSkeleton = () => (
  <div role="status" aria-label="Loading" className="grid gap-5">
    <Skeleton className="h-12 w-64" />
    <TotalsSkeleton />
  </div>
)
