/* Notifications and webhooks: what several test files use of the source. When a source file moves, one line changes here. */

export { findNews, readEventSummaries, readSubjects } from '../../../src/notifications/feed-store.ts'
export { presentNotification } from '../../../src/notifications/notification-bodies.ts'
export {
  ANNOUNCE,
  announceOfAccount,
  insertNotifications,
  readSettled,
} from '../../../src/outbox/notification-number-store.ts'
export { oldNotifications } from '../../../src/retention/retention-jobs.ts'
export { AttemptLimit } from '../../../src/webhooks/attempt-limit.ts'
export { findNumberBefore, redeliverBatch, removeDeliveries } from '../../../src/webhooks/delivery-store.ts'
export { isPublic, literalAddress, publicLookup } from '../../../src/webhooks/public-addresses.ts'
export {
  disableEndpoint,
  findFreeEndpoints,
  leaseEndpoint,
  readDueDeliveries,
  recordAttempts,
} from '../../../src/webhooks/sending-store.ts'
export { deliveryBody, deliveryHeaders, hashOf, NO_HASH } from '../../../src/webhooks/sign-delivery.ts'
export { WebhookClient } from '../../../src/webhooks/webhook-client.ts'
export { type WebhookOptions, WebhookSender } from '../../../src/webhooks/webhook-sender.ts'
