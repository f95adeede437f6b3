import type { Overview } from '../api/records.ts'
import type { ClaimFilters } from '../claims/claims-api.ts'
import { ListLinks, type ListScope } from '../claims/list-links.tsx'
import { Card, CardHeader } from '../components/card.tsx'
import { Money } from '../components/money.tsx'
import { shortDuration } from '../format/short-duration.ts'
import { sumAmounts } from '../format/sum-amounts.ts'

interface ResultCardProps {
  overview: Overview
  days: number
  /** Live or of a test clock. */
  scope: ListScope
}

/** Amounts and rates of the claims resolved in the period. */
export function ResultCard({ overview, days, scope }: ResultCardProps) {
  const { resolutions_by_day: byDay, resolution_seconds: seconds } = overview
  const confirmed = byDay.reduce((sum, { confirmed }) => sum + confirmed.count, 0)
  const failed = byDay.reduce((sum, { failed }) => sum + failed.count, 0)
  const share = confirmed + failed === 0 ? null : (100 * confirmed) / (confirmed + failed)
  const from = byDay[0]?.begins_at
  const resolved = (status: string): ClaimFilters => ({
    status,
    sort: 'changed',
    // Lists accept no earlier time.
    ...(from && from >= '1970' ? { resolved_from: from } : {}),
  })
  return (
    <Card aria-label="Result of the period">
      <CardHeader title="Result" description={`Resolved in the last ${days} days.`} />
      <dl className="grid divide-y">
        <Figure name="Money confirmed" lists={{ scope, filters: resolved('CONFIRMED') }}>
          <Money amount={sumAmounts(byDay.map(({ confirmed }) => confirmed.amount))} />
        </Figure>
        <Figure name="Money failed" lists={{ scope, filters: resolved('FAILED') }}>
          <Money amount={sumAmounts(byDay.map(({ failed }) => failed.amount))} />
        </Figure>
        <Figure name="Money pending now">
          <Money amount={overview.statuses.PENDING.amount} />
        </Figure>
        <Figure name="Confirmed share">{share === null ? '–' : `${share.toFixed(1)} %`}</Figure>
        <Figure name="Median time to resolution">
          {seconds.median === null ? '–' : shortDuration(seconds.median * 1000)}
        </Figure>
      </dl>
    </Card>
  )
}

interface FigureProps {
  name: string
  /** The claims that the figure counts. */
  lists?: { scope: ListScope; filters: ClaimFilters }
  children: React.ReactNode
}

function Figure({ name, lists, children }: FigureProps) {
  return (
    <div className="flex items-baseline justify-between gap-4 px-5 py-3">
      <dt className="text-muted">
        {name}
        {lists ? <ListLinks {...lists} what={name} /> : null}
      </dt>
      <dd className="figures text-base font-semibold">{children}</dd>
    </div>
  )
}
