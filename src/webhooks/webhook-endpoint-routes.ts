import { type Static, Type } from 'typebox'
import type { App } from '../app.ts'
import { IDEMPOTENCY_ERRORS, idempotentRoute } from '../idempotency/idempotency-key.ts'
import { validationError } from '../kernel/errors.ts'
import { contextOf } from '../platform/database/context.ts'
import { whileConnected } from '../platform/http/admission/while-connected.ts'
import {
  etagHeader,
  expectedVersions,
  IfMatchHeader,
  IfNoneMatchHeader,
  sendWithETag,
  versionOfTag,
} from '../platform/http/responses/entity-tags.ts'
import { InputTime, readTime, Uuid } from '../platform/http/responses/field-schemas.ts'
import { pageOf } from '../platform/http/responses/lists.ts'
import {
  BODY_ERRORS,
  ETAG,
  LOCATION,
  NOT_MODIFIED,
  ref,
  responses,
} from '../platform/http/responses/responses.ts'
import { type Route, route } from '../platform/http/route.ts'
import {
  DeliveryStatusBody,
  NewWebhookEndpointBody,
  presentDelivery,
  presentEndpoint,
  presentTagged,
  RotatedWebhookEndpointBody,
  WebhookCustomer,
  WebhookDeliveryBody,
  WebhookDescription,
  WebhookEnabled,
  WebhookEndpointBody,
  WebhookTypes,
  WebhookUrl,
} from './webhook-bodies.ts'
import { redeliverWebhooks } from './webhook-deliveries.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
  type WebhookRules,
} from './webhook-endpoints.ts'

const OPTIONAL = {
  types: Type.Optional(WebhookTypes),
  customer_id: Type.Optional(WebhookCustomer),
  description: Type.Optional(WebhookDescription),
  enabled: Type.Optional(WebhookEnabled),
}
const CreationBody = Type.Object(
  { url: WebhookUrl, ...OPTIONAL },
  {
    additionalProperties: false,
    examples: [{ url: 'https://example.com/claimkeeper', types: ['claim.confirmed', 'claim.failed'] }],
  },
)
const ChangeBody = Type.Object(
  { url: Type.Optional(WebhookUrl), ...OPTIONAL },
  { additionalProperties: false, examples: [{ enabled: false }] },
)
const tags = ['Webhooks']
const params = Type.Object({ id: Uuid('The webhook endpoint.') })

export const webhookEndpointRoutes = (app: App, rules: WebhookRules): Route[] => [
  createWebhookEndpointRoute(app, rules),
  listWebhookEndpointsRoute(app),
  getWebhookEndpointRoute(app),
  updateWebhookEndpointRoute(app, rules),
  deleteWebhookEndpointRoute(app),
  rotateWebhookSecretRoute(app),
  testWebhookEndpointRoute(app),
  redeliverWebhooksRoute(app),
]

const disabledBy = (enabled: boolean) => (enabled ? null : ('by hand' as const))

const createWebhookEndpointRoute = (app: App, rules: WebhookRules) =>
  idempotentRoute(app, {
    hasSecret: true,
    method: 'POST',
    url: '/v1/webhook_endpoints',
    schema: {
      operationId: 'createWebhookEndpoint',
      summary: 'Create a webhook endpoint',
      description:
        'Notifications from now on are sent to the URL. Each delivery is signed (Standard Webhooks), and has a number without gaps and the hash of the previous delivery. An account has at most 50 endpoints.',
      tags,
      body: CreationBody,
      response: responses(
        {
          201: {
            description: 'The endpoint with its secret.',
            headers: { ...LOCATION, ...ETAG },
            schema: ref(NewWebhookEndpointBody),
          },
        },
        [...IDEMPOTENCY_ERRORS, 'CUSTOMER_NOT_FOUND', 'WEBHOOK_ENDPOINT_LIMIT_REACHED'],
      ),
    },
    answer: async (context, request) => {
      const { url, types = null, customer_id = null, description = null, enabled = true } = request.body
      const customerId = customer_id?.toLowerCase() ?? null
      const settings = { url, types, customerId, description, disabled: disabledBy(enabled) }
      const { secret, ...made } = await createWebhookEndpoint(app, context, settings, rules)
      const { tag, body } = presentTagged(made)
      const headers = { Location: `/v1/webhook_endpoints/${made.endpoint.id}`, ...etagHeader(tag) }
      return { status: 201, headers, body: { ...body, secret } }
    },
  })

const listWebhookEndpointsRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/webhook_endpoints',
    schema: {
      operationId: 'listWebhookEndpoints',
      summary: 'List webhook endpoints',
      description: 'The account’s endpoints in the order of their creation.',
      tags,
      response: responses(
        { 200: { description: 'The endpoints.', schema: pageOf(WebhookEndpointBody) } },
        [],
      ),
    },
    handler: async ({ userId }) => ({
      data: (await listWebhookEndpoints(contextOf(app.db, userId))).map(presentEndpoint),
      next_cursor: null,
    }),
  })

const getWebhookEndpointRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/webhook_endpoints/:id',
    schema: {
      operationId: 'getWebhookEndpoint',
      summary: 'Read a webhook endpoint',
      description:
        'Includes the number and the hash of the last delivery, so a receiver can check that it has all deliveries.',
      tags,
      params,
      headers: IfNoneMatchHeader,
      response: responses(
        {
          200: { description: 'The endpoint.', headers: ETAG, schema: ref(WebhookEndpointBody) },
          ...NOT_MODIFIED,
        },
        ['WEBHOOK_ENDPOINT_NOT_FOUND'],
      ),
    },
    handler: async (request, reply) => {
      const found = await getWebhookEndpoint(
        contextOf(app.db, request.userId),
        request.params.id.toLowerCase(),
      )
      const { tag, body } = presentTagged(found)
      return sendWithETag(request, reply, tag, body)
    },
  })

const updateWebhookEndpointRoute = (app: App, rules: WebhookRules) =>
  idempotentRoute(app, {
    method: 'PATCH',
    url: '/v1/webhook_endpoints/:id',
    schema: {
      operationId: 'updateWebhookEndpoint',
      summary: 'Change a webhook endpoint',
      description:
        'Takes effect within seconds. An endpoint that is enabled again continues where it stopped, with the notifications since then.',
      tags,
      params,
      headers: IfMatchHeader,
      body: ChangeBody,
      response: responses(
        {
          200: { description: 'The changed endpoint.', headers: ETAG, schema: ref(WebhookEndpointBody) },
        },
        [...IDEMPOTENCY_ERRORS, 'CUSTOMER_NOT_FOUND', 'WEBHOOK_ENDPOINT_NOT_FOUND', 'PRECONDITION_FAILED'],
      ),
    },
    answer: async (context, { params, body, headers }) => {
      const { customer_id, enabled, ...changes } = body
      const settings = {
        ...changes,
        ...(customer_id === undefined ? {} : { customerId: customer_id?.toLowerCase() ?? null }),
        ...(enabled === undefined ? {} : { disabled: disabledBy(enabled) }),
      }
      const expected = expectedVersions(headers['if-match'], versionOfTag)
      const id = params.id.toLowerCase()
      const changed = presentTagged(await updateWebhookEndpoint(context, id, settings, rules, expected))
      return { headers: etagHeader(changed.tag), body: changed.body }
    },
  })

const deleteWebhookEndpointRoute = (app: App) =>
  route({
    method: 'DELETE',
    url: '/v1/webhook_endpoints/:id',
    schema: {
      operationId: 'deleteWebhookEndpoint',
      summary: 'Delete a webhook endpoint',
      description: 'Deletes the endpoint with its deliveries.',
      tags,
      params,
      headers: IfMatchHeader,
      response: responses({ 204: { description: 'Deleted.' } }, [
        ...BODY_ERRORS,
        'WEBHOOK_ENDPOINT_NOT_FOUND',
        'PRECONDITION_FAILED',
      ]),
    },
    handler: async ({ userId, params, headers }, reply) => {
      const expected = expectedVersions(headers['if-match'], versionOfTag)
      await deleteWebhookEndpoint(contextOf(app.db, userId), params.id.toLowerCase(), expected)
      return reply.code(204).send()
    },
  })

const RedeliveryBody = Type.Object(
  {
    from: InputTime('Deliveries that were created at this time or later.'),
    to: InputTime('Deliveries that were created before this time.'),
    status: Type.Optional(DeliveryStatusBody),
  },
  {
    additionalProperties: false,
    examples: [{ from: '2026-01-31T09:00:00Z', to: '2026-01-31T10:00:00Z', status: 'failed' }],
  },
)

const rotateWebhookSecretRoute = (app: App) =>
  idempotentRoute(app, {
    hasSecret: true,
    method: 'POST',
    url: '/v1/webhook_endpoints/:id/rotate_secret',
    schema: {
      operationId: 'rotateWebhookSecret',
      summary: 'Give a webhook endpoint a new secret',
      description: 'The previous secret also signs for 24 hours: each delivery has two signatures.',
      tags,
      params,
      response: responses(
        {
          200: {
            description: 'The endpoint with its new secret.',
            headers: ETAG,
            schema: ref(RotatedWebhookEndpointBody),
          },
        },
        [...IDEMPOTENCY_ERRORS, 'WEBHOOK_ENDPOINT_NOT_FOUND'],
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
      return { headers: etagHeader(tag), body: answer }
    },
  })

const testWebhookEndpointRoute = (app: App) =>
  idempotentRoute(app, {
    method: 'POST',
    url: '/v1/webhook_endpoints/:id/test',
    schema: {
      operationId: 'testWebhookEndpoint',
      summary: 'Send a test to a webhook endpoint',
      description:
        'Makes a delivery of type `webhook_endpoint.test`, which is sent like any other. Read the delivery again to see its result. While the endpoint is disabled, the delivery waits.',
      tags,
      params,
      response: responses({ 202: { description: 'The delivery.', schema: ref(WebhookDeliveryBody) } }, [
        ...IDEMPOTENCY_ERRORS,
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
      description: 'Sends each delivery again as if it were new, with the same number and body.',
      tags,
      params,
      body: RedeliveryBody,
      response: responses(
        {
          202: {
            description: 'Number of deliveries that are sent again.',
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
      const redelivered = await whileConnected(reply.raw, server.stopSignal, (gone) =>
        redeliverWebhooks(app, range, gone),
      )
      return reply.code(202).send({ redelivered })
    },
  })
