import {
  type Interval,
  lengthOf,
  type Span,
  timeOfDay,
  WEEKDAYS,
} from '../../../src/core/calendars/calendar.ts'
import { type CalendarDraft, completeSpans } from './calendar-draft.ts'
import { hoursAWeek, shortDayName, weekInWords } from './week-in-words.ts'

const [WIDTH, LEFT, TOP, ROW, BAR] = [360, 36, 4, 22, 14]
const PER_HOUR = (WIDTH - LEFT - 8) / 24
const HOURS = [0, 6, 12, 18, 24]
const BOTTOM = TOP + 7 * ROW

const toSpan = ({ startMs, endMs }: Interval): Span => [timeOfDay(startMs), timeOfDay(endMs)]

const xOf = (ms: number): number => LEFT + (ms / 3_600_000) * PER_HOUR

/** The working time of a week: a row for each day, from 0 to 24 hours. Incomplete spans are left out. */
export function WeekPicture({ draft }: { draft: CalendarDraft }) {
  const days = WEEKDAYS.map((day) => ({ day, spans: completeSpans(draft.weekly[day]) }))
  const total = days.reduce((sum, { spans }) => sum + lengthOf(spans), 0)
  const words = weekInWords(Object.fromEntries(days.map(({ day, spans }) => [day, spans.map(toSpan)])))
  return (
    <figure className="grid grid-cols-1 gap-2">
      <svg
        role="img"
        aria-label="Working time of a week"
        viewBox={`0 0 ${WIDTH} ${BOTTOM + 18}`}
        className="w-full max-w-lg"
      >
        {HOURS.map((hour) => (
          <g key={hour}>
            <line
              x1={xOf(hour * 3_600_000)}
              x2={xOf(hour * 3_600_000)}
              y1={TOP}
              y2={BOTTOM}
              className="stroke-line"
            />
            <text
              x={xOf(hour * 3_600_000)}
              y={BOTTOM + 13}
              textAnchor="middle"
              className="fill-muted text-[10px]"
            >
              {hour}
            </text>
          </g>
        ))}
        {days.map(({ day, spans }, i) => (
          <g key={day}>
            <text x={0} y={TOP + i * ROW + 12} className="fill-muted text-[11px]">
              {shortDayName(day)}
            </text>
            <rect
              x={LEFT}
              y={TOP + i * ROW + 2}
              width={24 * PER_HOUR}
              height={BAR}
              rx={3}
              className="fill-sunken"
            />
            {spans.map(({ startMs, endMs }) => (
              <rect
                key={startMs}
                x={xOf(startMs)}
                y={TOP + i * ROW + 2}
                width={xOf(endMs) - xOf(startMs)}
                height={BAR}
                rx={2}
                className="fill-accent"
              />
            ))}
          </g>
        ))}
      </svg>
      <figcaption className="text-[0.8125rem]">
        <strong className="font-medium">{hoursAWeek(total)}</strong>
        {words ? <span className="block text-muted">{words}</span> : null}
      </figcaption>
    </figure>
  )
}
