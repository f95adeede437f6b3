import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { WebhookEndpoint } from '../api/records.ts'
import type { AnyClaim } from '../claims/claims-api.ts'
import { Card, CardHeader } from '../components/card.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { DeliveryItem } from './delivery-item.tsx'
import { nameOfEndpoint } from './endpoint-name.ts'
import { deliveriesQuery, endpointsQuery } from './webhooks-api.ts'

/** The webhook deliveries of a claim. Nothing if the account has no endpoints. */
export function ClaimDeliveries({ claim }: { claim: AnyClaim }) {
  const { data: endpoints } = useQuery(endpointsQuery)
  return endpoints && endpoints.length > 0 ? <DeliveriesCard claim={claim} endpoints={endpoints} /> : null
}

/** A claim has few notifications and an account few endpoints, so more are rare. */
const MAX_SHOWN = 100

function DeliveriesCard({ claim, endpoints }: { claim: AnyClaim; endpoints: readonly WebhookEndpoint[] }) {
  const of = 'id' in claim ? { claim_id: claim.id } : { candidate_alias: claim.candidate_alias }
  const { data, error, refetch } = useQuery(deliveriesQuery({ ...of, limit: MAX_SHOWN }))
  const endpointOf = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]))
  const newestFirst = data?.data.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  return (
    <Card aria-label="Webhook deliveries">
      <CardHeader
        title="Webhook deliveries"
        description={data?.next_cursor ? `Only ${MAX_SHOWN} are shown.` : 'Newest first.'}
      />
      {newestFirst && newestFirst.length > 0 ? (
        <ul aria-label="Webhook deliveries" className="divide-y border-t">
          {newestFirst.map((delivery) => (
            <DeliveryItem
              key={delivery.id}
              delivery={delivery}
              {...toOf(endpointOf.get(delivery.endpoint_id))}
            />
          ))}
        </ul>
      ) : data ? (
        <p className="px-5 pb-5 text-muted">No deliveries yet.</p>
      ) : error ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <SkeletonRows rows={2} />
      )}
    </Card>
  )
}

/** An endpoint that was created after the list was read is unknown here. */
function toOf(endpoint: WebhookEndpoint | undefined) {
  if (!endpoint) return {}
  const name = nameOfEndpoint(endpoint)
  const link = (
    <>
      To{' '}
      <Link to="/webhooks/$id" params={{ id: endpoint.id }} className="underline underline-offset-2">
        <bdi>{name}</bdi>
      </Link>
    </>
  )
  return { to: { name, link } }
}
