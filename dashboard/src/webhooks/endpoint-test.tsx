import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useEffect } from 'react'
import type { WebhookEndpoint } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { FormError } from '../components/form-error.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { DeliveryAttempts, DeliveryStatusBadge } from './delivery-attempts.tsx'
import { deliveryQuery, testEndpoint } from './webhooks-api.ts'

/** Sends a test delivery and shows its result. */
export function EndpointTest({ endpoint: { id, enabled } }: { endpoint: WebhookEndpoint }) {
  const queryClient = useQueryClient()
  const test = useMutation({
    mutationFn: () => testEndpoint(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['webhooks'] }),
  })
  return (
    <Card aria-label="Test">
      <CardHeader
        title="Test"
        description="Sends a test delivery, signed and numbered like any other."
        actions={
          <Button size="sm" pending={test.isPending} onClick={() => test.mutate()}>
            <Send aria-hidden /> Send a test
          </Button>
        }
      />
      {test.data || test.error ? (
        <CardBody>
          <FormError error={test.error} />
          {test.data ? <TestResult key={test.data.id} id={test.data.id} isEnabled={enabled} /> : null}
        </CardBody>
      ) : null}
    </Card>
  )
}

function TestResult({ id, isEnabled }: { id: string; isEnabled: boolean }) {
  const { data, error } = useQuery(deliveryQuery(id))
  const queryClient = useQueryClient()
  const isSent = data !== undefined && data.status !== 'waiting'
  // Update the list of deliveries and the health immediately.
  useEffect(() => {
    if (isSent) void queryClient.invalidateQueries({ queryKey: ['webhooks'] })
  }, [isSent, queryClient])
  if (!data) return error ? <FormError error={error} /> : <Skeleton className="w-40" />
  return (
    <div role="status" className="grid gap-3">
      <p className="flex flex-wrap items-center gap-2">
        <span className="figures">#{data.number.toLocaleString('en')}</span>
        <DeliveryStatusBadge status={data.status} />
        {isEnabled || data.status !== 'waiting' ? null : (
          <span className="text-muted">It is sent once the endpoint is enabled.</span>
        )}
      </p>
      {data.attempts.length > 0 ? <DeliveryAttempts attempts={data.attempts} /> : null}
    </div>
  )
}
