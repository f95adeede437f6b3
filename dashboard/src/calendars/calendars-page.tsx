import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarClock, Plus } from 'lucide-react'
import type { CalendarRecord } from '../api/records.ts'
import { Badge } from '../components/badge.tsx'
import { buttonVariants } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { RelativeTime } from '../components/time.tsx'
import { showDay } from '../format/local-time.ts'
import { calendarsQuery } from './calendars-api.ts'
import { hoursAWeek, weekInWords, weekMs } from './week-in-words.ts'

export function CalendarsPage() {
  const { data, error, refetch } = useQuery(calendarsQuery)
  const createLink = (
    <Link to="/calendars/$id" params={{ id: 'new' }} className={buttonVariants({ variant: 'primary' })}>
      <Plus aria-hidden /> New calendar
    </Link>
  )
  return (
    <>
      <PageHeader
        title="Calendars"
        description="Working hours and holidays in a time zone, for windows that count working time."
        actions={createLink}
      />
      <Card aria-label="Calendars">
        {data && data.length > 0 ? (
          <ul className="divide-y">
            {data.toReversed().map((calendar) => (
              <CalendarRow key={calendar.id} calendar={calendar} />
            ))}
          </ul>
        ) : data ? (
          <EmptyState icon={CalendarClock} title="No calendars yet" actions={createLink}>
            A calendar says when work is done: the hours of each weekday, holidays and exceptions. Public
            holidays can be filled in.
          </EmptyState>
        ) : error ? (
          <ErrorState error={error} retry={refetch} />
        ) : (
          <SkeletonRows rows={4} />
        )}
      </Card>
    </>
  )
}

function CalendarRow({ calendar }: { calendar: CalendarRecord }) {
  const { id, name, time_zone, weekly, holidays, updated_at } = calendar
  const last = holidays.at(-1)
  return (
    <li className="relative flex flex-wrap items-start gap-x-6 gap-y-1.5 px-5 py-4 hover:bg-sunken/60 has-focus-visible:bg-sunken/60">
      <div className="min-w-0 flex-1 basis-80">
        <Link
          to="/calendars/$id"
          params={{ id }}
          className="font-medium wrap-anywhere underline-offset-4 after:absolute after:inset-0 hover:underline"
        >
          <bdi>{name}</bdi>
        </Link>
        <p className="text-pretty break-words text-muted">{weekInWords(weekly)}</p>
        <p className="mt-1.5 flex flex-wrap gap-1.5">
          <Badge>{time_zone}</Badge>
          <Badge>{last ? `holidays until ${showDay(last)}` : 'no holidays'}</Badge>
        </p>
      </div>
      <div className="flex items-baseline gap-x-3 sm:grid sm:justify-items-end">
        <span className="font-semibold">{hoursAWeek(weekMs(weekly))}</span>
        <span className="text-xs text-muted">
          changed <RelativeTime at={updated_at} />
        </span>
      </div>
    </li>
  )
}
