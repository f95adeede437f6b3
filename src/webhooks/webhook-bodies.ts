import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { EVENT_TYPES, NOTIFICATION_TYPES, type NotificationType } from '../core/notification-types.ts'
import { DELIVERY_STATUSES, OWN_TYPES, type WebhookDelivery } from '../core/webhooks.ts'
import {
  DateTime,
  DateTimeOrNull,
  SOME_UUID,
  Uuid,
  UuidOrNull,
} from '../platform/http/responses/field-schemas.ts'
import { MAX_URL_LENGTH } from './limits.ts'
import { deliveryId } from './webhook-deliveries.ts'
import type { EndpointWithHealth } from './webhook-endpoints.ts'

const SOME_HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const Hash = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{64}$', description, examples: [SOME_HASH] })

export const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: MAX_URL_LENGTH,
  description:
    'Where notifications are sent: https, at a public address, to port 443, 80 or 1024 and higher.',
  examples: ['https://example.com/claimkeeper'],
})
export const WebhookTypes = Type.Unsafe<NotificationType[] | null>({
  type: ['array', 'null'],
  items: { enum: NOTIFICATION_TYPES },
  minItems: 1,
  uniqueItems: true,
  description: `Of these types alone; null for all but ${EVENT_TYPES.join(' and ')}.`,
  examples: [['claim.confirmed', 'claim.failed']],
})
export const WebhookDescription = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 255,
  description: 'For people; null where there is none.',
  examples: ['billing'],
})
export const WebhookCustomer = UuidOrNull('Of this customer’s claims and candidates alone; null for all.')
export const WebhookEnabled = Type.Boolean({ description: 'Whether notifications are sent.' })

const ENDPOINT_FIELDS = {
  id: Uuid('Made by the server.'),
  created_at: DateTime('When it was created.'),
  url: WebhookUrl,
  types: WebhookTypes,
  customer_id: WebhookCustomer,
  description: WebhookDescription,
  enabled: WebhookEnabled,
  disabled_reason: Type.Unsafe<'failing' | 'gone' | null>({
    enum: ['failing', 'gone', null],
    description:
      'Why the service has disabled it: for 5 days nothing arrived, or it answered 410. Null if it is enabled, or was disabled by hand.',
    examples: [null],
  }),
  last_delivery: Type.Object(
    {
      number: Type.Integer({ description: 'Its number; 0 before the first.', examples: [417] }),
      hash: Hash('SHA-256 of its body; zeros before the first.'),
    },
    { title: 'LastWebhookDelivery', description: 'The last that was made, sent or not.' },
  ),
  health: Type.Object(
    {
      attempts: Type.Integer({ description: 'Of the last 100, how many there are.', examples: [100] }),
      succeeded: Type.Integer({ description: 'How many of these succeeded.', examples: [98] }),
      median_ms: Type.Union([Type.Integer(), Type.Null()], {
        description: 'How long half of these took at most, in milliseconds.',
        examples: [87],
      }),
      waiting: Type.Integer({
        description: 'Deliveries that wait for their next attempt, counted up to 1,000.',
        examples: [2],
      }),
      oldest_waiting_at: DateTimeOrNull('When the oldest of these was made.'),
      failing_since: DateTimeOrNull('Since when all attempts have failed; null if the last one did not.'),
      paused_until: DateTimeOrNull('Until when none is made, since several failed in a row.'),
    },
    { title: 'WebhookHealth' },
  ),
}
const SECRET = Type.String({
  description: 'Verifies what is sent (Standard Webhooks). It is in this answer, and never shown again.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
})

export const WebhookEndpointBody = Type.Object(ENDPOINT_FIELDS, {
  $id: 'WebhookEndpoint',
  description: 'Where notifications are sent.',
})
export const NewWebhookEndpointBody = Type.Object(
  { ...ENDPOINT_FIELDS, secret: SECRET },
  { $id: 'NewWebhookEndpoint', description: 'A webhook endpoint, with its secret.' },
)
export const RotatedWebhookEndpointBody = Type.Object(
  {
    ...ENDPOINT_FIELDS,
    secret: SECRET,
    old_secret_until: DateTime('Until when the secret before signs as well.'),
  },
  { $id: 'RotatedWebhookEndpoint', description: 'A webhook endpoint, with its new secret.' },
)

export const DeliveryStatusBody = Type.Enum([...DELIVERY_STATUSES], {
  description: 'Whether it waits for its next attempt, arrived, or is given up.',
  examples: ['succeeded'],
})

