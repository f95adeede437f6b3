import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight, RotateCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { WebhookDelivery } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { CodeBlock } from '../components/code-block.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { FormError } from '../components/form-error.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { Countdown, DateTime } from '../components/time.tsx'
import { useToast } from '../components/toast.tsx'
import { escapeBidiControls } from '../format/bidi.ts'
import { typeInWords } from '../notifications/notification-words.ts'
import { DeliveryAttempts, DeliveryStatusBadge } from './delivery-attempts.tsx'
import { deliveryQuery, redeliver } from './webhooks-api.ts'

interface DeliveryItemProps {
  delivery: WebhookDelivery
  /** The endpoint: its name in the summary and a link in the details. Missing on the page of the endpoint. */
  to?: { name: string; link: ReactNode }
}

/** A delivery as a summary line with expandable details. */
export function DeliveryItem({ delivery, to }: DeliveryItemProps) {
  const [isOpen, setOpen] = useState(false)
  const { number, type, status, created_at } = delivery
  return (
    <li>
      <details className="group" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="flex list-none items-center gap-3 px-5 py-2.5 hover:bg-sunken/60 [&::-webkit-details-marker]:hidden">
          <ChevronRight aria-hidden className="size-4 shrink-0 text-muted group-open:rotate-90" />
          <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-0.5">
            <span className="min-w-0 break-words max-sm:w-full">
              <span className="figures text-muted">#{number.toLocaleString('en')}</span>{' '}
              <span className="font-medium">{typeInWords(type)}</span>
              {to ? (
                <span className="text-muted">
                  {' '}
                  to <bdi>{to.name}</bdi>
                </span>
              ) : null}
            </span>
            <span className="flex flex-wrap items-center gap-x-3 gap-y-0.5 sm:ml-auto">
              <DateTime at={created_at} className="text-xs text-muted" />
              <DeliveryStatusBadge status={status} />
            </span>
          </span>
        </summary>
        {isOpen ? <DeliveryDetails id={delivery.id} link={to?.link} /> : null}
      </details>
    </li>
  )
}

function DeliveryDetails({ id, link }: { id: string; link: ReactNode }) {
  const { data, error, refetch } = useQuery(deliveryQuery(id))
  const redelivery = useRedelivery(id)
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  if (!data) return <SkeletonRows rows={2} />
  return (
    <div className="grid gap-4 border-t bg-canvas px-5 py-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">
          {data.next_attempt_at ? (
            <>
              Next attempt: <Countdown at={data.next_attempt_at} prefix="in " />
            </>
          ) : data.status === 'waiting' ? (
            'Waiting to be sent.'
          ) : data.status === 'failed' ? (
            'Failed. It is not retried automatically.'
          ) : (
            'Delivered.'
          )}
        </p>
        <Button size="sm" pending={redelivery.isPending} onClick={() => redelivery.mutate()}>
          <RotateCw aria-hidden /> Send again
        </Button>
      </div>
      {link ? <p className="min-w-0 break-words">{link}</p> : null}
      <FormError error={redelivery.error} />
      <DeliveryAttempts attempts={data.attempts} />
      <DeliveryBody delivery={data} />
    </div>
  )
}

function useRedelivery(id: string) {
  const queryClient = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: () => redeliver(id),
    onSuccess: () => toast('Delivery queued again'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['webhooks'] }),
  })
}

/** The body of a delivery and the hashes that link it to the previous delivery. */
function DeliveryBody({ delivery }: { delivery: WebhookDelivery & { body: string } }) {
  const { body, hash, previous_hash, notification_id, type, claim_id } = delivery
  return (
    <div className="grid gap-2">
      <h3 className="text-[0.8125rem] font-medium">Body</h3>
      <CodeBlock text={escapeBidiControls(formatted(body))} original={body} label="body" wrap />
      <dl className="grid gap-x-4 text-xs sm:grid-cols-[auto_minmax(0,1fr)]">
        {claim_id && type.startsWith('claim.') ? (
          <Fact name="Claim">
            <Link to="/claims/$id" params={{ id: claim_id }} className="underline underline-offset-2">
              {claim_id}
            </Link>
          </Fact>
        ) : null}
        <Fact name="Notification">{notification_id}</Fact>
        <Fact name="SHA-256 of the body">{hash}</Fact>
        <Fact name="SHA-256 of the previous body">{previous_hash}</Fact>
      </dl>
    </div>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="font-mono break-all">{children}</dd>
  </>
)

function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
