import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../api/account.ts'
import type { CalendarRecord, CalendarVersion } from '../api/records.ts'
import { Badge } from '../components/badge.tsx'
import { BidiText } from '../components/bidi-text.tsx'
import { Card, CardHeader } from '../components/card.tsx'
import { differencesOf } from '../components/differences.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { DateTime } from '../components/time.tsx'
import { CALENDAR_TEXTS } from './calendar-texts.ts'
import { calendarVersionsQuery } from './calendars-api.ts'

/** The versions of a calendar, newest first. */
export function CalendarHistory({ calendar }: { calendar: CalendarRecord }) {
  const { data, error, refetch } = useQuery(calendarVersionsQuery(calendar))
  return (
    <Card aria-label="History" className="mt-5">
      <CardHeader
        title="History"
        description="Newest first. Claims keep the version that they were created with."
      />
      {data ? (
        <ol reversed className="divide-y border-t">
          {data.map((version, i) => (
            <Version key={version.version} version={version} before={data[i + 1]} isCurrent={i === 0} />
          ))}
        </ol>
      ) : error ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <SkeletonRows rows={2} />
      )}
    </Card>
  )
}

interface VersionProps {
  version: CalendarVersion
  before: CalendarVersion | undefined
  isCurrent: boolean
}

function Version({ version, before, isCurrent }: VersionProps) {
  const { data: account } = useQuery(accountQuery)
  const number = version.version.toLocaleString('en')
  const { made_by } = version
  const maker =
    made_by === null
      ? 'author unknown'
      : made_by.kind === 'token'
        ? `by token ${made_by.token_name}`
        : `by ${account?.name ?? account?.email ?? 'someone signed in'}`
  return (
    <li aria-label={`Version ${number}`} className="grid grid-cols-1 gap-1.5 px-5 py-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
        <span className="font-medium">Version {number}</span>
        {isCurrent ? <Badge tone="accent">current</Badge> : null}
        <span className="min-w-0 text-[0.8125rem] break-words text-muted max-sm:w-full sm:ml-auto">
          <DateTime at={version.created_at} /> <BidiText text={maker} />
        </span>
      </p>
      {before ? (
        <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[8rem_minmax(0,1fr)]">
          {differencesOf(CALENDAR_TEXTS, before, version).map(({ label, one, other }) => (
            <div key={label} className="contents">
              <dt className="text-muted">{label}</dt>
              <dd className="min-w-0 break-words">
                {label === 'Holidays' ? (
                  changedDates(before.holidays, version.holidays)
                ) : (
                  <>
                    <del className="text-muted no-underline">
                      <BidiText text={one} />
                    </del>{' '}
                    →{' '}
                    <ins className="no-underline">
                      <BidiText text={other} />
                    </ins>
                  </>
                )}
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <p className="text-muted">First version.</p>
      )}
    </li>
  )
}

/** A calendar may have a thousand holidays. */
function changedDates(before: readonly string[], after: readonly string[]): string {
  const [added, removed] = [minus(after, before), minus(before, after)]
  return [inWords('added', added), inWords('removed', removed)].filter(Boolean).join('; ')
}

const minus = (dates: readonly string[], others: readonly string[]) => {
  const known = new Set(others)
  return dates.filter((date) => !known.has(date))
}

const MAX_NAMED = 12

const inWords = (verb: string, dates: readonly string[]): string =>
  dates.length === 0
    ? ''
    : `${verb} ${dates.slice(0, MAX_NAMED).join(', ')}${dates.length > MAX_NAMED ? ` and ${dates.length - MAX_NAMED} more` : ''}`
