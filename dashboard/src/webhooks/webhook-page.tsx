import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Tagged } from '../api/client.ts'
import type { WebhookEndpoint } from '../api/records.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Deliveries } from './deliveries.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointHealth } from './endpoint-health.tsx'
import { nameOfEndpoint } from './endpoint-name.ts'
import { EndpointNotice } from './endpoint-notice.tsx'
import { EndpointSettings } from './endpoint-settings.tsx'
import { EndpointTest } from './endpoint-test.tsx'
import { endpointQuery } from './webhooks-api.ts'

export function WebhookPage() {
  const { id } = getRouteApi('/shell/webhooks/$id').useParams()
  const { data, error, refetch } = useQuery(endpointQuery(id))
  if (error && !data) return <ErrorState error={error} retry={refetch} isPage />
  return data ? <EndpointDetails key={id} endpoint={data} /> : <EndpointSkeleton />
}

function EndpointDetails({ endpoint }: { endpoint: Tagged<WebhookEndpoint> }) {
  const { id, url } = endpoint
  const name = nameOfEndpoint(endpoint)
  return (
    <>
      <PageHeader
        documentTitle={`Webhook ${name}`}
        title={
          <span className="inline-flex max-w-full items-center gap-1">
            <bdi className="min-w-0 break-words">{name}</bdi>
            <CopyButton text={id} label="Copy id" />
          </span>
        }
        description={<bdi className="break-all">{url}</bdi>}
        actions={<EndpointActions endpoint={endpoint} />}
      />
      <EndpointNotice endpoint={endpoint} />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid gap-5 max-lg:order-2">
          <EndpointTest endpoint={endpoint} />
          <Deliveries endpoint={endpoint} />
        </div>
        <div className="grid gap-5">
          <EndpointHealth endpoint={endpoint} />
          <EndpointSettings endpoint={endpoint} />
        </div>
      </div>
    </>
  )
}

const EndpointSkeleton = () => (
  <div role="status" aria-label="Loading" className="grid gap-5">
    <Skeleton className="h-12 w-64" />
    <Skeleton className="h-48 rounded-xl" />
    <Skeleton className="h-72 rounded-xl" />
  </div>
)
