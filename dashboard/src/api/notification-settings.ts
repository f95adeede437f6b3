import { queryOptions } from '@tanstack/react-query'
import { get, patch } from './client.ts'

const PATH = '/v1/notification_settings'

export interface NotificationSettings {
  event_recorded: boolean
}

export const notificationSettingsQuery = queryOptions({
  queryKey: ['notification-settings'],
  queryFn: ({ signal }) => get<NotificationSettings>(PATH, {}, signal),
})

export const changeNotificationSettings = (changes: NotificationSettings): Promise<NotificationSettings> =>
  patch(PATH, changes)
