import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { draftOf } from '../calendars/calendar-draft.ts'
import { calendarQuery, calendarsQuery, calendarVersionQuery } from '../calendars/calendars-api.ts'
import { WeekPicture } from '../calendars/week-picture.tsx'
import { Field } from '../components/field.tsx'
import { Select } from '../components/select.tsx'
import type { ClockDraft } from '../contracts/contract-draft.ts'
import { isolate } from '../format/bidi.ts'
import { shortId } from '../format/short-id.ts'
import { CLOCK_WINDOWS, type ClockWindows, toAppliesTo, windowsOf } from './clock-windows.ts'
import { messageAt, type OptionalTermsProps } from './optional-term.tsx'

interface ClockCalendarProps extends Pick<OptionalTermsProps, 'issues' | 'isChecked'> {
  clock: ClockDraft
  onChange: (clock: ClockDraft) => void
}

/** The calendar of a contract, its version, and the windows that it applies to. */
export function ClockCalendar({ clock, onChange, issues, isChecked }: ClockCalendarProps) {
  const { calendar, appliesTo, ...others } = clock
  const windows = windowsOf(appliesTo)
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {calendar ? (
        <CalendarFields
          calendar={calendar}
          onChange={(changed) => onChange({ ...clock, calendar: changed })}
          issues={issues}
          isChecked={isChecked}
        />
      ) : null}
      <Field label="Applies to" error={messageAt(issues, 'contract.clock.applies_to')}>
        {(props) => (
          <Select
            {...props}
            data-focus="clock.applies_to"
            value={windows ?? ''}
            onChange={({ target }) =>
              onChange({ ...others, calendar, ...toAppliesTo(target.value as ClockWindows) })
            }
          >
            {windows === null ? <option value="">{JSON.stringify(appliesTo)}</option> : null}
            {Object.entries(CLOCK_WINDOWS).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {calendar && calendar.id !== '' ? <Week calendar={calendar} /> : null}
    </div>
  )
}

type CalendarRef = NonNullable<ClockDraft['calendar']>

interface CalendarFieldsProps extends Pick<OptionalTermsProps, 'issues' | 'isChecked'> {
  calendar: CalendarRef
  onChange: (calendar: CalendarRef) => void
}

function CalendarFields({ calendar, onChange, issues, isChecked }: CalendarFieldsProps) {
  const { id, version } = calendar
  const { data: calendars } = useQuery(calendarsQuery)
  const listed = calendars?.find((each) => each.id === id)
  const path = 'contract.clock.calendar'
  // A schema may name any calendar. Only the creation of a claim needs one.
  const isClosed = id !== '' && calendars !== undefined && !listed
  return (
    <>
      <Field
        label="Calendar"
        hint={calendars?.length === 0 ? <NoCalendars /> : undefined}
        error={
          isChecked || id !== '' ? (messageAt(issues, path) ?? (isClosed ? CLOSED : undefined)) : undefined
        }
      >
        {(props) => (
          <Select
            {...props}
            data-focus="clock.calendar"
            value={id}
            // Versions are numbered by calendar.
            onChange={({ target }) => onChange({ id: target.value })}
          >
            {id === '' ? <option value="">Choose a calendar</option> : null}
            {id !== '' && !listed ? <UnlistedCalendar id={id} /> : null}
            {calendars?.map((each) => (
              <option key={each.id} value={each.id}>
                {isolate(each.name)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Version" hint="A claim keeps its version." error={messageAt(issues, `${path}.version`)}>
        {(props) => (
          <Select
            {...props}
            data-focus="clock.calendar.version"
            value={version === undefined ? '' : JSON.stringify(version)}
            onChange={({ target }) =>
              onChange(target.value === '' ? { id } : { id, version: JSON.parse(target.value) })
            }
          >
            <option value="">Current when a claim begins</option>
            {listed ? (
              <option value={`${listed.version}`}>Version {listed.version}, now current</option>
            ) : null}
            {version === undefined || version === listed?.version ? null : (
              <option value={JSON.stringify(version)}>
                {typeof version === 'number' ? `Version ${version}` : JSON.stringify(version)}
              </option>
            )}
          </Select>
        )}
      </Field>
    </>
  )
}

const CLOSED = 'No new claim can use this calendar: it was deleted, or the account has no such calendar.'

const NoCalendars = () => (
  <>
    There are no calendars yet.{' '}
    <Link to="/calendars/$id" params={{ id: 'new' }} className="underline underline-offset-2">
      New calendar
    </Link>
  </>
)

/** A deleted calendar, which no new contract can use, or an unknown one. */
function UnlistedCalendar({ id }: { id: string }) {
  const { data } = useQuery({ ...calendarQuery(id), retry: false })
  const name = data ? isolate(data.name) : shortId(id)
  return <option value={id}>{data?.deleted_at ? `${name} (deleted)` : name}</option>
}

/** The picture of a week of the calendar's version. */
function Week({ calendar: { id, version } }: { calendar: CalendarRef }) {
  const pinned = typeof version === 'number' ? version : null
  const current = useQuery({ ...calendarQuery(id), retry: false, enabled: pinned === null })
  const old = useQuery({ ...calendarVersionQuery(id, pinned ?? 0), retry: false, enabled: pinned !== null })
  const calendar = pinned === null ? current.data : old.data
  if (!calendar) return null
  return (
    <div className="max-w-sm sm:col-span-2">
      <WeekPicture draft={draftOf(calendar)} />
      <p className="mt-1 text-[0.8125rem] text-muted">
        {calendar.time_zone}.{' '}
        <Link to="/calendars/$id" params={{ id }} className="underline underline-offset-2">
          Open the calendar
        </Link>
      </p>
    </div>
  )
}
