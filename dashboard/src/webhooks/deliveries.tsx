import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../src/core/webhooks.ts'
import type { WebhookEndpoint } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Card, CardHeader } from '../components/card.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { Pagination } from '../components/pagination.tsx'
import { Select } from '../components/select.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { usePages } from '../components/use-pages.ts'
import { DeliveryItem } from './delivery-item.tsx'
import { RedeliverRangeDialog } from './redeliver-range-dialog.tsx'
import { deliveriesQuery } from './webhooks-api.ts'

/** The deliveries of an endpoint. Filter and page are in the URL. */
export function Deliveries({ endpoint: { id } }: { endpoint: WebhookEndpoint }) {
  const { status, after } = getRouteApi('/shell/webhooks/$id').useSearch()
  const navigate = useNavigate()
  const [isRedelivering, setRedelivering] = useState(false)
  const list = useQuery(deliveriesQuery({ endpoint_id: id, status, after }))
  const filter = status ? { status } : {}
  const pages = usePages(after, list.data?.next_cursor ?? null, (cursor, state) =>
    navigate({
      to: '/webhooks/$id',
      params: { id },
      search: { ...filter, ...(cursor ? { after: cursor } : {}) },
      state,
    }),
  )
  const showStatus = (chosen: string) =>
    void navigate({
      to: '/webhooks/$id',
      params: { id },
      search: chosen ? { status: chosen as DeliveryStatus } : {},
    })
  return (
    <Card aria-label="Deliveries" aria-busy={list.isPlaceholderData}>
      <CardHeader
        title="Deliveries"
        description="Newest first."
        actions={
          <>
            <Select
              aria-label="Status"
              className="w-36"
              value={status ?? ''}
              onChange={({ target }) => showStatus(target.value)}
            >
              <option value="">Any status</option>
              {DELIVERY_STATUSES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </Select>
            <Button onClick={() => setRedelivering(true)}>Send a period again</Button>
          </>
        }
      />
      {list.data && list.data.data.length > 0 ? (
        <ul aria-label="Deliveries" className="divide-y border-t">
          {list.data.data.map((delivery) => (
            <DeliveryItem key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      ) : list.data ? (
        <p className="px-5 pb-5 text-muted">{status ? `No delivery is ${status}.` : 'No deliveries yet.'}</p>
      ) : list.error ? (
        <ErrorState error={list.error} retry={list.refetch} />
      ) : (
        <SkeletonRows rows={4} />
      )}
      <Pagination {...pages} />
      <RedeliverRangeDialog endpointId={id} open={isRedelivering} onClose={() => setRedelivering(false)} />
    </Card>
  )
}
