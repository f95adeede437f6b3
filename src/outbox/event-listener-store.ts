import { EVENT_TYPES } from '../core/notification-types.ts'
import { isThere } from './webhook-endpoint-store.ts'

/** Of endpoints of webhooks; the index `webhook_endpoints_for_events` has the same. */
const NAMES_EVENTS = `w.types && '{${EVENT_TYPES.join(',')}}'::text[] AND ${isThere('w')}`

/** SQL for whether somebody of the account asks to be told of each event. By OFFSET it is looked up, and all who ask are not read. */
export const asksForEvents = (userId: string): string =>
  `(EXISTS (SELECT FROM notification_settings s WHERE s.user_id = ${userId} AND s.event_recorded OFFSET 0)
          OR EXISTS (SELECT FROM webhook_endpoints w WHERE w.user_id = ${userId} AND ${NAMES_EVENTS} OFFSET 0))`
