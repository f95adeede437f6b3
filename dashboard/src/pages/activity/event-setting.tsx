import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Tagged } from '../../api/client.ts'
import {
  changeNotificationSettings,
  type NotificationSettings,
  notificationSettingsQuery,
} from '../../api/notification-settings.ts'
import { Button } from '../../components/ui/button.tsx'
import { FormError } from '../../components/ui/form-error.tsx'
import { useToast } from '../../components/ui/toast.tsx'

/** Beside a filter by events: whether they are told of at all. */
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
        changed.event_recorded ? 'Each event is told of from now on' : 'Single events are told of no more',
      )
    },
    // Somebody else may have changed it: then that is shown.
    onError: () => queryClient.invalidateQueries(notificationSettingsQuery),
  })
  if (!data) return null
  const isOn = data.event_recorded
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border px-3.5 py-2.5">
      <p className="min-w-0 flex-1 basis-64 text-muted">
        {isOn
          ? 'Each event that is recorded is told of.'
          : 'Single events are told of only if a webhook endpoint names them, or you ask for it here.'}
      </p>
      <Button size="sm" pending={change.isPending} onClick={() => change.mutate(data)}>
        {isOn ? 'Leave events out' : 'Tell of each event'}
      </Button>
      <FormError error={change.error} />
    </div>
  )
}
