import type { ExplainedClock } from '../api/records.ts'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { DateTime } from '../components/time.tsx'
import { countText } from '../format/count-text.ts'

const TITLES = { activity_window: 'Activity window', review_window: 'Review window' } as const

/** What the calendar counted and skipped in the windows of a claim (§4.1). */
export function WorkingTimeCard({ clock }: { clock: ExplainedClock }) {
  return (
    <Card aria-label="Working time">
      <CardHeader
        title="Working time"
        description={`Counted in ${clock.time_zone}, with version ${clock.time_zone_data} of the time zone data.`}
      />
      <CardBody className="grid gap-4">
        {clock.working_time.map((used) => (
          <section key={used.window} className="grid gap-1">
            <h3 className="text-[0.8125rem] font-medium">{TITLES[used.window]}</h3>
            <p>
              {countText(used.span_count, 'spans')} of working time from <DateTime at={used.from} /> to{' '}
              <DateTime at={used.to} />
              {used.window === 'activity_window' && clock.period_count > 1
                ? ', without the time in which the clock was stopped'
                : ''}
              .
            </p>
            <Dates name="holidays" dates={used.holidays} count={used.holiday_count} />
            <Dates name="exceptions" dates={used.exceptions} count={used.exception_count} />
          </section>
        ))}
      </CardBody>
    </Card>
  )
}

interface DatesProps {
  name: string
  /** The first ones. */
  dates: readonly string[]
  count: number
}

function Dates({ name, dates, count }: DatesProps) {
  if (count === 0) return null
  return (
    <p className="text-xs text-muted">
      {countText(count, name)}: {dates.join(', ')}
      {count > dates.length ? ' and more' : ''}
    </p>
  )
}
