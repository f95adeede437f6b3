import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { dateOf, dayOf, WEEKDAYS } from '../../../src/core/calendars/calendar.ts'
import { dayAt, isTimeZone } from '../../../src/kernel/time-zone.ts'
import type { CalendarRecord, CalendarPreview as Preview, PreviewedDate } from '../api/records.ts'
import { serverNow } from '../api/server-time.ts'
import { Button } from '../components/button.tsx'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { cn } from '../components/cn.ts'
import { ErrorState } from '../components/error-state.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { showDay, showDayOfYear } from '../format/local-time.ts'
import { calendarPreviewQuery } from './calendars-api.ts'
import { hoursText, shortDayName } from './week-in-words.ts'

const WEEKS = 6
const LAST_DAY = dayOf('2999-12-31')

/** The working time of dates as the service computes it, a row for each week. */
export function CalendarPreview({ calendar }: { calendar: CalendarRecord }) {
  const { time_zone } = calendar
  const today = dayAt(new Date(serverNow()), isTimeZone(time_zone) ? time_zone : 'UTC')
  const [from, setFrom] = useState(() => mondayOf(dayOf(today)))
  const { data, error, refetch } = useQuery(calendarPreviewQuery(calendar, dateOf(from), WEEKS * 7))
  const move = (weeks: number) =>
    setFrom(Math.min(Math.max(from + weeks * 7, 4), mondayOf(LAST_DAY - WEEKS * 7)))
  return (
    <Card aria-label="Preview" className="mt-5">
      <CardHeader
        title="Preview"
        description="Hours of working time of each date, with the changes of the clocks."
        actions={
          <>
            <Button size="icon" aria-label="Earlier" title="Earlier" onClick={() => move(-WEEKS)}>
              <ChevronLeft aria-hidden />
            </Button>
            <Button size="sm" onClick={() => setFrom(mondayOf(dayOf(today)))}>
              Today
            </Button>
            <Button size="icon" aria-label="Later" title="Later" onClick={() => move(WEEKS)}>
              <ChevronRight aria-hidden />
            </Button>
          </>
        }
      />
      <CardBody className="grid grid-cols-1 gap-3 max-sm:px-3">
        {data ? (
          <>
            <HolidaysEnd preview={data} />
            <Weeks dates={data.data} today={today} />
            <Legend />
          </>
        ) : error ? (
          <ErrorState error={error} retry={refetch} />
        ) : (
          <SkeletonRows rows={WEEKS} />
        )}
      </CardBody>
    </Card>
  )
}

/** Day 4 is the first Monday. */
const mondayOf = (day: number): number => day - ((((day - 4) % 7) + 7) % 7)

function HolidaysEnd({ preview: { holidays_until, data } }: { preview: Preview }) {
  if (holidays_until === null)
    return <p className="text-muted">The calendar has no holidays: every date counts by its weekday.</p>
  const isOver = holidays_until < (data.at(-1)?.date ?? '')
  return (
    <p className={isOver ? 'rounded-lg bg-pending-soft px-3 py-2 text-pending' : 'text-muted'}>
      The holidays end on {showDay(holidays_until)}. Later holidays count as working time until they are
      added.
    </p>
  )
}

function Weeks({ dates, today }: { dates: readonly PreviewedDate[]; today: string }) {
  const weeks = Array.from({ length: Math.ceil(dates.length / 7) }, (_, i) => dates.slice(i * 7, i * 7 + 7))
  return (
    <table className="w-full table-fixed border-separate border-spacing-1 text-left">
      <caption className="sr-only">Working time by date</caption>
      <thead>
        <tr>
          {WEEKDAYS.map((day) => (
            <th key={day} scope="col" className="px-1 text-xs font-medium text-muted">
              {shortDayName(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]?.date}>
            {week.map((date) => (
              <DateCell
                key={date.date}
                date={date}
                isToday={date.date === today}
                hasMonth={date.date.endsWith('-01') || date === dates[0]}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface DateCellProps {
  date: PreviewedDate
  isToday: boolean
  /** Whether the month is shown. */
  hasMonth: boolean
}

function DateCell({ date: previewed, isToday, hasMonth }: DateCellProps) {
  const { date, holiday, exception, spans, seconds } = previewed
  const text = spans.map(([start, end]) => `${start}–${end}`).join(', ')
  return (
    <td
      title={[showDay(date), holiday ? 'holiday' : '', exception ? 'exception' : '', text]
        .filter(Boolean)
        .join(', ')}
      className={cn(
        'h-14 rounded-lg px-1.5 py-1 align-top text-xs sm:px-2',
        exception
          ? 'bg-pending-soft text-pending'
          : holiday
            ? 'bg-failed-soft text-failed'
            : seconds > 0
              ? 'bg-accent-soft text-ink'
              : 'bg-sunken text-muted',
        isToday && 'ring-2 ring-accent',
      )}
    >
      <time dateTime={date} className={cn('block sm:whitespace-nowrap', isToday && 'font-semibold')}>
        {hasMonth ? showDayOfYear(date) : Number(date.slice(8))}
      </time>
      {seconds > 0 ? <span className="font-medium">{hoursText(seconds * 1000)} h</span> : null}
      {holiday ? <span className="sr-only"> holiday</span> : null}
      {exception ? <span className="sr-only"> exception</span> : null}
      {seconds > 0 ? <span className="block text-muted max-lg:hidden">{text}</span> : null}
    </td>
  )
}

const Legend = () => (
  <p aria-hidden className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
    <Mark className="bg-accent-soft">working time</Mark>
    <Mark className="bg-failed-soft">holiday</Mark>
    <Mark className="bg-pending-soft">exception</Mark>
    <Mark className="bg-sunken">none</Mark>
  </p>
)

const Mark = ({ className, children }: { className: string; children: string }) => (
  <span className="inline-flex items-center gap-1.5">
    <span className={cn('size-3 rounded border', className)} />
    {children}
  </span>
)