const DELIVERY_FIELDS = {
  id: Type.String({
    description: 'The endpoint’s id, a dot, and the number.',
    examples: [`${SOME_UUID}.417`],
  }),
  endpoint_id: Uuid('Where it is sent.'),
  number: Type.Integer({
    description: 'Its place among the endpoint’s, from 1 on, without holes.',
    examples: [417],
  }),
  notification_id: Uuid('The notification, and the header webhook-id.'),
  type: Type.Enum([...NOTIFICATION_TYPES, ...OWN_TYPES], {
    description: 'What it tells of.',
    examples: ['claim.confirmed'],
  }),
  claim_id: UuidOrNull('The claim or candidate that it tells of; null if it is about something else.'),
  status: DeliveryStatusBody,
  created_at: DateTime('When it was made.'),
  next_attempt_at: DateTimeOrNull('When it is sent next, if it waits.'),
  hash: Hash('SHA-256 of its body.'),
  previous_hash: Hash('SHA-256 of the body before it; zeros for the first.'),
  attempts: Type.Array(
    Type.Object(
      {
        started_at: DateTime('When it was begun.'),
        duration_ms: Type.Integer({ description: 'How long it took, in milliseconds.', examples: [87] }),
        status: Type.Union([Type.Integer(), Type.Null()], {
          description: 'The HTTP status of the answer; null if there was none.',
          examples: [200],
        }),
        answer: Type.Union([Type.String(), Type.Null()], {
          description: 'The first KiB of the answer; null if there was none.',
          examples: ['ok'],
        }),
        error: Type.Union([Type.String(), Type.Null()], {
          description: 'Why it failed; null if it succeeded.',
          examples: [null],
        }),
      },
      { title: 'WebhookAttempt' },
    ),
    { description: 'The newest 20, oldest first.' },
  ),
}

export const WebhookDeliveryBody = Type.Object(DELIVERY_FIELDS, {
  $id: 'WebhookDelivery',
  description: 'A notification that is, or was, sent to an endpoint.',
})
export const WholeWebhookDeliveryBody = Type.Object(
  { ...DELIVERY_FIELDS, body: Type.String({ description: 'Exactly as it is sent.' }) },
  { $id: 'WholeWebhookDelivery', description: 'A delivery with its body.' },
)

export const presentEndpoint = ({
  endpoint,
  health,
}: EndpointWithHealth): Static<typeof WebhookEndpointBody> => ({
  id: endpoint.id,
  created_at: endpoint.createdAt,
  url: endpoint.url,
  types: endpoint.types === null ? null : [...endpoint.types],
  customer_id: endpoint.customerId,
  description: endpoint.description,
  enabled: endpoint.disabled === null,
  disabled_reason: endpoint.disabled === 'by hand' ? null : endpoint.disabled,
  last_delivery: endpoint.last,
  health: {
    attempts: health.attempts,
    succeeded: health.succeeded,
    median_ms: health.medianMs,
    waiting: health.waiting,
    oldest_waiting_at: health.oldestWaitingAt,
    failing_since: endpoint.failingSince,
    paused_until: endpoint.pausedUntil,
  },
})

/**
 * An endpoint with its ETag: the version of its settings, a dot, and a digest of the whole response. The digest
 * changes with every response; a conditional change compares only the version, so deliveries do not make it fail.
 */
export function presentTagged(one: EndpointWithHealth) {
  const body = presentEndpoint(one)
  const shown = createHash('sha256').update(JSON.stringify(body)).digest('base64url')
  return { tag: `${one.version}.${shown.slice(0, 22)}`, body }
}

export const presentDelivery = (delivery: WebhookDelivery): Static<typeof WebhookDeliveryBody> => ({
  id: deliveryId(delivery),
  endpoint_id: delivery.endpointId,
  number: delivery.number,
  notification_id: delivery.notificationId,
  type: delivery.type as Static<typeof WebhookDeliveryBody>['type'],
  claim_id: /^(claim|candidate)\./.test(delivery.type) ? delivery.subjectId : null,
  status: delivery.status,
  created_at: delivery.createdAt,
  next_attempt_at: delivery.nextAttemptAt,
  hash: delivery.hash,
  previous_hash: delivery.previousHash,
  attempts: delivery.attempts.map(({ startedAt, durationMs, status, answer, error }) => ({
    started_at: startedAt,
    duration_ms: durationMs,
    status,
    answer,
    error,
  })),
})
