import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Tagged } from '../api/client.ts'
import type { CalendarRecord } from '../api/records.ts'
import { ChangedDialog } from '../components/changed-dialog.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useToast } from '../components/toast.tsx'
import { useGuardedAction } from '../components/use-guarded-action.ts'
import { CALENDAR_TEXTS } from './calendar-texts.ts'
import { deleteCalendar, readCalendar } from './calendars-api.ts'

interface DeleteCalendarDialogProps {
  calendar: Tagged<CalendarRecord>
  open: boolean
  onClose: () => void
}

export const DeleteCalendarDialog = ({ open, ...props }: DeleteCalendarDialogProps) =>
  open ? <Deletion {...props} /> : null

function Deletion({ calendar, onClose }: Omit<DeleteCalendarDialogProps, 'open'>) {
  // The record when the dialog was opened. The page may refetch it.
  const [base] = useState(calendar)
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const deletion = useGuardedAction({
    read: () => readCalendar(base.id),
    act: deleteCalendar,
    texts: CALENDAR_TEXTS,
    onDone: async () => {
      toast('Calendar deleted')
      await navigate({ to: '/calendars', ignoreBlocker: true })
      await queryClient.invalidateQueries({ queryKey: ['calendars'] })
    },
  })
  const leave = () => {
    onClose()
    void queryClient.invalidateQueries({ queryKey: ['calendars', 'one', base.id] })
  }
  return (
    <>
      <ConfirmDialog
        open
        onOpenChange={onClose}
        title="Delete this calendar?"
        action="Delete"
        pending={deletion.isPending}
        error={deletion.error}
        onConfirm={() => deletion.act(base)}
      >
        Claims keep its working time, and it can still be read. New contracts cannot use it. This cannot be
        undone.
      </ConfirmDialog>
      <ChangedDialog kind="calendar" acting={deletion} action="Delete" onLeave={leave} />
    </>
  )
}
