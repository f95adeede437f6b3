import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Calendar } from '../../../src/core/calendars/calendar.ts'
import { get, patch, post, remove, type Tagged } from '../api/client.ts'
import type { CalendarPreview, CalendarRecord, CalendarVersion } from '../api/records.ts'

/** All calendars of the account that are not deleted, oldest first. */
export const calendarsQuery = queryOptions({
  queryKey: ['calendars', 'list'],
  queryFn: ({ signal }) =>
    get<{ data: CalendarRecord[] }>('/v1/calendars', {}, signal).then(({ data }) => data),
})

export const calendarQuery = (id: string) =>
  queryOptions({
    queryKey: ['calendars', 'one', id],
    queryFn: ({ signal }) => readCalendar(id, signal),
  })

export const readCalendar = (id: string, signal?: AbortSignal): Promise<Tagged<CalendarRecord>> =>
  get(`/v1/calendars/${encodeURIComponent(id)}`, {}, signal)

/** Newest first. Refetched when the calendar gets a new version. */
export const calendarVersionsQuery = ({ id, version }: CalendarRecord) =>
  queryOptions<CalendarVersion[]>({
    queryKey: ['calendars', 'versions', id, version],
    queryFn: ({ signal }) =>
      get<{ data: CalendarVersion[] }>(`/v1/calendars/${id}/versions`, {}, signal).then(({ data }) => data),
    placeholderData: keepPreviousData,
  })

/** A version never changes. */
export const calendarVersionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ['calendars', 'version', id, version],
    queryFn: ({ signal }) =>
      get<CalendarVersion>(`/v1/calendars/${encodeURIComponent(id)}/versions/${version}`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** @param from the first date, or empty for today in the time zone of the calendar */
export const calendarPreviewQuery = ({ id, version }: CalendarRecord, from: string, days: number) =>
  queryOptions<CalendarPreview>({
    queryKey: ['calendars', 'preview', id, version, from, days],
    queryFn: ({ signal }) =>
      get<CalendarPreview>(
        `/v1/calendars/${id}/preview`,
        { ...(from ? { from } : {}), days, version },
        signal,
      ),
    placeholderData: keepPreviousData,
  })

export const createCalendar = (calendar: Calendar): Promise<Tagged<CalendarRecord>> =>
  post('/v1/calendars', calendar)

/** Fails with 412 if the calendar has changed since `base` was read. */
export const updateCalendar = (
  base: Tagged<CalendarRecord>,
  changes: Calendar,
): Promise<Tagged<CalendarRecord>> => patch(`/v1/calendars/${base.id}`, changes, base)

/** Claims keep their version. Fails with 412 if the calendar has changed since `base` was read. */
export const deleteCalendar = (base: Tagged<CalendarRecord>): Promise<void> =>
  remove(`/v1/calendars/${base.id}`, base)
