import { Type } from 'typebox'
import type { App } from '../app.ts'
import type { ClaimAddress } from '../core/claims/claim.ts'
import { EVENT_TYPES, NOTIFICATION_TYPES, type NotificationType } from '../core/notification-types.ts'
import { validationError } from '../kernel/errors.ts'
import { DEFAULT_PAGE_SIZE } from '../platform/database/limits.ts'
import { whileConnected } from '../platform/http/admission/while-connected.ts'
import type { Stream } from '../platform/http/openapi/split-streams.ts'
import { CandidateAlias, Uuid } from '../platform/http/responses/field-schemas.ts'
import { sendJson } from '../platform/http/responses/json-stream.ts'
import { listQuery, presentEach } from '../platform/http/responses/lists.ts'
import { prefersType } from '../platform/http/responses/quality-values.ts'
import { EVENT_STREAM, ref, responses } from '../platform/http/responses/responses.ts'
import { route } from '../platform/http/route.ts'
import { MAX_WAIT_SECONDS } from './limits.ts'
import { NotificationBody, NotificationPage, presentNotification } from './notification-bodies.ts'
import {
  awaitNotifications,
  type FeedPage,
  type FeedRequest,
  readNotifications,
} from './read-notifications.ts'
import { type StreamContext, streamNotifications } from './stream-notifications.ts'

const QUERY = listQuery({
  types: Type.Optional(
    Type.String({
      maxLength: 500,
      description: `Types of notifications, separated by commas: ${NOTIFICATION_TYPES.join(', ')}. Default: all types except ${EVENT_TYPES.join(' and ')}.`,
      examples: ['claim.confirmed,claim.failed'],
    }),
  ),
  claim_id: Type.Optional(Uuid('Only notifications of this claim.')),
  candidate_alias: Type.Optional(CandidateAlias),
  customer_id: Type.Optional(Uuid('Only notifications of claims and candidates of this customer.')),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      default: 0,
      description: 'Seconds to wait for a notification if there is none yet.',
    }),
  ),
})

/** Server-sent events on the same path, described as an operation of its own in the OpenAPI document. */
export const NOTIFICATION_STREAM: Stream = {
  mediaType: EVENT_STREAM,
  operationId: 'streamNotifications',
  summary: 'Stream notifications',
  description: `GET /v1/notifications with \`Accept: ${EVENT_STREAM}\`: an endless stream of server-sent events, each with its cursor as \`id\`. \`Last-Event-ID\` continues after that cursor.`,
}

export const listNotificationsRoute = (context: StreamContext) =>
  route({
    method: 'GET',
    url: '/v1/notifications',
    schema: {
      operationId: 'listNotifications',
      summary: 'List notifications',
      description:
        'Changes of the account’s claims, candidates and test clocks, in an order that never changes. A client that follows the cursors misses nothing.',
      tags: ['Notifications'],
      querystring: QUERY,
      response: responses(
        { 200: { description: 'A page.', schema: NotificationPage, event: ref(NotificationBody) } },
        ['CURSOR_EXPIRED'],
      ),
    },
    handler: async (request, reply) => {
      const { app } = context
      const { query, userId, server } = request
      const { wait = 0, limit = DEFAULT_PAGE_SIZE, order = 'asc' } = query
      const isStream = prefersType(request.headers.accept, EVENT_STREAM, 'application/json')
      const lastId = isStream ? request.headers['last-event-id'] : undefined
      const after = typeof lastId === 'string' && lastId !== '' ? lastId : query.after
      if (order === 'desc' && (wait > 0 || isStream)) {
        throw validationError([
          {
            path: 'order',
            message: 'must be asc for a stream or with wait: only newer notifications can be waited for',
          },
        ])
      }
      const feed: FeedRequest = {
        userId,
        after: after === undefined ? null : app.feedCursors.read(userId, after),
        limit,
        order,
        types: readTypes(query.types),
        address: readAddress(query.claim_id, query.candidate_alias),
        customerId: query.customer_id?.toLowerCase(),
      }
      // A HEAD request gets the headers of a page: a stream would never end.
      if (isStream && request.method === 'GET') return streamNotifications(context, request, reply, feed)
      const page =
        wait === 0
          ? await readNotifications(app, feed)
          : await whileConnected(reply.raw, server.stopSignal, (signal) =>
              awaitNotifications(app, feed, wait * 1_000, signal),
            )
      return sendJson(reply, presentFeedPage(app, userId, page))
    },
  })

const presentFeedPage = (app: App, userId: string, { notifications, next, hasMore }: FeedPage) => ({
  data: presentEach(notifications, presentNotification),
  next_cursor: app.feedCursors.write(userId, next),
  has_more: hasMore,
})

function readTypes(types: string | undefined): ReadonlySet<NotificationType> | null {
  if (types === undefined) return null
  const named = types.split(',').map((type) => type.trim())
  const isKnown = (type: string): type is NotificationType =>
    (NOTIFICATION_TYPES as readonly string[]).includes(type)
  const unknown = named.find((type) => !isKnown(type))
  if (unknown === undefined) return new Set(named.filter(isKnown))
  const message = `has ${JSON.stringify(unknown)}, which is none of ${NOTIFICATION_TYPES.join(', ')}`
  throw validationError([{ path: 'types', message }])
}

function readAddress(id: string | undefined, alias: string | undefined): ClaimAddress | null {
  if (id !== undefined && alias !== undefined) {
    throw validationError([{ path: 'candidate_alias', message: 'cannot be given together with claim_id' }])
  }
  if (id !== undefined) return { kind: 'claim', id: id.toLowerCase() }
  return alias === undefined ? null : { kind: 'candidate', alias }
}
