import type { ReactNode } from 'react'
import { acceptsEvents } from '../../../src/core/claims/decide-at.ts'
import type { ExplainedReview } from '../api/records.ts'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { DateTime } from '../components/time.tsx'
import { ConditionTree } from '../contracts/condition-tree.tsx'
import type { AnyClaim } from './claims-api.ts'

interface ReviewCardProps {
  claim: AnyClaim
  review: ExplainedReview
  /** Renders a link to an event. */
  renderEvent: (id: string) => ReactNode
}

/** The review of a claim whose contract lets events reverse or restart it (§2.1a). */
export function ReviewCard({ claim, review, renderEvent }: ReviewCardProps) {
  const { status, scheduled_outcome: scheduledOutcome, contract } = claim
  const isRunning = acceptsEvents({ status, scheduledOutcome, contract })
  const { reversal_condition, reversed_by, restart_count, latest_due_at } = review
  const restartOn = contract.review?.restart_on
  return (
    <Card aria-label="Review">
      <CardHeader
        title="Review"
        description={isRunning ? 'Takes events until the review window ends.' : 'Takes no more events.'}
      />
      <CardBody className="grid gap-4">
        {reversal_condition ? (
          <Part title="Reverses the outcome to FAILED">
            <ConditionTree condition={reversal_condition} renderEvent={renderEvent} />
            {reversed_by ? (
              <p className="text-failed">
                Reversed by <span className="text-xs">{renderEvent(reversed_by.event_id)}</span>, at{' '}
                <DateTime at={reversed_by.at} />
              </p>
            ) : null}
          </Part>
        ) : null}
        {restartOn ? (
          <Part title="Restarts the review">
            <ConditionTree condition={restartOn} />
            <p className="text-xs text-muted">
              {restart_count === 0
                ? 'Not restarted so far.'
                : `Restarted ${restart_count === 1 ? 'once' : `${restart_count.toLocaleString('en')} times`}.`}{' '}
              {latest_due_at ? (
                <>
                  It ends at <DateTime at={latest_due_at} className="text-ink" /> at the latest.
                </>
              ) : null}
            </p>
          </Part>
        ) : null}
      </CardBody>
    </Card>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="grid gap-2">
    <h3 className="text-[0.8125rem] font-medium">{title}</h3>
    {children}
  </section>
)
