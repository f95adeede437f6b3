import { TriangleAlert } from 'lucide-react'
import type { WebhookEndpoint } from '../api/records.ts'
import { Countdown, DateTime } from '../components/time.tsx'
import { useNow } from '../components/use-now.ts'
import { stateOf } from './endpoint-state.tsx'

/** The problem of an endpoint, and how to fix it. */
export function EndpointNotice({ endpoint }: { endpoint: WebhookEndpoint }) {
  const state = stateOf(endpoint, useNow())
  if (state === 'on' || state === 'off') return null
  const tone = state.startsWith('disabled') ? 'bg-failed-soft text-failed' : 'bg-pending-soft text-pending'
  return (
    <div role="status" className={`mb-5 flex items-start gap-2 rounded-lg px-3.5 py-2.5 ${tone}`}>
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p className="min-w-0 text-pretty">
        <Words endpoint={endpoint} state={state} />
      </p>
    </div>
  )
}

interface WordsProps {
  endpoint: WebhookEndpoint
  state: Exclude<ReturnType<typeof stateOf>, 'on' | 'off'>
}

function Words({ endpoint: { health }, state }: WordsProps) {
  const since = health.failing_since ? (
    <>
      {' '}
      since <DateTime at={health.failing_since} />
    </>
  ) : null
  switch (state) {
    case 'disabled as failing':
      return 'Disabled because every attempt failed for 5 days. Fix the receiver and enable the endpoint. Sending continues where it stopped.'
    case 'disabled as gone':
      return 'Disabled because the receiver answered 410 Gone. If you enable the endpoint, sending continues where it stopped.'
    case 'failing':
      return <>All attempts have failed{since}. Deliveries are retried.</>
    case 'paused':
      return (
        <>
          All attempts have failed{since}. Sending is paused.{' '}
          {health.paused_until ? (
            <>
              Next attempt <Countdown at={health.paused_until} prefix="in " />.
            </>
          ) : null}
        </>
      )
  }
}
