import { queryOptions } from '@tanstack/react-query'
import { get, patch, type Tagged } from '../api/client.ts'

const PATH = '/v1/notification_settings'

export interface NotificationSettings {
  event_recorded: boolean
}

export const notificationSettingsQuery = queryOptions({
  queryKey: ['notification-settings'],
  queryFn: ({ signal }) => get<Tagged<NotificationSettings>>(PATH, {}, signal),
})

/** Fails with 412 if the settings have changed since `base` was read. */
export const changeNotificationSettings = (
  base: Tagged<NotificationSettings>,
  changes: NotificationSettings,
): Promise<Tagged<NotificationSettings>> => patch(PATH, changes, base)
