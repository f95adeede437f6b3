import { Type } from 'typebox'
import type { App } from '../app.ts'
import { MAX_NAME_LENGTH } from '../core/limits.ts'
import { IDEMPOTENCY_ERRORS, idempotentRoute } from '../idempotency/idempotency-key.ts'
import { validationError } from '../kernel/errors.ts'
import { contextOf } from '../platform/database/context.ts'
import { DEFAULT_PAGE_SIZE } from '../platform/database/limits.ts'
import { CandidateAlias, EXAMPLE_UUID, Uuid } from '../platform/http/responses/field-schemas.ts'
import { listQuery, pageOf } from '../platform/http/responses/lists.ts'
import { ref, responses } from '../platform/http/responses/responses.ts'
import { type Route, route } from '../platform/http/route.ts'
import {
  DeliveryStatusBody,
  presentDelivery,
  WebhookDeliveryBody,
  WholeWebhookDeliveryBody,
} from './webhook-bodies.ts'
import {
  type DeliveryListRequest,
  deliveryId,
  getWebhookDelivery,
  listWebhookDeliveries,
  redeliverWebhook,
} from './webhook-deliveries.ts'

const QUERY = listQuery({
  endpoint_id: Type.Optional(Uuid('Only to this endpoint.')),
  notification_id: Type.Optional(Uuid('Only of this notification.')),
  claim_id: Type.Optional(Uuid('Only of this claim.')),
  candidate_alias: Type.Optional(CandidateAlias),
  status: Type.Optional(DeliveryStatusBody),
})

const tags = ['Webhooks']
const params = Type.Object({
  id: Type.String({
    maxLength: MAX_NAME_LENGTH,
    description: 'The delivery: its endpoint’s id, a dot, and its number.',
    examples: [`${EXAMPLE_UUID}.417`],
  }),
})

export const webhookDeliveryRoutes = (app: App): Route[] => [
  listWebhookDeliveriesRoute(app),
  getWebhookDeliveryRoute(app),
  redeliverWebhookRoute(app),
]

const listWebhookDeliveriesRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/webhook_deliveries',
    schema: {
      operationId: 'listWebhookDeliveries',
      summary: 'List webhook deliveries',
      description:
        'Deliveries to an endpoint, of a notification, or of a claim or candidate. One of the four parameters is required. Ordered by endpoint, then by number.',
      tags,
      querystring: QUERY,
      response: responses(
        {
          200: {
            description: 'A page. Its cursor is the id of its last delivery.',
            schema: Type.Object({
              ...pageOf(WebhookDeliveryBody).properties,
              next_cursor: Type.Unsafe<string | null>({
                type: ['string', 'null'],
                description:
                  'The id of the page’s last delivery, the value for `after`; null on the last page.',
              }),
            }),
          },
        },
        [],
      ),
    },
    handler: async ({ userId, query }) => {
      const { status = null, after, limit = DEFAULT_PAGE_SIZE, order = 'asc' } = query
      const { rows, hasMore } = await listWebhookDeliveries(app, {
        userId,
        of: readOf(query),
        status,
        after,
        limit,
        order,
      })
      const last = rows.at(-1)
      return {
        data: rows.map(presentDelivery),
        next_cursor: hasMore && last ? deliveryId(last) : null,
      }
    },
  })

const NAMES = ['endpoint_id', 'notification_id', 'claim_id', 'candidate_alias'] as const

function readOf(query: { [name in (typeof NAMES)[number]]?: string }): DeliveryListRequest['of'] {
  const given = NAMES.filter((name) => query[name] !== undefined)
  const [name, second] = given
  if (name === undefined) {
    const message = `or ${NAMES.slice(1).join(', ')} must be given`
    throw validationError([{ path: NAMES[0], message }])
  }
  if (second !== undefined) {
    throw validationError([{ path: second, message: `cannot be given together with ${name}` }])
  }
  const value = query[name] as string
  if (name === 'candidate_alias') return { address: { kind: 'candidate', alias: value } }
  const id = value.toLowerCase()
  if (name === 'claim_id') return { address: { kind: 'claim', id } }
  return name === 'endpoint_id' ? { endpointId: id } : { notificationId: id }
}

const getWebhookDeliveryRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/webhook_deliveries/:id',
    schema: {
      operationId: 'getWebhookDelivery',
      summary: 'Read a webhook delivery',
      tags,
      params,
      response: responses(
        { 200: { description: 'The delivery, with its body.', schema: ref(WholeWebhookDeliveryBody) } },
        ['WEBHOOK_DELIVERY_NOT_FOUND'],
      ),
    },
    handler: async ({ userId, params }) => {
      const { delivery, body } = await getWebhookDelivery(contextOf(app.db, userId), params.id)
      return { ...presentDelivery(delivery), body }
    },
  })

const redeliverWebhookRoute = (app: App) =>
  idempotentRoute(app, {
    method: 'POST',
    url: '/v1/webhook_deliveries/:id/redeliver',
    schema: {
      operationId: 'redeliverWebhook',
      summary: 'Send a webhook delivery again',
      description: 'Sends the delivery again as if it were new, with the same number and body.',
      tags,
      params,
      response: responses({ 202: { description: 'The delivery.', schema: ref(WebhookDeliveryBody) } }, [
        ...IDEMPOTENCY_ERRORS,
        'WEBHOOK_DELIVERY_NOT_FOUND',
      ]),
    },
    answer: async (context, { params }) => {
      const delivery = await redeliverWebhook(context, params.id)
      return { status: 202, body: presentDelivery(delivery) }
    },
  })
