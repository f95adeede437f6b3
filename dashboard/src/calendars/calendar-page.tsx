import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { accountQuery } from '../api/account.ts'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { DateTime, RelativeTime } from '../components/time.tsx'
import { ofThisBrowser } from '../format/time-zone-names.ts'
import { CalendarEditor } from './calendar-editor.tsx'
import { CalendarHistory } from './calendar-history.tsx'
import { CalendarPreview } from './calendar-preview.tsx'
import { calendarQuery } from './calendars-api.ts'
import { DeleteCalendarDialog } from './delete-calendar-dialog.tsx'

export function CalendarPage() {
  const { id } = getRouteApi('/shell/calendars/$id').useParams()
  return id === 'new' ? <NewCalendar /> : <StoredCalendar key={id} id={id} />
}

function NewCalendar() {
  const { data: account } = useQuery(accountQuery)
  const ownZone = account && account.time_zone !== 'UTC' ? account.time_zone : ofThisBrowser()
  return (
    <>
      <PageHeader
        title="New calendar"
        description="Working hours and holidays in a time zone. The preview appears once it is created."
      />
      <CalendarEditor calendar={null} timeZone={ownZone} />
    </>
  )
}

function StoredCalendar({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(calendarQuery(id))
  const [isDeleting, setDeleting] = useState(false)
  if (error && !data) return <ErrorState error={error} retry={refetch} isPage />
  return (
    <>
      <PageHeader
        documentTitle={data?.name ?? 'Calendar'}
        title={
          <span className="inline-flex max-w-full items-center gap-1">
            <bdi className="min-w-0">{data?.name ?? 'Calendar'}</bdi>
            <CopyButton text={id} label="Copy id" />
          </span>
        }
        description={
          data ? (
            <>
              Version {data.version}, <RelativeTime at={data.updated_at} />. A change makes a new version.
              Claims keep theirs.
            </>
          ) : (
            ' '
          )
        }
        actions={data && !data.deleted_at ? <Button onClick={() => setDeleting(true)}>Delete</Button> : null}
      />
      {data ? (
        <>
          {data.deleted_at ? (
            <p role="status" className="mb-5 rounded-lg bg-pending-soft px-3 py-2.5 text-pending">
              Deleted on <DateTime at={data.deleted_at} />. Claims keep its working time. It cannot be
              changed.
            </p>
          ) : (
            <CalendarEditor calendar={data} />
          )}
          <CalendarPreview calendar={data} />
          <CalendarHistory calendar={data} />
          <DeleteCalendarDialog calendar={data} open={isDeleting} onClose={() => setDeleting(false)} />
        </>
      ) : (
        <div role="status" aria-label="Loading" className="grid gap-5 lg:grid-cols-2">
          <Skeleton className="h-[32rem] rounded-xl" />
          <Skeleton className="h-[32rem] rounded-xl" />
        </div>
      )}
    </>
  )
}
