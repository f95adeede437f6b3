import { type Static, Type } from 'typebox'
import type { App } from '../app.ts'
import { ONCE_ERRORS, onceRoute } from '../idempotency/idempotency-key.ts'
import { validationError } from '../kernel/errors.ts'
import { whileConnected } from '../platform/http/admission/while-connected.ts'
import { tagged } from '../platform/http/responses/entity-tags.ts'
import { readTime, Time, Uuid } from '../platform/http/responses/field-schemas.ts'
import { BODY_ERRORS, ETAG, ref, responses } from '../platform/http/responses/responses.ts'
import { type Route, route } from '../platform/http/route.ts'
import {
  DeliveryStatusBody,
  presentDelivery,
  presentTagged,
  RotatedWebhookEndpointBody,
  WebhookDeliveryBody,
} from './webhook-bodies.ts'
import { redeliverWebhooks } from './webhook-deliveries.ts'
import { rotateWebhookSecret, testWebhookEndpoint } from './webhook-endpoints.ts'

const RedeliveryBody = Type.Object(
  {
    from: Time('Deliveries that were made from this moment on.'),
    to: Time('And before this one.'),
    status: Type.Optional(DeliveryStatusBody),
  },
  {
    additionalProperties: false,
    examples: [{ from: '2026-01-31T09:00:00Z', to: '2026-01-31T10:00:00Z', status: 'failed' }],
  },
)

const tags = ['Webhooks']
const params = Type.Object({ id: Uuid('The webhook endpoint.') })

export const webhookEndpointActionRoutes = (app: App): Route[] => [
  rotateWebhookSecretRoute(app),
  testWebhookEndpointRoute(app),
  redeliverWebhooksRoute(app),
]

const rotateWebhookSecretRoute = (app: App) =>
  onceRoute(app, {
    hasSecret: true,
    method: 'POST',
    url: '/v1/webhook_endpoints/:id/rotate_secret',
    schema: {
      operationId: 'rotateWebhookSecret',
      summary: 'Give a webhook endpoint a new secret',
      description: 'For 24 hours the one before signs as well: each delivery has two signatures.',
      tags,
      params,
      response: responses(
        {
          200: {
            description: 'The endpoint, and its new secret.',
            headers: ETAG,
            schema: ref(RotatedWebhookEndpointBody),
          },
        },
        [...ONCE_ERRORS, 'WEBHOOK_ENDPOINT_NOT_FOUND'],
      ),
    },
    answer: async (context, { params }) => {
      const { secret, oldSecretUntil, ...rotated } = await rotateWebhookSecret(
        app,
        context,
        params.id.toLowerCase(),
      )
      const { tag, body } = presentTagged(rotated)
      const answer: Static<typeof RotatedWebhookEndpointBody> = {
        ...body,
        secret,
        old_secret_until: oldSecretUntil,
      }
      return { headers: tagged(tag), body: answer }
    },
  })

const testWebhookEndpointRoute = (app: App) =>
  onceRoute(app, {
    method: 'POST',
    url: '/v1/webhook_endpoints/:id/test',
    schema: {
      operationId: 'testWebhookEndpoint',
      summary: 'Send a test to a webhook endpoint',
      description:
        'A delivery as any other, of type `webhook_endpoint.test`: read it again to see what became of it. If the endpoint is disabled, it waits.',
      tags,
      params,
      response: responses({ 202: { description: 'The delivery.', schema: ref(WebhookDeliveryBody) } }, [
        ...ONCE_ERRORS,
        'WEBHOOK_ENDPOINT_NOT_FOUND',
      ]),
    },
    answer: async (context, { params }) => {
      const delivery = await testWebhookEndpoint(context, params.id.toLowerCase())
      return { status: 202, body: presentDelivery(delivery) }
    },
  })

const redeliverWebhooksRoute = (app: App) =>
  route({
    method: 'POST',
    url: '/v1/webhook_endpoints/:id/redeliver',
    schema: {
      operationId: 'redeliverWebhooks',
      summary: 'Send deliveries of a range of time again',
      description: 'Each with the same number and body as before, as if for the first time.',
      tags,
      params,
      body: RedeliveryBody,
      response: responses(
        {
          202: {
            description: 'How many are sent again.',
            schema: Type.Object({
              redelivered: Type.Integer({ description: 'Deliveries.', examples: [12] }),
            }),
          },
        },
        [...BODY_ERRORS, 'WEBHOOK_ENDPOINT_NOT_FOUND'],
      ),
    },
    handler: async ({ userId, params, body, server }, reply) => {
      const { status = null } = body
      const [from, to] = [readTime(body.from), readTime(body.to)]
      if (from >= to) throw validationError([{ path: 'to', message: 'must be after from' }])
      const endpointId = params.id.toLowerCase()
      const range = { userId, endpointId, from, to, status }
      const redelivered = await whileConnected(reply.raw, server.stops, (gone) =>
        redeliverWebhooks(app, range, gone),
      )
      return reply.code(202).send({ redelivered })
    },
  })
