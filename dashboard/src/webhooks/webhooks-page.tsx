import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Webhook } from 'lucide-react'
import { useState } from 'react'
import { POLL_MS } from '../api/query-client.ts'
import type { WebhookEndpoint } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { LinkRow, Table, Td, Th } from '../components/table.tsx'
import { milliseconds } from '../format/short-duration.ts'
import { CreateEndpointDialog } from './create-endpoint-dialog.tsx'
import { nameOfEndpoint } from './endpoint-name.ts'
import { EndpointStateBadge, SuccessRate, WaitingDeliveries } from './endpoint-state.tsx'
import { endpointsQuery } from './webhooks-api.ts'

export function WebhooksPage() {
  const { data, error, refetch } = useQuery({ ...endpointsQuery, refetchInterval: POLL_MS })
  const [isCreating, setCreating] = useState(false)
  const createButton = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden /> Create endpoint
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Notifications are sent to your endpoints: signed, numbered without gaps, and retried until they are delivered."
        actions={createButton}
      />
      <Card aria-label="Webhook endpoints">
        {data && data.length > 0 ? (
          <EndpointTable endpoints={data} />
        ) : data ? (
          <EmptyState icon={Webhook} title="No endpoints yet" actions={createButton}>
            An endpoint is one of your URLs. Each notification is sent to it with POST.
          </EmptyState>
        ) : error ? (
          <ErrorState error={error} retry={refetch} />
        ) : (
          <SkeletonRows rows={3} />
        )}
      </Card>
      <CreateEndpointDialog open={isCreating} onOpenChange={setCreating} />
    </>
  )
}

/** On a phone, the health is below the state. */
const EndpointTable = ({ endpoints }: { endpoints: readonly WebhookEndpoint[] }) => (
  <Table aria-label="Webhook endpoints">
    <thead>
      <tr>
        <Th>Endpoint</Th>
        <Th className="max-sm:pl-2">State</Th>
        <Th className="text-right max-md:hidden">Succeeded</Th>
        <Th className="text-right max-md:hidden">Median</Th>
        <Th className="max-lg:hidden">Waiting</Th>
      </tr>
    </thead>
    <tbody>
      {endpoints.map((endpoint) => (
        <LinkRow key={endpoint.id}>
          <Td className="max-w-44 max-sm:pr-2 sm:max-w-96">
            <Link
              to="/webhooks/$id"
              params={{ id: endpoint.id }}
              className="font-medium break-words underline-offset-4 hover:underline"
            >
              <bdi>{nameOfEndpoint(endpoint)}</bdi>
            </Link>
            <bdi className="line-clamp-3 text-xs break-all text-muted" title={endpoint.url}>
              {endpoint.url}
            </bdi>
          </Td>
          <Td className="max-sm:pl-2">
            <EndpointStateBadge endpoint={endpoint} />
            {endpoint.health.attempts > 0 ? (
              <span className="mt-0.5 block text-xs text-muted md:hidden">
                <SuccessRate health={endpoint.health} /> succeeded
              </span>
            ) : null}
            {endpoint.health.waiting > 0 ? (
              <span className="block text-xs text-muted lg:hidden">
                {endpoint.health.waiting.toLocaleString('en')} waiting
              </span>
            ) : null}
          </Td>
          <Td className="text-right max-md:hidden">
            <SuccessRate health={endpoint.health} />
          </Td>
          <Td className="figures text-right max-md:hidden">
            {endpoint.health.median_ms === null ? '–' : milliseconds(endpoint.health.median_ms)}
          </Td>
          <Td className="text-muted max-lg:hidden">
            <WaitingDeliveries health={endpoint.health} />
          </Td>
        </LinkRow>
      ))}
    </tbody>
  </Table>
)
