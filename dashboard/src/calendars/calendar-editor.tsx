import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Calendar } from '../../../src/core/calendars/calendar.ts'
import type { PublicHoliday } from '../../../src/core/calendars/public-holidays.ts'
import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import { ApiError, type Tagged } from '../api/client.ts'
import type { CalendarRecord } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Card, CardBody } from '../components/card.tsx'
import { ConflictDialog } from '../components/conflict-dialog.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { LeaveGuard } from '../components/leave-guard.tsx'
import { TimeZoneSelect } from '../components/time-zone-select.tsx'
import { useToast } from '../components/toast.tsx'
import { useGuardedSave } from '../components/use-guarded-save.ts'
import { asSentence } from '../format/as-sentence.ts'
import { calendarOf, draftOf, issuesOf, newCalendar, withHolidays } from './calendar-draft.ts'
import { CALENDAR_TEXTS, calendarFields } from './calendar-texts.ts'
import { createCalendar, readCalendar, updateCalendar } from './calendars-api.ts'
import { ExceptionsCard } from './exceptions-card.tsx'
import { FillHolidaysDialog } from './fill-holidays-dialog.tsx'
import { HolidaysCard } from './holidays-card.tsx'
import { WeekCard } from './week-card.tsx'

interface CalendarEditorProps {
  /** Null for a new one. */
  calendar: Tagged<CalendarRecord> | null
  /** Of a new calendar. */
  timeZone?: string
}

/** Edits a calendar, with a picture of its week. */
export function CalendarEditor({ calendar, timeZone = 'UTC' }: CalendarEditorProps) {
  const edited = useCalendarDraft(calendar, timeZone)
  const { draft, edit, isChanged, saving } = edited
  const [isChecked, setChecked] = useState(false)
  const [isFilling, setFilling] = useState(false)
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map())
  const ownIssues = issuesOf(draft)
  const issues = [
    ...(isChecked ? ownIssues : []),
    ...(saving.error instanceof ApiError ? saving.error.details : []),
  ]
  const errorAt = (path: string) => asSentence(issues.find((issue) => issue.path === path)?.message)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (ownIssues.length === 0) edited.save()
  }
  const fill = (filled: readonly PublicHoliday[]) => {
    setFilling(false)
    setNames(new Map([...names, ...filled.map(({ date, name }) => [date, name] as const)]))
    edit(
      withHolidays(
        draft,
        filled.map(({ date }) => date),
      ),
    )
  }
  return (
    <>
      <Form onSubmit={submit} noValidate className="grid grid-cols-1 gap-5">
        <Card aria-label="About this calendar">
          <CardBody className="grid gap-4 pt-4 sm:grid-cols-2">
            <Field label="Name" error={errorAt('name')}>
              {(props) => (
                <Input
                  {...props}
                  maxLength={MAX_NAME_LENGTH}
                  placeholder="Support Berlin"
                  value={draft.name}
                  onChange={({ target }) => edit({ ...draft, name: target.value })}
                />
              )}
            </Field>
            <Field label="Time zone" error={errorAt('time_zone')}>
              {(props) => (
                <TimeZoneSelect
                  {...props}
                  value={draft.timeZone}
                  onChange={(name) => edit({ ...draft, timeZone: name })}
                />
              )}
            </Field>
          </CardBody>
        </Card>
        <WeekCard draft={draft} onChange={edit} issues={issues} />
        <div className="grid items-start gap-5 xl:grid-cols-2">
          <HolidaysCard
            holidays={draft.holidays}
            onChange={(holidays) => edit({ ...draft, holidays })}
            names={names}
            onAskToFill={() => setFilling(true)}
          />
          <ExceptionsCard
            exceptions={draft.exceptions}
            onChange={(exceptions) => edit({ ...draft, exceptions })}
            issues={issues}
          />
        </div>
        {calendar === null || isChanged || saving.error ? (
          <div
            data-save-bar
            className="sticky bottom-0 z-10 -mx-4 grid gap-2 border-t bg-canvas/95 px-4 py-3 sm:mx-0 sm:rounded-xl sm:border sm:bg-surface/95"
          >
            <FormError error={saving.error} shownPaths={issues.map(({ path }) => path)} />
            <div className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2">
              <span role="status" className="me-auto text-[0.8125rem] text-muted">
                {isChecked && ownIssues.length > 0
                  ? 'The marked fields are missing or invalid.'
                  : calendar
                    ? 'Unsaved changes. Claims keep the version that they have.'
                    : ''}
              </span>
              {calendar ? <Button onClick={edited.discard}>Discard changes</Button> : null}
              <Button type="submit" variant="primary" pending={saving.isPending}>
                {calendar ? 'Save changes' : 'Create calendar'}
              </Button>
            </div>
          </div>
        ) : null}
      </Form>
      <FillHolidaysDialog open={isFilling} onOpenChange={setFilling} onFill={fill} />
      <LeaveGuard isNeeded={isChanged && !saving.isPending} title="Leave without saving?">
        Your changes will be lost.
      </LeaveGuard>
      <ConflictDialog kind="calendar" saving={saving} texts={CALENDAR_TEXTS} />
    </>
  )
}

/** The edited calendar and its saving. Without edits, the draft follows the stored calendar. */
function useCalendarDraft(calendar: Tagged<CalendarRecord> | null, timeZone: string) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const [base, setBase] = useState(calendar)
  const [stored, setStored] = useState(() => draftOf(calendar ?? newCalendar(timeZone)))
  const [draft, setDraft] = useState(stored)
  const isChanged = JSON.stringify(calendarOf(draft)) !== JSON.stringify(calendarOf(stored))
  const keep = (kept: Tagged<CalendarRecord>) => {
    const keptDraft = draftOf(kept)
    setBase(kept)
    setStored(keptDraft)
    setDraft(keptDraft)
  }
  const saving = useGuardedSave<Calendar, CalendarRecord>({
    read: () => readCalendar(base?.id ?? ''),
    save: (values, over) => (over ? updateCalendar(over, values) : createCalendar(values)),
    valuesOf: calendarFields,
    onStored: async (kept, by) => {
      queryClient.setQueryData(['calendars', 'one', kept.id], kept)
      void queryClient.invalidateQueries({ queryKey: ['calendars', 'list'] })
      keep(kept)
      if (by === 'me') toast(base ? 'Calendar saved' : 'Calendar created')
      if (!base) await navigate({ to: '/calendars/$id', params: { id: kept.id }, ignoreBlocker: true })
    },
  })
  if (calendar && calendar.etag !== base?.etag && !isChanged && !saving.isPending) keep(calendar)
  return {
    draft,
    isChanged,
    saving,
    edit: (changed: typeof draft) => {
      setDraft(changed)
      if (saving.error) saving.reset()
    },
    save: () => saving.save(calendarOf(draft), base),
    discard: () => setDraft(stored),
  }
}
