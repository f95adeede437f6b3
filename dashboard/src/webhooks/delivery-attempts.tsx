import { CircleCheck, CircleX, Hourglass } from 'lucide-react'
import type { DeliveryStatus } from '../../../src/core/webhooks.ts'
import type { WebhookAttempt } from '../api/records.ts'
import { Badge } from '../components/badge.tsx'
import { DateTime } from '../components/time.tsx'
import { milliseconds } from '../format/short-duration.ts'

/** Attempts that the service keeps per delivery. */
const MAX_ATTEMPTS_KEPT = 20

/** The attempts of a delivery, newest first. */
export function DeliveryAttempts({ attempts }: { attempts: readonly WebhookAttempt[] }) {
  if (attempts.length === 0) return <p className="text-muted">Not sent yet.</p>
  return (
    <div className="grid gap-2">
      <h3 className="text-[0.8125rem] font-medium">
        {attempts.length === MAX_ATTEMPTS_KEPT ? `The last ${MAX_ATTEMPTS_KEPT} attempts` : 'Attempts'}
      </h3>
      <ol className="grid gap-3">
        {attempts.toReversed().map((attempt) => (
          <Attempt key={attempt.started_at} attempt={attempt} />
        ))}
      </ol>
    </div>
  )
}

function Attempt({
  attempt: { started_at, duration_ms, status, answer, error },
}: {
  attempt: WebhookAttempt
}) {
  const Icon = error === null ? CircleCheck : CircleX
  return (
    <li className="flex items-start gap-2">
      <Icon
        aria-label={error === null ? 'Succeeded:' : 'Failed:'}
        className={`mt-0.5 size-4 shrink-0 ${error === null ? 'text-confirmed' : 'text-failed'}`}
      />
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="flex flex-wrap gap-x-3">
          <span className="figures font-medium">{status ?? 'no answer'}</span>
          <span className="figures">{milliseconds(duration_ms)}</span>
          <DateTime at={started_at} className="text-muted" />
        </p>
        {error === null ? null : (
          <p className="break-words text-failed">
            <bdi>{error}</bdi>
          </p>
        )}
        {answer ? <Answer text={answer} /> : null}
      </div>
    </li>
  )
}

/** The receiver's response: of any length and in any script. */
const Answer = ({ text }: { text: string }) => (
  <pre
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    tabIndex={0}
    dir="auto"
    className="max-h-40 overflow-auto rounded-md bg-sunken px-2.5 py-1.5 font-mono text-xs break-all whitespace-pre-wrap"
  >
    {text}
  </pre>
)

const LOOKS = {
  waiting: ['pending', Hourglass],
  succeeded: ['confirmed', CircleCheck],
  failed: ['failed', CircleX],
} as const

export function DeliveryStatusBadge({ status }: { status: DeliveryStatus }) {
  const [tone, Icon] = LOOKS[status]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {status}
    </Badge>
  )
}
