import { useQuery } from '@tanstack/react-query'
import { usesCalendar } from '../../../src/core/contracts/contract.ts'
import { Card } from '../components/card.tsx'
import { cn } from '../components/cn.ts'
import { Money } from '../components/money.tsx'
import { StatusBadge } from '../components/status-badge.tsx'
import { Countdown, DateTime } from '../components/time.tsx'
import { testClockQuery } from '../test-clocks/test-clocks-api.ts'
import type { AnyClaim } from './claims-api.ts'
import { isPaused, timeLeft } from './paused.tsx'

/** Refetch interval of the test clock, which may be advanced elsewhere. */
const CLOCK_POLL_MS = 4_000

const EDGE = {
  OPEN: 'bg-open',
  PENDING: 'bg-pending',
  CONFIRMED: 'bg-confirmed',
  FAILED: 'bg-failed',
} as const

/** The status in words, and the time left. */
export function ClaimState({ claim, isReversed }: { claim: AnyClaim; isReversed: boolean }) {
  const { data: clock } = useQuery({
    ...testClockQuery(claim.test_clock_id ?? ''),
    enabled: claim.test_clock_id !== null,
    refetchInterval: claim.due_at || isPaused(claim) ? CLOCK_POLL_MS : false,
  })
  const isOnClock = claim.test_clock_id !== null
  return (
    <Card aria-label="State" className="relative overflow-hidden p-5">
      <span aria-hidden className={cn('absolute inset-y-0 left-0 w-1', EDGE[claim.status])} />
      <div className="flex items-start justify-between gap-x-8 gap-y-4 max-sm:flex-wrap">
        <div className="grid min-w-0 justify-items-start gap-2" role="status">
          <StatusBadge status={claim.status} scheduledOutcome={claim.scheduled_outcome} />
          <p className="text-pretty">{sentenceOf(claim, isReversed)}</p>
        </div>
        <dl className="flex shrink-0 gap-x-8 sm:text-right">
          {isPaused(claim) ? <Figure label="Left">{timeLeft(claim)}</Figure> : null}
          {claim.due_at ? (
            <Figure label={claim.status === 'OPEN' ? 'Open for' : 'Final in'}>
              {isOnClock && !clock ? '…' : <Countdown at={claim.due_at} now={clock?.frozen_time} />}
            </Figure>
          ) : null}
          <Figure label="Price">
            <Money amount={claim.contract.price} />
          </Figure>
        </dl>
      </div>
      <dl className="mt-4 flex flex-wrap gap-x-8 gap-y-1 border-t pt-3 text-xs text-muted">
        <Moment label={`${claim.status} since`} at={claim.status_since} />
        {isPaused(claim) ? <Moment label="Paused since" at={claim.paused_since} /> : null}
        {claim.due_at ? <Moment label="Due" at={claim.due_at} /> : null}
        {clock ? <Moment label="Test clock time" at={clock.frozen_time} /> : null}
      </dl>
    </Card>
  )
}

function sentenceOf(claim: AnyClaim, isReversed: boolean): string {
  const { status, scheduled_outcome, contract } = claim
  const isWorkingTime = usesCalendar(contract, 'activity')
  switch (status) {
    case 'OPEN':
      if (isPaused(claim))
        return `The clock is stopped, with ${timeLeft(claim)}${isWorkingTime ? ' of working time' : ''} left. The claim does not time out until an event continues it.`
      return `Waiting for events. If the condition is not met in time, the outcome is ${
        contract.timeout_outcome === 'confirm' ? 'CONFIRMED anyway' : 'FAILED'
      }.${isWorkingTime ? ' Only working time counts.' : ''}`
    case 'PENDING':
      return `${isReversed ? 'An event reversed the outcome.' : 'Under review.'} It becomes ${scheduled_outcome} at the first whole minute after the review window${
        contract.review?.reversal_condition && scheduled_outcome === 'CONFIRMED'
          ? ', unless events reverse the outcome'
          : ''
      }.`
    case 'CONFIRMED':
      return 'Final: the promised outcome counts as delivered.'
    case 'FAILED':
      return isReversed
        ? 'Final: an event in review reversed the outcome.'
        : 'Final: the promised outcome counts as not delivered.'
  }
}

function Figure({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="figures text-2xl font-semibold tracking-tight">{children}</dd>
    </div>
  )
}

function Moment({ label, at }: { label: string; at: string }) {
  return (
    <div className="flex gap-1.5">
      <dt>{label}</dt>
      <dd className="text-ink">
        <DateTime at={at} />
      </dd>
    </div>
  )
}
