/* Notifications and webhooks: what several test files use of the source. When a source file moves, one line changes here. */

export { oldNotifications } from '../../../src/app/removal/old-notifications.ts'
export { isPublic, literalAddress, publicLookup } from '../../../src/app/webhooks/public-addresses.ts'
export { SendingSlots } from '../../../src/app/webhooks/sending-slots.ts'
export { deliveryBody, deliveryHeaders, hashOf, NO_HASH } from '../../../src/app/webhooks/sign-delivery.ts'
export { WebhookClient } from '../../../src/app/webhooks/webhook-client.ts'
export { type WebhookOptions, WebhookSender } from '../../../src/app/webhooks/webhook-sender.ts'
export { presentNotification } from '../../../src/http/notifications/present-notification.ts'
export { findNews, readSubjects, readToldEvents } from '../../../src/storage/notifications/feed.ts'
export {
  ANNOUNCE,
  announceOfAccount,
  insertNotifications,
  readSettled,
} from '../../../src/storage/notifications/numbers.ts'
export { readDueDeliveries, recordAttempts } from '../../../src/storage/webhooks/due-deliveries.ts'
export { askForSomeAgain, findNumberBefore } from '../../../src/storage/webhooks/redeliveries.ts'
export { removeDeliveries } from '../../../src/storage/webhooks/removal.ts'
export { disableEndpoint, findFreeEndpoints, takeEndpoint } from '../../../src/storage/webhooks/sending.ts'
