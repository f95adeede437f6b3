import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Tagged } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { FormError } from '../components/form-error.tsx'
import { useToast } from '../components/toast.tsx'
import {
  changeNotificationSettings,
  type NotificationSettings,
  notificationSettingsQuery,
} from './notification-settings-api.ts'

/** Shown with a filter by events: whether recorded events create notifications. */
export function EventSetting() {
  const queryClient = useQueryClient()
  const toast = useToast()
  const { data } = useQuery(notificationSettingsQuery)
  const change = useMutation({
    mutationFn: (base: Tagged<NotificationSettings>) =>
      changeNotificationSettings(base, { event_recorded: !base.event_recorded }),
    onSuccess: (changed) => {
      queryClient.setQueryData(notificationSettingsQuery.queryKey, changed)
      toast(
        changed.event_recorded
          ? 'Recorded events create notifications'
          : 'Recorded events no longer create notifications',
      )
    },
    // The setting may have changed elsewhere, so show the current one.
    onError: () => queryClient.invalidateQueries(notificationSettingsQuery),
  })
  if (!data) return null
  const isOn = data.event_recorded
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border px-3.5 py-2.5">
      <p className="min-w-0 flex-1 basis-64 text-muted">
        {isOn
          ? 'Every recorded event creates a notification.'
          : 'Recorded events create notifications only if a webhook endpoint selects them or you turn them on here.'}
      </p>
      <Button size="sm" pending={change.isPending} onClick={() => change.mutate(data)}>
        {isOn ? 'Turn event notifications off' : 'Turn event notifications on'}
      </Button>
      <FormError error={change.error} />
    </div>
  )
}
